// Package files reads a folder of CSV, TSV, JSON, ndjson, Parquet and XLSX files, each as a table. The texts among them
// may be packed with gzip or zstd.
//
// Files directly in the folder are in schema "files", those of a subfolder are in a schema with its name. A folder of
// folders named key=value is one table. Nothing outside the folder is accessible, not even through symbolic links.
package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// rootSchema is the schema of the files directly in the folder.
const rootSchema = "files"

// Type is the connection type files.
func Type() connector.Type {
	return connector.Type{
		Key: "files", Label: "Folder of files", Category: "File", CatalogType: "files", Cacheable: true,
		Fields: append([]connector.Field{
			{Name: "path", Kind: "text", Required: true, Local: true,
				Description: "Folder with CSV, TSV, JSON, ndjson, Parquet or XLSX files, as an absolute path"},
			{Name: "pattern", Kind: "text", Description: "Only files with matching names, such as sales-*.csv"},
		}, optionFields()...),
		Open: open,
	}
}

type folder struct {
	dir, pattern string
	opt          rowfile.Options
	own          *connector.Own
	notes        *connector.Notes
	now          func() time.Time
	sample       int64        // bytes of the beginning of a large file by which its columns are guessed
	looks        atomic.Int64 // number of system calls on files and directories by name

	mu     sync.Mutex
	opened *place               // for the next access, nil for none
	known  map[string]described // by path
	lists  map[string]*listing  // by path
	listed int                  // number of names in them
}

// described is the result of reading a whole file, or its beginning.
type described struct {
	stamp   connector.Stamp
	size    int64
	at      time.Time
	cols    []column
	guesses []infer.Column // of the columns, if types are inferred from values
	rows    int64
	form    rowfile.Form
	remarks []string // what is noteworthy of how the file is read
	renamed []string // which columns do not have their names in the file
	guessed bool     // only the first rows were read: rows is not known, and the columns may be others
}

// still returns an error if a file has changed since it was described.
func (d described) still(h *os.File) error {
	info, err := h.Stat()
	if err == nil && (info.Size() != d.size || !info.ModTime().Equal(d.at)) {
		err = errChanged
	}
	return err
}

func open(c connector.Credential, reach connector.Reach) (connector.Connector, error) {
	f := newFolder(c.Text("path"), reach)
	f.pattern = c.Text("pattern")
	if !filepath.IsAbs(f.dir) {
		return nil, errors.New(`credential field "path" must be an absolute path`)
	}
	if strings.Contains(f.pattern, "/") {
		return nil, errors.New(`credential field "pattern" matches file names and must not contain a slash`)
	}
	if _, err := path.Match(f.pattern, ""); err != nil {
		return nil, fmt.Errorf("credential field \"pattern\": %w", err)
	}
	var err error
	f.opt, err = optionsOf(c)
	return f, err
}

// sampleSize is the usual size of a sample.
const sampleSize = 1 << 20

func newFolder(dir string, reach connector.Reach) *folder {
	return &folder{dir: dir, own: reach.Own, notes: reach.Notes, now: time.Now, sample: sampleSize,
		known: map[string]described{}, lists: map[string]*listing{}}
}

// Close closes the folder, if it is still open.
func (f *folder) Close() error {
	f.mu.Lock()
	p := f.opened
	f.mu.Unlock()
	f.shut(p)
	return nil
}

func (f *folder) Test(context.Context) error {
	r, err := f.root()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = r.look(".")
	return err
}

// file is a table: its name and where it is.
type file struct {
	table, path string
	ending      string // the format by its name; parts for a folder of folders named key=value
}

const parts = "parts"

// classify determines from its name whether a file is a table.
func classify(name string) (file, bool) {
	base := rowfile.Unpacked(name)
	t := file{ending: rowfile.Ending(base), table: strings.TrimSuffix(base, path.Ext(base))}
	return t, t.ending != "" && t.table != "" && !strings.HasPrefix(name, ".")
}

// Schemas lists the folder itself and the subfolders that are not tables.
func (f *folder) Schemas(context.Context) ([]string, error) {
	r, err := f.root()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	top, err := r.look(".")
	if err != nil {
		return nil, err
	}
	out := []string{rootSchema}
	for _, d := range top.dirs {
		if ok, err := r.isSchema(d); err != nil {
			return nil, err
		} else if ok {
			out = append(out, d)
		}
	}
	return out, nil
}

// Tables lists the files of a schema.
func (f *folder) Tables(_ context.Context, schema string) ([]connector.Table, error) {
	r, err := f.root()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.list(schema)
	out := make([]connector.Table, len(all))
	for i, t := range all {
		out[i] = connector.Table{Name: t.table}
	}
	return out, err
}

// Table opens a file. The types of its columns are those of the file if it has any (Parquet); otherwise the whole file
// is read for them, so that no later value can contradict them: now, or if it is large, when they have to be certain.
func (f *folder) Table(ctx context.Context, schema, table string) (engine.Scanner, error) {
	r, err := f.root()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t, err := r.find(schema, table)
	if err != nil {
		return nil, err
	}
	if t.ending == parts {
		return f.openParts(ctx, r, t.path)
	}
	d, err := f.learn(ctx, r, t, true)
	if err != nil {
		return nil, err
	}
	return f.tableOf(t, d)
}

// tableOf is the table of one file, which has columns.
func (f *folder) tableOf(t file, d described) (engine.Scanner, error) {
	return &tableOf{f: f, file: t, as: d}, hasColumns(len(d.cols), part{file: t, as: d})
}

// hasColumns returns an error for a table of n columns if there are none: its first file names the reason.
func hasColumns(n int, first part) error {
	if n > 0 {
		return nil
	}
	f := rowfile.File{Form: first.as.form, Rows: first.as.rows}
	return &FileError{File: first.file.path, Err: f.NoColumns()}
}

// Statistics are not available for files.
func (f *folder) Statistics(context.Context, string, string) ([]api.ColumnStatistics, error) {
	return nil, connector.ErrNoStatistics
}

// column is a column of a file; at is its index in the file.
type column struct {
	engine.ColumnInfo
	at int
	// of a Parquet file; see parquet.Column
	plain, bloom bool
}

type tableOf struct {
	f    *folder
	file file

	mu    sync.Mutex
	as    described
	scans []*scan // of guessed columns
}

var _ engine.Guesser = (*tableOf)(nil)

// Remarks says which sheet of a workbook with several is read, what of a file may have to be read otherwise, and which
// columns are renamed.
func (t *tableOf) Remarks() []string { return remarks([]part{{file: t.file, as: t.as}}) }

func remarks(parts []part) []string {
	var out []string
	for _, p := range parts {
		for _, r := range slices.Concat(p.as.remarks, rowfile.Few(p.as.renamed)) {
			out = append(out, p.file.path+": "+r)
		}
	}
	return out
}

// Columns implements engine.Scanner.
func (t *tableOf) Columns(ctx context.Context) ([]engine.ColumnInfo, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	err := t.complete(ctx)
	return connector.Infos(t.as.cols), err
}

// Guess implements engine.Guesser.
func (t *tableOf) Guess(context.Context) (columns []engine.ColumnInfo, certain bool, err error) {
	return connector.Infos(t.as.cols), !t.as.guessed, nil
}

// complete reads the whole file if its columns are guessed.
func (t *tableOf) complete(ctx context.Context) error {
	if !t.as.guessed {
		return nil
	}
	r, err := t.f.root()
	if err != nil {
		return err
	}
	defer r.Close()
	d, err := t.f.learn(ctx, r, t.file, false)
	if err == nil {
		t.as = d
	}
	return err
}

// Settle implements engine.Guesser.
func (t *tableOf) Settle(ctx context.Context, columns []string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.as.cols
	if !t.as.guessed || t.verified(columns) {
		return nil
	}
	if err := t.complete(ctx); err != nil {
		return err
	}
	if !slices.EqualFunc(was, t.as.cols, func(a, b column) bool { return a.Name == b.Name && a.Type == b.Type }) {
		return engine.ErrOutdated
	}
	return nil
}

// verified reports whether scans have read all values of columns, nil for all of them.
func (t *tableOf) verified(columns []string) bool {
	read := map[string]bool{}
	for _, s := range t.scans {
		if !s.verified() {
			return false
		}
		for _, c := range s.cols {
			read[strings.ToLower(c.Name)] = true
		}
	}
	unread := func(c column) bool {
		name := strings.ToLower(c.Name)
		return !read[name] && (columns == nil || slices.Contains(columns, name))
	}
	return len(t.scans) > 0 && !slices.ContainsFunc(t.as.cols, unread)
}

// pick finds columns by name, or returns an error that names the missing one.
func pick(cols []column, names []string) (want []column, missing string) {
	at := make(map[string]int, len(cols))
	for i, c := range cols {
		at[c.Name] = i
	}
	for _, name := range names {
		i, ok := at[name]
		if !ok {
			return nil, name
		}
		want = append(want, cols[i])
	}
	return want, ""
}

// Scan reads the requested columns. Filters, and thus the limit too, are left to the engine unless there are none.
func (t *tableOf) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	want, missing := pick(t.as.cols, req.Columns)
	if missing != "" {
		return nil, fmt.Errorf("file %s has no column %q", t.file.path, missing)
	}
	limit := req.Limit
	if len(req.Filters) > 0 {
		limit = -1
	}
	b, err := t.f.scan(ctx, t.file, t.as, want, limit)
	if s, ok := b.(*scan); ok && t.as.guessed {
		t.scans = append(t.scans, s)
	}
	return b, err
}
