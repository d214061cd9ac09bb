package gateway

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// importCSV reads a multipart body with the parts "request" (JSON text) and "file" (CSV, gzip accepted). A file that comes first
// is put aside until the request has come; clients do better to send the request first.
func (g *tablesService) importCSV(ctx context.Context, r *Request[io.Reader]) (api.ImportJob, error) {
	return g.importInto(ctx, r, engine.SchemaTable)
}

func (g *tablesService) importInto(ctx context.Context, r *Request[io.Reader], kind string) (api.ImportJob, error) {
	start := g.now()
	form, err := multipartBody(r)
	if err != nil {
		return api.ImportJob{}, err
	}
	var req *api.ImportRequest
	var early *os.File
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			if early != nil {
				return api.ImportJob{}, missing("request")
			}
			return api.ImportJob{}, missing("file")
		}
		if silent(err) {
			return api.ImportJob{}, err
		}
		if err != nil {
			return api.ImportJob{}, frameworkFault(400, "the multipart body cannot be read: %v", err)
		}
		switch name := part.FormName(); {
		case name == "request" && req == nil:
			if req, err = readImportRequest(part); err != nil {
				return api.ImportJob{}, err
			}
			if early != nil {
				return g.importDocument(ctx, r, kind, early, req, start)
			}
		case name == "file" && req != nil:
			return g.importDocument(ctx, r, kind, part, req, start)
		case name == "file" && early == nil:
			if early, err = g.putAside(ctx, r, kind, part); err != nil {
				return api.ImportJob{}, err
			}
			defer os.Remove(early.Name())
			defer early.Close()
		case name == "request" || name == "file":
			return api.ImportJob{}, frameworkFault(400, "the multipart body has two parts %q", name)
		default:
			return api.ImportJob{}, frameworkFault(400, "unknown part %q in the multipart body", name)
		}
	}
}

func multipartBody(r *Request[io.Reader]) (*multipart.Reader, error) {
	kind, params, err := mime.ParseMediaType(r.http.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, frameworkFault(415, "an import is a multipart/form-data body with the parts \"request\" and \"file\"")
	}
	return multipart.NewReader(r.Body, params["boundary"]), nil
}

// putAside keeps a document whose request has not come yet in a file without a name or, where a system keeps the names of open
// files, in one that its reader removes. A table that does not exist is told before.
func (g *tablesService) putAside(ctx context.Context, r *Request[io.Reader], kind string, part io.Reader) (*os.File, error) {
	p, err := r.Data(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := p.Columns(ctx, kind, r.Param("tableName")); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(g.dir, asideTemp+"*")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	limit := g.limits.Upload
	src := io.Reader(worded{part, "cannot be read to its end"})
	if limit > 0 {
		src = io.LimitReader(src, limit+1)
	}
	n, err := io.Copy(f, src)
	if err == nil && limit > 0 && n > limit {
		err = frameworkFault(413, "the document is larger than %d bytes", limit)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

func (g *tablesService) importDocument(ctx context.Context, r *Request[io.Reader], kind string, doc io.Reader, req *api.ImportRequest, start time.Time) (api.ImportJob, error) {
	p, err := r.Data(ctx)
	if err != nil {
		return api.ImportJob{}, err
	}
	src, err := plain(doc)
	if err != nil {
		return api.ImportJob{}, err
	}
	if hook := g.Document; hook != nil {
		src = hook(src, req)
	}
	n, err := p.ImportCSV(ctx, kind, r.Param("tableName"), src, engine.Import{Mappings: req.Mappings, Header: req.ContainsHeader, MaxBytes: g.limits.Upload, Timeout: g.limits.Statement})
	if ee := (*engine.Error)(nil); errors.As(err, &ee) && ee.Kind == engine.KindLimit {
		return api.ImportJob{}, frameworkFault(413, "%s", ee.Message)
	}
	if err != nil {
		return api.ImportJob{}, err
	}
	return api.ImportJob{ID: uuid.NewString(), Status: "COMPLETED", StartTime: start.UnixMilli(), EndTime: g.now().UnixMilli(),
		Progress: 100, Result: api.ImportJobResult{Processed: n}}, nil
}

func readImportRequest(part io.Reader) (*api.ImportRequest, error) {
	raw, err := io.ReadAll(io.LimitReader(part, maxBody))
	if silent(err) {
		return nil, err
	}
	if err != nil {
		return nil, frameworkFault(400, "part \"request\" cannot be read: %v", err)
	}
	return importRequest(raw)
}

func importRequest(raw []byte) (*api.ImportRequest, error) {
	var have map[string]json.RawMessage
	if err := json.Unmarshal(raw, &have); err != nil {
		return nil, frameworkFault(400, "part \"request\" is not valid JSON: %v", err)
	}
	for _, k := range []string{"mappings", "containsHeader"} {
		if v := have[k]; v == nil || string(v) == "null" {
			return nil, missing(k)
		}
	}
	var req api.ImportRequest
	if err := decodeBody(raw, &req); err != nil {
		var f *Fault
		if errors.As(err, &f) {
			f.Message = strings.Replace(f.Message, "the request body", "part \"request\"", 1)
		}
		return nil, err
	}
	return &req, nil
}

// badCells lists what is wrong with a document in little room, however long its values are.
func badCells(cells []engine.BadCell) []api.BadCell {
	return mapAll(cells, func(c engine.BadCell) api.BadCell {
		return api.BadCell{Line: c.Line, Column: c.Column, Value: clip(c.Value, 80), Reason: clip(c.Reason, 200)}
	})
}

// clip shortens a text to at most n characters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// plain unpacks a gzip document, known by its first two bytes.
func plain(src io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(worded{src, "cannot be read to its end"}, 64<<10)
	if head, _ := b.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, frameworkFault(400, "part \"file\" looks like gzip but cannot be unpacked: %v", err)
		}
		return worded{z, "cannot be unpacked"}, nil
	}
	return b, nil
}

// worded says of a document that cannot be read that the request is at fault.
type worded struct {
	io.Reader
	what string
}

func (w worded) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	var f *Fault
	if err != nil && err != io.EOF && !errors.As(err, &f) {
		err = frameworkFault(400, "part \"file\" %s: %v", w.what, err)
	}
	return n, err
}
