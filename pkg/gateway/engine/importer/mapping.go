package importer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
)

// Target is a column of the table that the import fills.
type Target struct {
	Col   int // index in the table
	Field int // index in a record, known after the header
	name  string
}

// MappingError returns an ImportError about the document as a whole.
func MappingError(format string, args ...any) error {
	return &engine.ImportError{Message: fmt.Sprintf(format, args...)}
}

// Map checks a mapping against the columns of a table. Header names are resolved when the document is opened.
func Map(table string, cols []engine.Column, m engine.Import) ([]Target, error) {
	if len(m.Mappings) == 0 {
		return nil, MappingError("the import maps no column")
	}
	var out []Target
	mapped := map[int]bool{}
	for i, e := range m.Mappings {
		if e.Name == "" {
			return nil, MappingError("mapping %d names no column of the table", i+1)
		}
		k := tabledef.Column(cols, e.Name)
		switch {
		case k < 0:
			return nil, MappingError("table %q has no column %q%s", table, e.Name, didYouMean(e.Name, importable(cols)))
		case cols[k].System && cols[k].Name != tabledef.TextColumn:
			return nil, MappingError("column %q is filled by the system and cannot be imported", cols[k].Name)
		case mapped[k]:
			return nil, MappingError("column %q is mapped twice", cols[k].Name)
		case e.CSVColumnName == "" && e.CSVColumnIndex == nil:
			return nil, MappingError("the mapping of column %q gives neither csvColumnName nor csvColumnIndex",
				cols[k].Name)
		case e.CSVColumnName != "" && e.CSVColumnIndex != nil:
			return nil, MappingError("the mapping of column %q gives both csvColumnName and csvColumnIndex",
				cols[k].Name)
		case e.CSVColumnName != "" && !m.Header:
			return nil, MappingError("the mapping of column %q names the document's column %q, but containsHeader is "+
				"false; use csvColumnIndex", cols[k].Name, e.CSVColumnName)
		case e.CSVColumnIndex != nil && *e.CSVColumnIndex < 0:
			return nil, MappingError("the mapping of column %q has csvColumnIndex %d; the first column is 0",
				cols[k].Name, *e.CSVColumnIndex)
		}
		mapped[k] = true
		tg := Target{Col: k, Field: -1, name: e.CSVColumnName}
		if e.CSVColumnIndex != nil {
			tg.Field = int(min(*e.CSVColumnIndex, 1<<30))
		}
		out = append(out, tg)
	}
	for k, col := range cols {
		if !col.System && col.NotNull && col.DefaultValue == nil && !mapped[k] {
			return nil, MappingError("column %q is not null, has no default value and is not mapped", col.Name)
		}
	}
	return out, checkMode(table, cols, mapped, m.ImportMode)
}

// checkMode rejects a mode that cannot be carried out. mapped are the columns that the document fills.
func checkMode(table string, cols []engine.Column, mapped map[int]bool, m api.ImportMode) error {
	upsert := m.Mode == api.ImportUpsert
	switch {
	case !upsert && !m.Appends() && m.Mode != api.ImportReplace:
		return MappingError("the mode %q of an import is not one of %s, %s, %s", m.Mode, api.ImportAppend,
			api.ImportReplace, api.ImportUpsert)
	case !upsert && (len(m.Key) > 0 || m.DeleteMissing):
		return MappingError("only the mode %s has a key and deletes missing rows", api.ImportUpsert)
	case upsert && len(m.Key) == 0:
		return MappingError("the mode %s requires a key", api.ImportUpsert)
	}
	for i, name := range m.Key {
		k := tabledef.Column(cols, name)
		switch {
		case k < 0:
			return MappingError("table %q has no column %q, which the key names%s", table, name,
				didYouMean(name, importable(cols)))
		case !mapped[k]:
			return MappingError("the column %q of the key is not mapped", cols[k].Name)
		case slices.ContainsFunc(m.Key[:i], func(n string) bool { return tabledef.Column(cols, n) == k }):
			return MappingError("the key names the column %q twice", cols[k].Name)
		}
	}
	return nil
}

// importable are the columns that a mapping may refer to.
func importable(cols []engine.Column) []string {
	var s []string
	for _, col := range cols {
		if !col.System {
			s = append(s, col.Name)
		}
	}
	return s
}

// mapFields finds the fields of the targets in the first record: by the names of its header, or by the number of its
// fields.
func mapFields(targets []Target, first []csv.Field, header bool) error {
	names := make([]string, len(first))
	for i, f := range first {
		names[i] = string(f.Text)
	}
	for i := range targets {
		tg := &targets[i]
		if tg.name == "" {
			if tg.Field >= len(first) {
				return MappingError("csvColumnIndex %d is out of range: the document has %d columns, numbered from 0",
					tg.Field, len(first))
			}
			continue
		}
		tg.Field = -1 // the document may be read again
		for k, n := range names {
			if n != tg.name {
				continue
			}
			if tg.Field >= 0 {
				return MappingError("the header names column %q twice; use csvColumnIndex", n)
			}
			tg.Field = k
		}
		if tg.Field < 0 {
			return MappingError("the document has no column %q%s", tg.name, didYouMean(tg.name, names))
		}
	}
	return nil
}

// didYouMean suggests the closest of the names, or lists them if none is close.
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
