package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// nullPartition is the folder name that Hive and similar tools use for rows with a NULL key.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// part is one file of a table that is partitioned into folders named key=value, with the values of those folders; nil
// is NULL.
type part struct {
	file   file
	as     described
	values []*string
	typed  []any // the values, by the types of the keys
}

// folderNames are the values of a part, as a row.
type folderNames struct {
	values []*string
	keys   []column
}

// Fill implements engine.Filler.
func (f folderNames) Fill(_ context.Context, cols []engine.Vector, _ int) (int, error) {
	for i, v := range f.values {
		if v == nil {
			cols[i].Null(0)
			continue
		}
		key := infer.NewTarget(f.keys[i].Type)
		if err := key.Put(cols[i], 0, infer.Value{Text: []byte(*v), Kind: infer.Field}); err != nil {
			return 0, err
		}
	}
	return 1, nil
}

// partition parses the name of a folder. Characters that are not allowed in names are written as %2F and so on.
func partition(name string) (key string, value *string, ok bool) {
	key, text, ok := strings.Cut(name, "=")
	if !ok || key == "" || key[0] == '.' || key[0] == '_' {
		return "", nil, false
	}
	plain := func(s string) string {
		if p, err := url.PathUnescape(s); err == nil {
			return p
		}
		return s
	}
	if text == nullPartition {
		return plain(key), nil, true
	}
	text = plain(text)
	return plain(key), &text, true
}

// partWalk finds the files of a partitioned table.
type partWalk struct {
	f     *folder
	r     *place
	keys  []string
	parts []part
}

func (w *partWalk) walk(dir string, values []*string) error {
	w.f.looks.Add(1)
	entries, err := fs.ReadDir(w.r.FS(), dir)
	if err != nil {
		return Bare(err)
	}
	for _, e := range entries {
		name, at := e.Name(), path.Join(dir, e.Name())
		switch {
		case name == "_delta_log" || name == ".hoodie":
			return fmt.Errorf("folder %s has a transaction log (%s), which is not supported", dir, name)
		case name[0] == '.' || name[0] == '_':
			continue
		case e.Type()&fs.ModeSymlink != 0 && strings.Contains(name, "="):
			return fmt.Errorf("%s is a symbolic link, which is not allowed in a partitioned table", at)
		case !e.IsDir():
			t, ok := classify(name)
			if base, packed := rowfile.CutForeign(name); packed { // to read it is an error that says so
				t, ok = classify(base)
			}
			if !ok || w.f.pattern != "" && !matches(w.f.pattern, name) {
				continue
			}
			if !e.Type().IsRegular() { // ignoring it would omit rows
				info, err := w.r.stat(at)
				if err == nil && !info.Mode().IsRegular() {
					err = errors.New("it is not a regular file")
				}
				if err != nil {
					return fmt.Errorf("cannot read %s as a part of the table: %w", at, Bare(err))
				}
			}
			t.path = at
			w.parts = append(w.parts, part{file: t, values: values})
			continue
		}
		key, value, ok := partition(name)
		if !ok {
			return fmt.Errorf("folder %s is not named key=value like its siblings", at)
		}
		depth := len(values)
		if depth == len(w.keys) {
			if slices.ContainsFunc(w.keys, func(k string) bool { return strings.EqualFold(k, key) }) {
				return fmt.Errorf("folder %s repeats the key %q", at, key)
			}
			w.keys = append(w.keys, key)
		}
		if w.keys[depth] != key {
			return fmt.Errorf("folder %s has the key %q, others of its level have %q", at, key, w.keys[depth])
		}
		if _, err := w.r.stat(at); errors.Is(err, connector.ErrOwn) {
			continue // it contains nothing of the table
		}
		if err := w.walk(at, append(slices.Clone(values), value)); err != nil {
			return err
		}
	}
	return nil
}

// parted is a partitioned table.
type parted struct {
	f     *folder
	path  string
	parts []part
	cols  []column // of the files; at is not used
	keys  []column // of the folders; at is the index among the values
}

// Remarks says which sheets of workbooks with several are read.
func (t *parted) Remarks() []string { return remarks(t.parts) }

// openParts finds the files of a table and merges their columns.
func (f *folder) openParts(ctx context.Context, r *place, dir string) (*parted, error) {
	w := partWalk{f: f, r: r}
	if err := w.walk(dir, nil); err != nil {
		return nil, err
	}
	if len(w.parts) == 0 {
		return nil, fmt.Errorf("folder %s has no files to read", dir)
	}
	t := &parted{f: f, path: dir, parts: w.parts}
	for i := range t.parts {
		p := &t.parts[i]
		if len(p.values) < len(w.keys) {
			return nil, fmt.Errorf("file %s is above the folders with the key %q", p.file.path, w.keys[len(p.values)])
		}
		if p.file.ending != t.parts[0].file.ending {
			return nil, fmt.Errorf("files %s and %s have different formats", t.parts[0].file.path, p.file.path)
		}
		var err error
		if p.as, err = f.learn(ctx, r, p.file, false); err != nil {
			return nil, err
		}
	}
	for k, key := range w.keys {
		g := infer.Column{}
		for _, p := range t.parts {
			switch v := p.values[k]; {
			case v == nil:
				g.Nullable = true
			case *v == "": // the name of a folder, not a missing value
				g.Declared = "varchar"
			default:
				g.Add(infer.Value{Text: []byte(*v), Kind: infer.Field}, 0)
			}
		}
		t.keys = append(t.keys, column{ColumnInfo: engine.ColumnInfo{Name: key, Type: g.Type(),
			Nullable: g.Nullable}, at: k})
	}
	for i := range t.parts {
		p := &t.parts[i]
		rows, err := connector.Rows(ctx, folderNames{p.values, t.keys}, t.keys, 1)
		if err != nil {
			return nil, fmt.Errorf("folder %s: %w", path.Dir(p.file.path), err)
		}
		p.typed = rows[0]
	}
	return t, t.bring()
}

// bring merges the columns of all files by name. A column missing from a file is NULL in its rows, and a column named
// by a folder has the folder's value.
func (t *parted) bring() error {
	type found struct {
		col   column
		guess infer.Column
		typ   string // the type that files declare
		in    string // the first file that has it
		read  string // the last file whose values changed its type
		files int
	}
	byName, byFolder := map[string]*found{}, map[string]bool{}
	for _, k := range t.keys {
		byFolder[strings.ToLower(k.Name)] = true
	}
	var order []*found
	for _, p := range t.parts {
		for i, c := range p.as.cols {
			lower := strings.ToLower(c.Name)
			if byFolder[lower] {
				continue
			}
			s := byName[lower]
			if s == nil {
				s = &found{col: c, in: p.file.path}
				byName[lower] = s
				order = append(order, s)
			}
			if s.col.Name != c.Name {
				return fmt.Errorf("column %q of file %s is %q in %s", s.col.Name, s.in, c.Name, p.file.path)
			}
			s.files++
			s.col.Nullable = s.col.Nullable || c.Nullable
			if p.as.guesses != nil {
				before := s.guess.Type()
				if s.guess.Join(p.as.guesses[i]); s.guess.Type() != before {
					s.read = p.file.path
				}
				continue
			}
			if s.typ == "" {
				s.typ = c.Type
				continue
			}
			typ := wider(s.typ, c.Type)
			if typ == "" {
				return fmt.Errorf("column %q is %s in file %s and %s in %s", c.Name, s.typ, s.in, c.Type, p.file.path)
			}
			s.typ = typ
		}
	}
	for _, s := range order {
		typ := s.guess.Type()
		switch {
		case s.typ == "":
			s.col.Type = typ
		case s.guess.Values == 0:
			s.col.Type = s.typ
		default:
			if s.col.Type = wider(s.typ, typ); s.col.Type == "" {
				return fmt.Errorf("column %q is %s in some files and %s by the values of %s", s.col.Name,
					s.typ, typ, s.read)
			}
		}
		s.col.Nullable = s.col.Nullable || s.files < len(t.parts)
		t.cols = append(t.cols, s.col)
	}
	return hasColumns(len(t.cols)+len(t.keys), t.parts[0])
}

// Columns lists the columns of the files, then those of the folders.
func (t *parted) Columns(context.Context) ([]engine.ColumnInfo, error) {
	return connector.Infos(slices.Concat(t.cols, t.keys)), nil
}

// Scan reads the files one after another, except those of folders that no matching row can be in.
func (t *parted) Scan(_ context.Context, req engine.ScanRequest) (engine.Batches, error) {
	b := &partBatches{t: t, limit: req.Limit, left: t.parts}
	if len(req.Filters) > 0 {
		b.limit = -1
	}
	var missing string
	if b.want, missing = pick(slices.Concat(t.cols, t.keys), req.Columns); missing != "" {
		return nil, fmt.Errorf("folder %s has no column %q", t.path, missing)
	}
	b.left = slices.DeleteFunc(slices.Clone(t.parts), func(p part) bool { return !t.mayFit(p, req.Filters) })
	return b, nil
}

// partBatches are the rows of the files, with the values of their folders.
type partBatches struct {
	t     *parted
	want  []column
	left  []part
	limit int64

	file  engine.Batches // nil between two files
	from  []int          // for each requested column: its index in a row of the file, -1 if value is used
	value []any
	widen []func(int64) any // for each requested column: converts an integer of the file; nil if it needs no conversion
}

func (b *partBatches) Next(ctx context.Context) ([][]any, error) {
	for b.limit != 0 {
		if b.file == nil {
			if len(b.left) == 0 {
				return nil, io.EOF
			}
			p := b.left[0]
			b.left = b.left[1:]
			if err := b.open(ctx, p); err != nil {
				return nil, err
			}
		}
		rows, err := b.file.Next(ctx)
		if errors.Is(err, io.EOF) {
			if err := b.Close(); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if b.limit >= 0 {
			b.limit -= int64(len(rows))
		}
		cells := make([]any, len(rows)*len(b.want))
		for i, row := range rows {
			out := cells[i*len(b.want) : (i+1)*len(b.want) : (i+1)*len(b.want)]
			for c, at := range b.from {
				if out[c] = b.value[c]; at >= 0 {
					out[c] = row[at]
				}
				if n, ok := out[c].(int64); ok && b.widen[c] != nil {
					out[c] = b.widen[c](n)
				}
			}
			rows[i] = out
		}
		return rows, nil
	}
	return nil, io.EOF
}

func (b *partBatches) open(ctx context.Context, p part) (err error) {
	b.from, b.value, b.widen = make([]int, len(b.want)), make([]any, len(b.want)), make([]func(int64) any, len(b.want))
	var cols []column
	at := make(map[string]int, len(p.as.cols))
	for k, c := range p.as.cols {
		at[c.Name] = k
	}
	for i, c := range b.want {
		b.from[i] = -1
		if slices.ContainsFunc(b.t.keys, func(k column) bool { return k.Name == c.Name }) {
			b.value[i] = p.typed[c.at]
		} else if k, ok := at[c.Name]; ok {
			c.at, b.from[i] = p.as.cols[k].at, len(cols)
			if c.Type != p.as.cols[k].Type {
				b.widen[i] = widening(c.Type)
			}
			cols = append(cols, c)
		}
	}
	b.file, err = b.t.f.scan(ctx, p.file, p.as, cols, b.limit)
	return err
}

func (b *partBatches) Close() error {
	if b.file == nil {
		return nil
	}
	f := b.file
	b.file = nil
	return f.Close()
}

var _ engine.Scanner = (*parted)(nil)
