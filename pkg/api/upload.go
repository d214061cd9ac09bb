package api

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/dig-cli/dig/pkg/spec"
)

// Import runs POST /data/projects/{projectId}/table/{tableName}/import: a multipart body with the JSON text of req in
// part "request" and the CSV document in part "file" [O]. The document is streamed, never held in memory. Rows are
// appended, all or none; ImportJob.Result.Processed is the number of rows of this document.
func (s *TablesService) Import(ctx context.Context, project, table string, req ImportRequest, fileName string,
	csv io.Reader) (ImportJob, error) {
	return s.c.importCSV(ctx, spec.ImportCsv.At(project, table), req, fileName, csv)
}

func (c *Client) importCSV(ctx context.Context, b spec.Bound, req ImportRequest, fileName string,
	csv io.Reader) (ImportJob, error) {
	meta, err := marshalRequest(req)
	if err != nil {
		return ImportJob{}, err
	}
	pr, pw := io.Pipe()
	form := multipart.NewWriter(pw)
	go func() { pw.CloseWithError(writeImport(form, req.ID, meta, fileName, csv)) }()
	job, err := call[ImportJob](ctx, c, b, Payload{ContentType: form.FormDataContentType(), Reader: pr, Slow: true})
	pr.Close() // ends the writer if the gateway answered before it had read the whole document
	return job, err
}

func writeImport(form *multipart.Writer, id string, meta []byte, fileName string, csv io.Reader) error {
	header := textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="request"`},
		"Content-Type":        {"application/json"},
	}
	if id != "" {
		header.Set(ImportHeader, id)
	}
	part, err := form.CreatePart(header)
	if err != nil {
		return err
	}
	if _, err := part.Write(meta); err != nil {
		return err
	}
	if part, err = form.CreateFormFile("file", fileName); err != nil {
		return err
	}
	if _, err := io.Copy(part, csv); err != nil {
		return err
	}
	return form.Close()
}

// FindImport returns how many rows of the import with an ImportRequest.ID are stored, 0 for none. Only zone local has
// it; it is not an operation of the service.
func (c *Client) FindImport(ctx context.Context, project, id string) (StoredImport, error) {
	found, err := call[StoredImport](ctx, c, spec.FindImport.At(project, id), nil)
	var e *Error
	// that of a gateway of an earlier release; with this name it lacks the operation
	if errors.As(err, &e) && e.Status == http.StatusNotFound && e.Name != "Not Found" {
		return StoredImport{}, nil
	}
	return found, err
}

// ListImports returns the latest imports of a project, newest first. Only zone local has it; it is not an operation of
// the service.
func (c *Client) ListImports(ctx context.Context, project string, query url.Values) ([]ImportRun, error) {
	return callList[ImportRun](ctx, c, spec.ListImports.At(project).WithQuery(query), nil)
}

// Sample runs GET /data/projects/{projectId}/table/{tableName}/sample: a CSV document with a header and five example
// rows, or blank lines for a table that does not exist [L].
func (s *TablesService) Sample(ctx context.Context, project, table string) ([]byte, error) {
	return s.c.fetchFile(ctx, spec.GetSampleCsv.At(project, table), "a CSV document",
		func(h http.Header, raw []byte) bool {
			kind := h.Get("Content-Type")
			return len(raw) > 0 && !strings.Contains(kind, "json") && !strings.Contains(kind, "html")
		})
}

// ImportBI is Tables.Import for a BI table. Only zone local has it; it is not an operation of the service.
func (c *Client) ImportBI(ctx context.Context, project, table string, req ImportRequest, fileName string,
	csv io.Reader) (ImportJob, error) {
	return c.importCSV(ctx, spec.ImportBi.At(project, table), req, fileName, csv)
}
