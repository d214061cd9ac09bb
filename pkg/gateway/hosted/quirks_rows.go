package hosted

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// cappedRows is the number of rows after which the scan of an uncached table of some API sources silently ends [L].
const cappedRows = 100

// Scan returns the scanner from which a statement reads a table that is not cached, with the faults of tables that
// could be cached.
func (q *Quirks) Scan(ctx context.Context, st *store.Store, t names.ScanOf) (engine.Scanner, error) {
	s, n := t.Scan, t.Name
	if !t.Cacheable {
		return s, nil
	}
	if q.has(quirkParameters) {
		s = parameterScanner{s}
	}
	if q.has(quirkEmptySync) {
		all, err := st.Caches(ctx, t.Project, t.Catalog, n.Schema)
		if err != nil {
			return nil, err
		}
		for _, c := range all {
			if c.TableName != n.Table || c.Stored != nil {
				continue
			}
			run, err := st.LastCacheRun(ctx, c.ID, "")
			if err == nil && run.Status == states.Running {
				return cappedScanner{s, 0}, nil
			}
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
		}
	}
	if q.has(quirkCappedScans) {
		return cappedScanner{s, cappedRows}, nil
	}
	return s, nil
}

// parameterColumn is a column that API connectors add for their parameters; it reads NULL.
const parameterColumn = "_q_since"

type parameterScanner struct{ s engine.Scanner }

func (p parameterScanner) Columns(ctx context.Context) ([]engine.ColumnInfo, error) {
	cols, err := p.s.Columns(ctx)
	return append(slices.Clip(cols), engine.ColumnInfo{Name: parameterColumn, Type: "varchar", Nullable: true}), err
}

func (p parameterScanner) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	at := slices.Index(req.Columns, parameterColumn)
	filtered := slices.ContainsFunc(req.Filters, func(f engine.Filter) bool { return f.Column == parameterColumn })
	if filtered {
		req.Filters, req.Limit = nil, -1
	}
	if at >= 0 {
		req.Columns = slices.Delete(slices.Clone(req.Columns), at, at+1)
	}
	b, err := p.s.Scan(ctx, req)
	if err != nil || at < 0 {
		return b, err
	}
	return &parameterBatches{b, at}, nil
}

type parameterBatches struct {
	engine.Batches
	at int
}

func (p *parameterBatches) Next(ctx context.Context) ([][]any, error) {
	rows, err := p.Batches.Next(ctx)
	for i, r := range rows {
		rows[i] = slices.Insert(slices.Clip(r), p.at, any(nil))
	}
	return rows, err
}

// cappedScanner stops after some rows. Conditions are applied to the remaining rows.
type cappedScanner struct {
	s    engine.Scanner
	most int64
}

func (c cappedScanner) Columns(ctx context.Context) ([]engine.ColumnInfo, error) {
	return c.s.Columns(ctx)
}

func (c cappedScanner) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	req.Filters, req.Limit = nil, c.most
	b, err := c.s.Scan(ctx, req)
	if err != nil {
		return nil, err
	}
	return &cappedBatches{b, c.most}, nil
}

type cappedBatches struct {
	b    engine.Batches
	left int64
}

func (c *cappedBatches) Next(ctx context.Context) ([][]any, error) {
	if c.left == 0 {
		return nil, io.EOF
	}
	rows, err := c.b.Next(ctx)
	if int64(len(rows)) > c.left {
		rows = rows[:c.left]
	}
	c.left -= int64(len(rows))
	return rows, err
}

func (c *cappedBatches) Close() error { return c.b.Close() }

// ForgetHeaders removes from an import the columns that are missing from the document's header, so that they read as
// NULL.
func (q *Quirks) ForgetHeaders(src io.Reader, req *api.ImportRequest) io.Reader {
	if !q.has(quirkNullHeader) || !req.ContainsHeader {
		return src
	}
	b := bufio.NewReaderSize(src, 64<<10)
	head, _ := b.Peek(32 << 10)
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))), ',', len(head)+1)
	for ok := false; !ok; ok = !r.Blank() {
		if err := r.Read(); err != nil {
			return b
		}
	}
	names := make([]string, len(r.Fields))
	for i, f := range r.Fields {
		names[i] = string(f.Text)
	}
	req.Mappings = slices.DeleteFunc(req.Mappings, func(m api.ImportMapping) bool {
		return m.CSVColumnIndex == nil && !slices.Contains(names, m.CSVColumnName)
	})
	return b
}

// OddExport returns the error of an export that fails for reasons unrelated to the request; nil for none.
func (q *Quirks) OddExport(rows int64) error {
	switch {
	case q.has(quirkEmptyExport) && rows == 0:
		return fault.Data(500, "Export produced no files")
	case q.strikes(quirkFlakyExport):
		return fault.Data(500, "Export failed")
	}
	return nil
}

// Download answers the use of a link as if it had expired.
func (q *Quirks) Download(next http.HandlerFunc) http.HandlerFunc {
	if !q.has(quirkExpiredLinks) {
		return next
	}
	return func(w http.ResponseWriter, hr *http.Request) {
		if q.strikes(quirkExpiredLinks) {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>")
			return
		}
		next(w, hr)
	}
}
