//go:build cgo

package duckdb

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/csv"
)

// target is a column of the table that the document fills.
type target struct {
	col   int // place in the table
	field int // place in a record, once the header is known
	name  string
}

func mappingError(format string, args ...any) error {
	return &engine.ImportError{Message: fmt.Sprintf(format, args...)}
}

// mapTargets checks a mapping against the table. Fields named by the header are found later, by mapHeader.
func mapTargets(t *table, m engine.Import) ([]target, error) {
	if len(m.Mappings) == 0 {
		return nil, mappingError("the import maps no column")
	}
	var out []target
	mapped := map[int]bool{}
	for i, e := range m.Mappings {
		if e.Name == "" {
			return nil, mappingError("mapping %d names no column of the table", i+1)
		}
		k, ok := t.column(e.Name)
		switch {
		case !ok:
			return nil, mappingError("table %q has no column %q%s", t.name, e.Name, didYouMean(e.Name, t.importable()))
		case t.cols[k].System && t.cols[k].Name != textColumn:
			return nil, mappingError("column %q is filled by the system and cannot be imported", t.cols[k].Name)
		case mapped[k]:
			return nil, mappingError("column %q is mapped twice", t.cols[k].Name)
		case e.CSVColumnName == "" && e.CSVColumnIndex == nil:
			return nil, mappingError("the mapping of column %q gives neither csvColumnName nor csvColumnIndex", t.cols[k].Name)
		case e.CSVColumnName != "" && e.CSVColumnIndex != nil:
			return nil, mappingError("the mapping of column %q gives both csvColumnName and csvColumnIndex", t.cols[k].Name)
		case e.CSVColumnName != "" && !m.Header:
			return nil, mappingError("the mapping of column %q names the document's column %q, but containsHeader is false; use csvColumnIndex", t.cols[k].Name, e.CSVColumnName)
		case e.CSVColumnIndex != nil && *e.CSVColumnIndex < 0:
			return nil, mappingError("the mapping of column %q has csvColumnIndex %d; the first column is 0", t.cols[k].Name, *e.CSVColumnIndex)
		}
		mapped[k] = true
		tg := target{col: k, field: -1, name: e.CSVColumnName}
		if e.CSVColumnIndex != nil {
			tg.field = int(min(*e.CSVColumnIndex, 1<<30))
		}
		out = append(out, tg)
	}
	for k, col := range t.cols {
		if !col.System && col.NotNull && col.DefaultValue == nil && !mapped[k] {
			return nil, mappingError("column %q is not null, has no default value and is not mapped", col.Name)
		}
	}
	return out, nil
}

// importable are the columns that a mapping may name.
func (t *table) importable() []string {
	var s []string
	for _, col := range t.cols {
		if !col.System {
			s = append(s, col.Name)
		}
	}
	return s
}

// mapFields finds the fields of the targets in the first record: its header, or how many fields it has.
func mapFields(targets []target, first []csv.Field, header bool) error {
	names := make([]string, len(first))
	for i, f := range first {
		names[i] = string(f.Text)
	}
	for i := range targets {
		tg := &targets[i]
		if tg.name == "" {
			if tg.field >= len(first) {
				return mappingError("csvColumnIndex %d is out of range: the document has %d columns, numbered from 0", tg.field, len(first))
			}
			continue
		}
		tg.field = -1 // the document may be read again
		for k, n := range names {
			if n != tg.name {
				continue
			}
			if tg.field >= 0 {
				return mappingError("the header names column %q twice; use csvColumnIndex", n)
			}
			tg.field = k
		}
		if tg.field < 0 {
			return mappingError("the document has no column %q%s", tg.name, didYouMean(tg.name, names))
		}
	}
	return nil
}

// didYouMean suggests the closest of the names, or lists them when none is close.
func didYouMean(name string, names []string) string {
	if near := nearest.Of(name, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	if len(names) == 0 {
		return ""
	}
	more := ""
	if len(names) > 20 {
		names, more = names[:20], ", ..."
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return "; it has " + strings.Join(quoted, ", ") + more
}
