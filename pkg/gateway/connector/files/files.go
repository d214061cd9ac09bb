// Package files reads a folder of CSV, TSV, JSON, ndjson and Parquet files, each as a table. The first three may be gzipped.
//
// Files directly in the folder are in schema "files", those of a folder in it are in a schema of that folder's name. A folder of
// folders named key=value is one table. Nothing outside the folder is reachable, also not by symbolic links.
package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// RootSchema is the schema of the files directly in the folder.
const RootSchema = "files"

// Type is the connection type files.
func Type() connector.Type {
	return connector.Type{
		Key: "files", Label: "Folder of files", Category: "File", CatalogType: "files", Cacheable: true,
		Fields: []connector.Field{
			{Name: "path", Kind: "text", Required: true, Local: true, Description: "Folder with CSV, TSV, JSON, ndjson or Parquet files, as an absolute path"},
			{Name: "pattern", Kind: "text", Description: "Only files whose names match, such as sales-*.csv"},
		},
		Open: open,
	}
}

type folder struct {
	dir, pattern string
	out          string // a directory that is not read, "" for none

	mu    sync.Mutex
	known map[string]described // by path
}

// described is what a reading of a whole file has found out about it.
type described struct {
	size    int64
	at      time.Time
	cols    []column
	guesses []guess // of the columns, where values tell their types
}

// still refuses a file that is no longer what was described.
func (d described) still(h *os.File) error {
	info, err := h.Stat()
	if err == nil && (info.Size() != d.size || !info.ModTime().Equal(d.at)) {
		err = errors.New("the file has changed while it was read")
	}
	return err
}

func open(c connector.Credential) (connector.Connector, error) {
	f := &folder{dir: c.Text("path"), pattern: c.Text("pattern"), known: map[string]described{}}
	if !filepath.IsAbs(f.dir) {
		return nil, errors.New(`credential field "path" must be an absolute path`)
	}
	if strings.Contains(f.pattern, "/") {
		return nil, errors.New(`credential field "pattern" is for names of files and holds no slash`)
	}
	if _, err := path.Match(f.pattern, ""); err != nil {
		return nil, fmt.Errorf("credential field \"pattern\": %w", err)
	}
	return f, nil
}

func (f *folder) Close() error { return nil }

// KeepOut implements connector.KeepsOut.
func (f *folder) KeepOut(dir string) { f.out = dir }

// keptOut says that a name in the folder leads into the directory that is not read.
func (f *folder) keptOut(name string) bool {
	if f.out == "" {
		return false
	}
	p, err := filepath.EvalSymlinks(filepath.Join(f.dir, name))
	return err == nil && connector.Within(f.out, p)
}

// root opens the folder so that no name leads out of it.
func (f *folder) root() (*os.Root, error) { return os.OpenRoot(f.dir) }

func (f *folder) Test(context.Context) error {
	r, err := f.root()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = fs.ReadDir(r.FS(), ".")
	return err
}

// file is a table: its name, and where and how it is read.
type file struct {
	table, path string
	form        form
	gzip        bool
}

type form int

const (
	formCSV form = iota
	formTSV
	formJSON // one array of objects, or objects one after another
	formParquet
	formParts // a folder of folders named key=value
)

var forms = map[string]form{".csv": formCSV, ".tsv": formTSV, ".json": formJSON, ".ndjson": formJSON, ".jsonl": formJSON, ".parquet": formParquet}

// classify reads the form of a file from its name.
func classify(name string) (file, bool) {
	base := name
	t := file{}
	if s, ok := strings.CutSuffix(base, ".gz"); ok {
		base, t.gzip = s, true
	}
	ext := strings.ToLower(path.Ext(base))
	how, ok := forms[ext]
	if !ok || t.gzip && how == formParquet || strings.HasPrefix(name, ".") {
		return t, false
	}
	t.form, t.table = how, base[:len(base)-len(ext)]
	return t, t.table != ""
}

// list finds the tables of a schema. Files that would share a name are listed with their endings.
func (f *folder) list(schema string) ([]file, error) {
	r, err := f.root()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	dir := "."
	if schema != RootSchema {
		names, err := f.schemas(r)
		if err != nil {
			return nil, err
		}
		found, ok, err := connector.Pick("schema", schema, names)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, connector.ErrNoSchema
		}
		if dir = found; found == RootSchema {
			dir = "."
		}
	}
	entries, err := fs.ReadDir(r.FS(), dir)
	if err != nil {
		return nil, err
	}
	var out []file
	count := map[string]int{}
	for _, e := range entries {
		if at := path.Join(dir, e.Name()); e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !f.keptOut(at) && split(r, at) {
			count[strings.ToLower(e.Name())]++
			out = append(out, file{table: e.Name(), path: at, form: formParts})
			continue
		}
		t, ok := classify(e.Name())
		if !ok || f.pattern != "" && !matches(f.pattern, e.Name()) {
			continue
		}
		t.path = path.Join(dir, e.Name())
		info, err := r.Stat(t.path) // follows a link, but not out of the folder
		if err != nil || !info.Mode().IsRegular() || f.keptOut(t.path) {
			continue
		}
		count[strings.ToLower(t.table)]++
		out = append(out, t)
	}
	for i := range out {
		if count[strings.ToLower(out[i].table)] > 1 {
			out[i].table = path.Base(out[i].path)
		}
	}
	return out, nil
}

func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // the pattern was checked when the connection was opened
	return ok
}

func (f *folder) schemas(r *os.Root) ([]string, error) {
	entries, err := fs.ReadDir(r.FS(), ".")
	out := []string{RootSchema}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != RootSchema && !f.keptOut(e.Name()) && !split(r, e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// Schemas lists the folder itself and the folders in it that are no tables.
func (f *folder) Schemas(context.Context) ([]string, error) {
	r, err := f.root()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return f.schemas(r)
}

// Tables lists the files of a schema.
func (f *folder) Tables(_ context.Context, schema string) ([]connector.Table, error) {
	all, err := f.list(schema)
	out := make([]connector.Table, len(all))
	for i, t := range all {
		out[i] = connector.Table{Name: t.table}
	}
	return out, err
}

// Table opens a file. The types of its columns are those of the file where it has some (Parquet); else the whole file is read
// once, so that no later value can contradict them.
func (f *folder) Table(ctx context.Context, schema, table string) (engine.Scanner, error) {
	all, err := f.list(schema)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range all {
		names = append(names, t.table)
	}
	name, ok, err := connector.Pick("table", table, names)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, connector.ErrNoTable
	}
	t := all[slices.Index(names, name)]
	r, err := f.root()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if t.form == formParts {
		return f.openParts(ctx, r, t.path)
	}
	d, err := f.learn(ctx, r, t)
	if err != nil {
		return nil, err
	}
	return &tableOf{f, t, d}, nil
}

// learn finds out what a file holds, unless that is known and the file has not changed.
func (f *folder) learn(ctx context.Context, r *os.Root, t file) (described, error) {
	info, err := r.Stat(t.path)
	if err != nil {
		return described{}, err
	}
	f.mu.Lock()
	d, ok := f.known[t.path]
	f.mu.Unlock()
	if ok && d.size == info.Size() && d.at.Equal(info.ModTime()) {
		return d, nil
	}
	d = described{size: info.Size(), at: info.ModTime()}
	if d.cols, d.guesses, err = f.describe(ctx, t, d); err != nil {
		return d, fmt.Errorf("file %s: %w", t.path, err)
	}
	f.mu.Lock()
	f.known[t.path] = d
	f.mu.Unlock()
	return d, nil
}

// Statistics are not kept of files.
func (f *folder) Statistics(context.Context, string, string) ([]api.ColumnStatistics, error) {
	return nil, connector.ErrNoStatistics
}

// column is a column of a file; at is its place among the fields of a CSV record or the columns of a Parquet file.
type column struct {
	engine.ColumnInfo
	at int
}

type tableOf struct {
	f    *folder
	file file
	as   described
}

func (t *tableOf) Columns(context.Context) ([]engine.ColumnInfo, error) {
	out := make([]engine.ColumnInfo, len(t.as.cols))
	for i, c := range t.as.cols {
		out[i] = c.ColumnInfo
	}
	return out, nil
}

// Scan reads the columns asked for. Filters, and so the limit too, are left to the engine unless there are none.
func (t *tableOf) Scan(_ context.Context, req engine.ScanRequest) (engine.Batches, error) {
	want := make([]column, len(req.Columns))
	for i, name := range req.Columns {
		k := slices.IndexFunc(t.as.cols, func(c column) bool { return c.Name == name })
		if k < 0 {
			return nil, fmt.Errorf("file %s has no column %q", t.file.path, name)
		}
		want[i] = t.as.cols[k]
	}
	limit := req.Limit
	if len(req.Filters) > 0 {
		limit = -1
	}
	return t.f.scan(t.file, t.as, want, limit)
}

func (f *folder) scan(t file, d described, want []column, limit int64) (engine.Batches, error) {
	if t.form == formParquet {
		return f.scanParquet(t, d, want, limit)
	}
	recs, err := f.records(t, d)
	if err != nil {
		return nil, fmt.Errorf("file %s: %w", t.path, err)
	}
	return &batches{recs: recs, file: t, cols: want, limit: limit}, nil
}
