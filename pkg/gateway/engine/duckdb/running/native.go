//go:build cgo

package running

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/trinosql/translate"
)

// native are the files of a table that DuckDB reads itself. Where it fails, the statement runs again with the scanner,
// whose rows or error count.
type native struct {
	table *scanTable
	files []engine.NativeFile
	links []string
	cols  []string // what reads each column; "" if only the scanner does
}

// nativeUse is a table in one text of a statement: its own or that of a saved query.
type nativeUse struct {
	of *engine.Statement
	r  *engine.Relation
}

// openNative opens the files of a table for DuckDB; nil if it cannot read any of its columns.
func (s *statement) openNative(ctx context.Context, r *engine.Relation) (*native, error) {
	src, ok := r.Scan.(engine.Native)
	if !ok {
		return nil, nil
	}
	files, err := src.Native(ctx)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	n := &native{table: s.scans.tables[scanKey(r.Name)], files: files}
	s.natives[r] = n
	c, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		link, err := c.Instance.Link(f.File)
		if err != nil {
			return n.without(), nil
		}
		n.links = append(n.links, link)
	}
	var first map[string]string
	for i, f := range files {
		found, err := c.ParquetTypes(ctx, n.links[i])
		if err != nil {
			return n.without(), engine.Ended(ctx, nil)
		}
		if i == 0 {
			first, n.cols = found, make([]string, len(f.Columns))
			for k, c := range f.Columns {
				n.cols[k] = instance.ReadColumn(c.Name, found[c.Name], n.table.types[k])
			}
		}
		for k, c := range f.Columns {
			if c.Name == "" || found[c.Name] != first[c.Name] {
				n.cols[k] = ""
			} else if typ := found[c.Name]; c.Bloom && (typ == "FLOAT" || typ == "DOUBLE") {
				// no condition on it is looked up in a Bloom filter
				name := sqltext.Quote(c.Name)
				n.cols[k] = "CASE WHEN " + name + " IS NULL THEN NULL ELSE " + name + " END"
			}
		}
	}
	if !slices.ContainsFunc(n.cols, func(c string) bool { return c != "" }) {
		return n.without(), nil
	}
	return n, nil
}

// without leaves a table to its scanner.
func (n *native) without() *native {
	n.close()
	n.cols = nil
	return nil
}

func (n *native) close() {
	for _, l := range n.links {
		_ = os.Remove(l)
	}
	for _, f := range n.files {
		_ = f.Close()
	}
	n.files, n.links = nil, nil
}

// text reads the rows, with NULL for columns that only the scanner reads.
func (n *native) text() string {
	cols := make([]string, len(n.cols))
	for i, c := range n.cols {
		if cols[i] = c; c == "" {
			cols[i] = "NULL"
		}
	}
	return "(SELECT " + strings.Join(cols, ", ") + " FROM " + instance.ReadParquet(n.links) + ")"
}

// choose opens the files of which a translated text uses only columns that DuckDB reads. It returns true if there are
// any that the text does not have so.
func (s *statement) choose(ctx context.Context, x *engine.Statement, out *translate.Statement) (bool, error) {
	more := false
	for t, r := range x.Relations {
		if use := (nativeUse{x, r}); r.Scan != nil && s.natively && !s.chosen[use] {
			n, err := s.native(ctx, r)
			if err != nil {
				return false, x.InRelation(r, engine.SourceError(r.Shown, err))
			}
			if n != nil && n.reads(ctx, out.Used(t)) {
				s.chosen[use], s.nativeUsed, more = true, true, true
			}
		}
	}
	return more, nil
}

// native is a table that DuckDB reads itself, nil for another.
func (s *statement) native(ctx context.Context, r *engine.Relation) (*native, error) {
	n, known := s.natives[r]
	if known {
		return n, nil
	}
	n, err := s.openNative(ctx, r)
	if n == nil && err == nil {
		s.natives[r] = nil
	}
	return n, err
}

// reads reports whether DuckDB reads the used columns.
func (n *native) reads(ctx context.Context, used []bool) bool {
	var columns []int
	for i, c := range n.cols {
		if used[i] {
			columns = append(columns, i)
		}
		if c == "" && used[i] {
			return false
		}
	}
	return !slices.ContainsFunc(n.files, func(f engine.NativeFile) bool { return !f.Sound(ctx, columns) })
}

// retreat writes the statement again without DuckDB's reader of files, after an error that may be its own.
func (s *statement) retreat(ctx context.Context) bool {
	if !s.nativeUsed || engine.Ended(ctx, nil) != nil {
		return false
	}
	s.closeNatives()
	s.natively, s.nativeUsed, s.chosen = false, false, map[nativeUse]bool{}
	s.views = map[*engine.Relation]*translation{}
	t, err := s.rewrite(ctx, s.of)
	if err != nil {
		return false
	}
	s.t = t
	_, err = s.connect(ctx)
	return err == nil
}

// still returns an error if a file that DuckDB has read is not as it was.
func (s *statement) still() error {
	for _, n := range s.natives {
		if n == nil {
			continue
		}
		for _, f := range n.files {
			if err := f.Still(); err != nil {
				return engine.SourceError(n.table.name, err)
			}
		}
	}
	return nil
}

// nativeFault finds the error of the scanner of a file that DuckDB has failed to read after rows were passed on.
func (s *statement) nativeFault(ctx context.Context) error {
	for _, n := range s.natives {
		if n == nil || !s.nativeUsed {
			continue
		}
		req := engine.ScanRequest{Limit: -1}
		for i, c := range n.cols {
			if c != "" {
				req.Columns = append(req.Columns, n.table.cols[i].Name)
			}
		}
		rows, err := n.table.src.Scan(ctx, req)
		for err == nil {
			_, err = rows.Next(ctx)
		}
		if rows != nil {
			_ = rows.Close()
		}
		if !errors.Is(err, io.EOF) {
			return engine.SourceError(n.table.name, err)
		}
	}
	return nil
}

func (s *statement) closeNatives() {
	for _, n := range s.natives {
		if n != nil {
			n.close()
		}
	}
	s.natives = map[*engine.Relation]*native{}
}
