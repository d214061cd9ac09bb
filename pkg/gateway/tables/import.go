package tables

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/google/uuid"
)

// importCSV reads a multipart body with the parts "request" (JSON text) and "file" (CSV, gzip accepted). A file that
// comes first is buffered until the request has been received; clients should send the request first.
func (s *Service) importCSV(ctx context.Context, r *web.Request[io.Reader]) (api.ImportJob, error) {
	return s.importInto(ctx, r, engine.SchemaTable)
}

func (s *Service) importInto(ctx context.Context, r *web.Request[io.Reader], kind string) (api.ImportJob, error) {
	start := s.Now()
	form, err := multipartBody(r)
	if err != nil {
		return api.ImportJob{}, err
	}
	var req *api.ImportRequest
	var early *tempfile.Unnamed
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			if early != nil {
				return api.ImportJob{}, fault.Missing("request")
			}
			return api.ImportJob{}, fault.Missing("file")
		}
		if fault.Silent(err) {
			return api.ImportJob{}, err
		}
		if err != nil {
			return api.ImportJob{}, fault.Framework(400, "cannot read the multipart body: %v", err)
		}
		switch name := part.FormName(); {
		case name == "request" && req == nil:
			if req, err = readImportRequest(part); err != nil {
				return api.ImportJob{}, err
			}
			req.ID = part.Header.Get(api.ImportHeader)
			if early != nil {
				return s.importDocument(ctx, r, kind, early, req, start)
			}
		case name == "file" && req != nil:
			return s.importDocument(ctx, r, kind, part, req, start)
		case name == "file" && early == nil:
			if early, err = s.putAside(ctx, r, kind, part); err != nil {
				return api.ImportJob{}, err
			}
			defer early.Close()
		case name == "request" || name == "file":
			return api.ImportJob{}, fault.Framework(400, "the multipart body has two parts %q", name)
		default:
			return api.ImportJob{}, fault.Framework(400, "unknown part %q in the multipart body", name)
		}
	}
}

func multipartBody(r *web.Request[io.Reader]) (*multipart.Reader, error) {
	kind, params, err := mime.ParseMediaType(r.HTTP.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, fault.Framework(415,
			"an import is a multipart/form-data body with the parts \"request\" and \"file\"")
	}
	return multipart.NewReader(r.Body, params["boundary"]), nil
}

// putAside stores a document in an unnamed file until its request has been received. A missing table is reported
// before.
func (s *Service) putAside(ctx context.Context, r *web.Request[io.Reader], kind string,
	part io.Reader) (*tempfile.Unnamed, error) {
	p, err := r.Data(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := p.Columns(ctx, kind, r.Param("tableName")); err != nil {
		return nil, err
	}
	f, err := tempfile.CreateUnnamed(s.Dir, AsideTemp+"*")
	if err != nil {
		return nil, err
	}
	limit := s.Limits.Upload
	src := io.Reader(worded{part, "cannot be read completely"})
	if limit > 0 {
		src = io.LimitReader(src, limit+1)
	}
	n, err := io.Copy(f, src)
	if err == nil && limit > 0 && n > limit {
		err = fault.Framework(413, "the document is larger than %d bytes", limit)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (s *Service) importDocument(ctx context.Context, r *web.Request[io.Reader], kind string, doc io.Reader,
	req *api.ImportRequest, start time.Time) (api.ImportJob, error) {
	p, err := r.Data(ctx)
	if err != nil {
		return api.ImportJob{}, err
	}
	src, err := plain(doc)
	if err != nil {
		return api.ImportJob{}, err
	}
	if hook := s.Document; hook != nil {
		src = hook(src, req)
	}
	own := web.DocumentOf(ctx)
	if own != nil {
		own = wordedDocument{own}
	}
	run := store.ImportRun{ID: uuid.NewString(), ProjectID: r.Project.ID, SchemaName: kind,
		TableName: r.Param("tableName"), Mode: cmp.Or(req.Mode, api.ImportAppend), CreatedAt: store.Time(start)}
	done, err := p.ImportCSV(ctx, kind, r.Param("tableName"), src, engine.Import{ID: req.ID, Mappings: req.Mappings,
		ImportMode: req.ImportMode, Header: req.ContainsHeader, MaxBytes: s.Limits.Upload, Timeout: s.Limits.Statement,
		Document: own})
	var ee *engine.Error
	if errors.As(err, &ee) && ee.Kind == engine.KindLimit {
		err = fault.Framework(413, "%s", ee.Message)
	}
	end := s.Now()
	run.DurationMs = max(0, end.Sub(start).Milliseconds())
	if err != nil {
		if ee == nil || ee.Kind != engine.KindUnknownTable { // else there is no table whose run it would be
			run.Status, run.Error = api.ImportFailed, fault.Of(err).Message
			s.endImport(ctx, run, "")
		}
		return api.ImportJob{}, err
	}
	web.CountRows(ctx, done.Rows)
	run.Status, run.RowCount = api.ImportCompleted, done.Rows
	if !s.endImport(ctx, run, req.ID) {
		run.ID = "" // of no run that is listed: the client sees that the end is not recorded
	}
	result := api.ImportJobResult{Processed: done.Rows}
	if !req.Appends() && !done.Again {
		result.Inserted, result.Updated, result.Unchanged, result.Deleted = &done.Inserted, &done.Updated,
			&done.Unchanged, &done.Deleted
	}
	return api.ImportJob{ID: run.ID, Status: api.ImportCompleted, StartTime: start.UnixMilli(),
		EndTime: end.UnixMilli(), Progress: 100, Result: result}, nil
}

// endImport records the end of an import, under the id that the client has given it if its rows are stored. If that
// fails, the engine still knows the id.
func (s *Service) endImport(ctx context.Context, run store.ImportRun, given string) (recorded bool) {
	if run.RowCount == 0 {
		given = ""
	}
	err := s.Store.EndImport(context.WithoutCancel(ctx), run, given)
	if err != nil {
		s.Log.Error("an import could not be recorded", "import", cmp.Or(given, run.ID), "error", err.Error())
	}
	return err == nil
}

// listImports lists the latest imports of a project.
func (s *Service) listImports(ctx context.Context, r *web.Request[web.None]) ([]api.ImportRun, error) {
	limit, err := r.Int("limit", 50, 1)
	if err != nil {
		return nil, err
	}
	all, err := s.Store.ImportRuns(ctx, r.Project.ID, limit)
	return each.Map(all, func(x store.ImportRun) api.ImportRun {
		out := api.ImportRun{ID: x.ID, SchemaName: x.SchemaName, TableName: x.TableName, Mode: x.Mode,
			Status: x.Status, CreatedAt: x.CreatedAt, DurationMs: x.DurationMs}
		if x.Error != "" {
			out.Error = &x.Error
		} else {
			out.Rows = &x.RowCount
		}
		return out
	}), err
}

// findImport reports whether the rows of an import are stored: by its record, or, if it was cut off before that, by the
// rows.
func (s *Service) findImport(ctx context.Context, r *web.Request[web.None]) (api.StoredImport, error) {
	id := r.Param("importId")
	known, err := s.Store.FindImport(ctx, r.Project.ID, id)
	if !errors.Is(err, store.ErrNotFound) {
		return api.StoredImport{Rows: known}, err
	}
	p, err := r.Data(ctx)
	if err != nil {
		return api.StoredImport{}, err
	}
	rows, stored, err := p.FindImport(ctx, id)
	if err == nil && stored {
		if err := s.Store.NoteImport(context.WithoutCancel(ctx), r.Project.ID, id, rows); err != nil {
			s.Log.Error("an import could not be recorded", "import", id, "error", err.Error())
		}
	}
	out := api.StoredImport{Rows: rows}
	if err == nil && !stored {
		out.KnownFrom, err = s.Store.ImportsKnownFrom(ctx, r.Project.ID)
	}
	return out, err
}

func readImportRequest(part io.Reader) (*api.ImportRequest, error) {
	raw, err := io.ReadAll(io.LimitReader(part, web.MaxBody))
	if fault.Silent(err) {
		return nil, err
	}
	if err != nil {
		return nil, fault.Framework(400, "part \"request\" cannot be read: %v", err)
	}
	return importRequest(raw)
}

func importRequest(raw []byte) (*api.ImportRequest, error) {
	var have map[string]json.RawMessage
	if err := json.Unmarshal(raw, &have); err != nil {
		return nil, fault.Framework(400, "part \"request\" is not valid JSON: %v", err)
	}
	for _, k := range []string{"mappings", "containsHeader"} {
		if v := have[k]; v == nil || string(v) == "null" {
			return nil, fault.Missing(k)
		}
	}
	var req api.ImportRequest
	if err := web.DecodeBody(raw, &req); err != nil {
		var f *fault.Fault
		if errors.As(err, &f) {
			f.Message = strings.Replace(f.Message, "the request body", "part \"request\"", 1)
		}
		return nil, err
	}
	return &req, nil
}

// plain decompresses a gzip document, detected by its first two bytes.
func plain(src io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(worded{src, "cannot be read completely"}, 64<<10)
	if head, _ := b.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fault.Framework(400, "part \"file\" looks like gzip but cannot be unpacked: %v", err)
		}
		return worded{z, "cannot be unpacked"}, nil
	}
	return b, nil
}

// worded marks the error of an unreadable document as an error of the request.
type worded struct {
	io.Reader
	what string
}

func (w worded) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	var f *fault.Fault
	if err != nil && err != io.EOF && !errors.As(err, &f) {
		err = fault.Framework(400, "part \"file\" %s: %v", w.what, err)
	}
	return n, err
}

// wordedDocument marks the error of an unreadable document as an error of the request.
type wordedDocument struct{ csv.Document }

func (d wordedDocument) Records(ctx context.Context) (csv.Records, error) {
	r, err := d.Document.Records(ctx)
	if err != nil {
		return nil, unread(err)
	}
	return &wordedRecords{r}, nil
}

type wordedRecords struct{ csv.Records }

func (r *wordedRecords) Read() error { return unread(r.Records.Read()) }

// unread words an error of a document of this process, unless it is the end or is worded already.
func unread(err error) error {
	var form *csv.Error
	if err != nil && err != io.EOF && !errors.As(err, &form) && !errors.Is(err, context.Canceled) &&
		!errors.Is(err, context.DeadlineExceeded) {
		err = fault.Framework(400, "the document cannot be read completely: %v", err)
	}
	return err
}

const (
	AsideTemp = "import-"
)
