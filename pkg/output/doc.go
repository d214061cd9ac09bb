package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
)

type member struct {
	key   string
	value json.RawMessage
}

// members splits an object, preserving the order of its keys.
func members(doc []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(doc))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var ms []member
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("not an object: %v", t)
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, err
		}
		ms = append(ms, member{key, v})
	}
	_, err := dec.Token()
	return ms, err
}

// elements splits an array.
func elements(doc []byte) ([]json.RawMessage, error) {
	var items []json.RawMessage
	err := json.Unmarshal(doc, &items)
	return items, err
}

func nested(v []byte) bool { return len(v) > 0 && (v[0] == '{' || v[0] == '[') }

func writeDoc(w io.Writer, doc json.RawMessage, o Options) error {
	doc = bytes.TrimSpace(doc)
	if len(doc) == 0 {
		return nil // an answer without a body
	}
	if !json.Valid(doc) {
		var v any
		return fmt.Errorf("the reply is not valid json: %w", json.Unmarshal(doc, &v))
	}
	if o.JQ != "" {
		return docJQ(w, doc, o)
	}
	switch f := o.format(); {
	case len(o.Columns) > 0: // a projection, also of json
	case f == JSON:
		if o.Terminal {
			doc = indented(doc)
		}
		if o.Color {
			doc = colorJSON(doc)
		} else if o.Terminal {
			doc = term.SanitizeText(nil, doc)
		}
		return writeAll(w, append(bytes.Clone(doc), '\n'))
	case f == NDJSON:
		return docLines(w, doc)
	case f == YAML:
		n, err := yamlValue(doc, false)
		if err != nil {
			return err
		}
		b, err := appendYAML(nil, n)
		if err != nil {
			return err
		}
		return writeAll(w, b)
	}
	return docView(w, doc, o)
}

func docJQ(w io.Writer, doc []byte, o Options) error {
	code, err := compileJQ(o.JQ)
	if err != nil {
		return err
	}
	v, err := decodeExact(doc)
	if err != nil {
		return err
	}
	items, list := v.([]any)
	if o.format() != NDJSON || !list {
		return runJQ(w, code, v, o.Terminal && o.format() == JSON)
	}
	for _, item := range items {
		if err := runJQ(w, code, item, false); err != nil {
			return err
		}
	}
	return nil
}

func docLines(w io.Writer, doc []byte) error {
	items := []json.RawMessage{doc}
	if doc[0] == '[' {
		var err error
		if items, err = elements(doc); err != nil {
			return err
		}
	}
	var out []byte
	for _, item := range items {
		var err error
		if out, err = cell.AppendCompact(out, api.Cell(item)); err != nil {
			return err
		}
		out = append(out, '\n')
	}
	return writeAll(w, out)
}

// docView shows a document through its rows.
func docView(w io.Writer, doc []byte, o Options) error {
	if !nested(doc) {
		return docScalar(w, doc, o)
	}
	list, left := doc[0] == '[', 0
	fields := o.fieldsFor(list)
	if o.Fields = nil; len(fields) > 0 {
		some, more, err := withFields(doc, list, fields, o)
		if err != nil {
			return err
		}
		if some != nil {
			doc, left, o.Fields, o.DefaultColumns = some, more, fields, nil
		}
		for i := range o.Fields {
			o.DefaultColumns = append(o.DefaultColumns, fields[i].heading())
		}
	}
	if list && o.Bare && o.format() == Table {
		o.Format, o.NoHeader, o.bare = TSV, true, true
	}
	v, err := newView(doc, list, o)
	if err != nil {
		return err
	}
	cols, err := cell.ColumnsOf(v, nil, nil)
	if err != nil {
		return err
	}
	switch f := o.format(); {
	case f == Table && (!list || o.Vertical):
		if err := docRecords(w, v, cols, list, o); err != nil || left == 0 || !o.Terminal {
			return err
		}
		o.note("(%s; -o yaml shows all)", cell.Counted(int64(left), "more field"))
		return nil
	case f == Table:
		return docList(w, v, cols, o)
	case f == XLSX:
		_, err = writeXLSX(w, v, cols, o)
	case f == Parquet:
		_, err = writeParquet(w, v, cols, o)
	case f == JSON && !list:
		v.Next()
		b, err := appendObject(nil, 1, cols, v.Row(), false)
		if err != nil {
			return err
		}
		if o.Terminal {
			b = indented(b)
		}
		return writeAll(w, append(b, '\n'))
	default:
		_, err = writeStream(w, v, cols, newRowFormat(cols, o), o)
	}
	return err
}

func docScalar(w io.Writer, doc []byte, o Options) error {
	if len(o.Columns) > 0 {
		return cell.Usagef("", "the reply is a single value and has no columns")
	}
	text, err := cell.AppendText(nil, doc)
	if err != nil {
		return err
	}
	if o.format() == Table {
		text = term.SanitizeText(nil, text)
	}
	return writeAll(w, append(text, '\n'))
}

// view is a document as rows: one per element of an array, or a single one for an object.
type view struct {
	cols []api.ResultColumn
	rows []json.RawMessage
	at   int
	row  []api.Cell
	err  error
}

func newView(doc []byte, list bool, o Options) (*view, error) {
	v := &view{rows: []json.RawMessage{doc}}
	if list {
		var err error
		if v.rows, err = elements(doc); err != nil {
			return nil, err
		}
	}
	names, err := v.names(list, o)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		v.cols = append(v.cols, api.ResultColumn{Name: n})
	}
	v.row = make([]api.Cell, len(names))
	return v, nil
}

// names selects the columns of the view.
func (v *view) names(list bool, o Options) ([]string, error) {
	if len(o.Columns) == 0 && list && len(o.DefaultColumns) > 0 {
		return o.DefaultColumns, nil
	}
	paths, err := v.paths(!list)
	if err != nil || len(o.Columns) == 0 {
		return paths, err
	}
	if len(v.rows) == 0 {
		return o.Columns, nil
	}
	all, err := v.paths(true)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(o.Columns))
	for _, want := range o.Columns {
		if i := cell.Find(want, all); i >= 0 {
			names = append(names, all[i])
			continue
		}
		known := false
		for _, row := range v.rows {
			if _, ok := lookup(row, want); ok {
				known = true
				break
			}
		}
		if !known {
			return nil, cell.UnknownColumn(want, all)
		}
		names = append(names, want)
	}
	return names, nil
}

// paths collects the keys of all rows in order of appearance: those with plain values, or if deep also those of nested
// objects with dotted names. Arrays count as values if deep. Rows that are not objects have the column "value".
func (v *view) paths(deep bool) ([]string, error) {
	var paths, objects []string
	seen := map[string]bool{}
	add := func(list *[]string, p string) {
		if !seen[p] {
			seen[p] = true
			*list = append(*list, p)
		}
	}
	var walk func(prefix string, doc []byte) error
	walk = func(prefix string, doc []byte) error {
		ms, err := members(doc)
		if err != nil {
			return err
		}
		for _, m := range ms {
			p := prefix + m.key
			switch {
			case !nested(m.value) || deep &&
				(m.value[0] == '[' || len(bytes.TrimSpace(m.value[1:len(m.value)-1])) == 0):
				add(&paths, p)
			case deep:
				if err := walk(p+".", m.value); err != nil {
					return err
				}
			default:
				add(&objects, p)
			}
		}
		return nil
	}
	for _, row := range v.rows {
		if row[0] != '{' {
			add(&paths, "value")
		} else if err := walk("", row); err != nil {
			return nil, err
		}
	}
	if len(paths) == 0 {
		return objects, nil
	}
	return paths, nil
}

func (v *view) Columns() ([]api.ResultColumn, error) { return v.cols, nil }

func (v *view) Next() bool {
	if v.err != nil || v.at >= len(v.rows) {
		return false
	}
	row := v.rows[v.at]
	v.at++
	for i, c := range v.cols {
		value, _ := lookup(row, c.Name)
		v.row[i] = api.Cell(value)
	}
	return true
}

func (v *view) Row() []api.Cell { return v.row }
func (v *view) Err() error      { return v.err }
func (v *view) Close() error    { return nil }

// lookup follows a dotted path; a key that contains dots takes precedence, and a number selects an element of an array.
func lookup(doc []byte, path string) (json.RawMessage, bool) {
	if len(doc) == 0 {
		return nil, false
	}
	switch doc[0] {
	case '{':
		ms, err := members(doc)
		if err != nil {
			return nil, false
		}
		for _, m := range ms {
			if m.key == path {
				return m.value, true
			}
		}
		for _, m := range ms {
			if rest, ok := strings.CutPrefix(path, m.key+"."); ok {
				if v, ok := lookup(m.value, rest); ok {
					return v, true
				}
			}
		}
	case '[':
		head, rest, more := strings.Cut(path, ".")
		items, err := elements(doc)
		i, bad := strconv.Atoi(head)
		if err != nil || bad != nil || i < 0 || i >= len(items) {
			return nil, false
		}
		if !more {
			return items[i], true
		}
		return lookup(items[i], rest)
	default:
		return doc, path == "value"
	}
	return nil, false
}

func writeAll(w io.Writer, b []byte) error {
	_, err := w.Write(b)
	return err
}
