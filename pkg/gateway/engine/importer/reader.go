// Package importer parses a CSV document into rows of an internal table, and determines which field fills which column,
// what is NULL, and what is invalid.
package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
)

// MaxBadCells is the maximum number of errors that are listed.
const MaxBadCells = 100

// Reader converts the records of a document to rows of a table.
type Reader struct {
	Columns []engine.Column
	Targets []Target
	Header  bool
	Key     []string // columns that must not be NULL

	in     csv.Records
	record *csv.Record // the last one that was read
	width  int         // number of fields of every record
	names  []string    // names of the fields in the header
	empty  bool        // no records
	queued bool        // the first record is a row and has been read
	faults engine.ImportError
	wider  map[string]string // the types of columns that an import may widen, with all values so far
}

// WiderError is the error of a document without faults whose values need decimals with more digits than its columns
// have: the document must be read again, into columns of these types.
type WiderError struct{ Types map[string]string }

func (*WiderError) Error() string { return "columns must have more digits" }

// With opens a document, calls fn, which reads it, and closes it.
func (r *Reader) With(ctx context.Context, doc csv.Source, fn func() error) error {
	err := r.Open(ctx, doc)
	if err == nil {
		err = fn()
	}
	return errors.Join(err, r.Close())
}

// Close closes the document.
func (r *Reader) Close() error {
	if r.in == nil {
		return nil
	}
	return r.in.Close()
}

// Open opens a document, and checks the mapping against its first record. Close it also after an error.
func (r *Reader) Open(ctx context.Context, doc csv.Source) (err error) {
	if r.in, err = doc.Records(ctx); err == nil {
		r.record = r.in.Last()
	}
	for err == nil { // a blank line is not a header
		if err = r.in.Read(); !r.Header || err != nil || !r.record.Blank() {
			break
		}
	}
	if err == io.EOF {
		r.empty = true
		return nil
	}
	if err != nil {
		return r.FormFault(err)
	}
	if r.record.Broken && r.Header {
		return MappingError("the header is not valid UTF-8")
	}
	r.width = len(r.record.Fields)
	for i, f := range r.record.Fields {
		if r.Header {
			r.names = append(r.names, string(f.Text))
		} else {
			r.names = append(r.names, fmt.Sprintf("#%d", i))
		}
	}
	r.queued = !r.Header
	return mapFields(r.Targets, r.record.Fields, r.Header)
}

// OfPart returns a reader of a part of a document whose mapping With has checked.
func (r *Reader) OfPart() *Reader {
	p := &Reader{Columns: r.Columns, Targets: slices.Clone(r.Targets), Key: r.Key}
	for i := range p.Targets {
		p.Targets[i].name = ""
	}
	return p
}

// FormFault converts an error of the document's format to an ImportError with the errors found before it.
func (r *Reader) FormFault(err error) error {
	var form *csv.Error
	if !errors.As(err, &form) {
		return err
	}
	r.bad(engine.BadCell{Line: form.Line, Reason: form.Reason})
	return r.Fault()
}

// Fault returns the errors so far, nil for none; a *WiderError if there are no others.
func (r *Reader) Fault() error {
	switch {
	case r.faults.Total == 0 && len(r.wider) > 0:
		return &WiderError{r.wider}
	case r.faults.Total == 0:
		return nil
	}
	e := r.faults
	return &e
}

func (r *Reader) bad(b engine.BadCell) {
	r.faults.Total++
	if len(r.faults.Cells) < MaxBadCells {
		r.faults.Cells = append(r.faults.Cells, b)
	}
}

// Misfit records a value that its column cannot have, or a type that could, if an import may change the column.
func (r *Reader) Misfit(col *engine.Column, f csv.Field, fault cells.Fault) {
	if col.Widens && fault.Digits() {
		has := cmp.Or(r.wider[col.Name], col.Type)
		if wider, ok := api.WidenDecimal(has, string(f.Text)); ok {
			if r.wider == nil {
				r.wider = map[string]string{}
			}
			r.wider[col.Name] = wider
			return
		}
	}
	r.BadCell(col.Name, f, fault.Reason(col.Type, string(f.Text)))
}

// NoValue records a NULL in a column that cannot have it.
func (r *Reader) NoValue(col *engine.Column, f csv.Field) {
	if InKey(r.Key, col.Name) {
		r.BadCell(col.Name, f, fmt.Sprintf(`null value in column "%s", which is part of the key`, col.Name))
	} else if col.NotNull {
		r.BadCell(col.Name, f, fmt.Sprintf(`null value in column "%s" violates not-null constraint`, col.Name))
	}
}

// BadCell records a value that does not fit its column.
func (r *Reader) BadCell(column string, f csv.Field, reason string) {
	r.bad(engine.BadCell{Line: r.record.Line, Column: column, Value: csv.Clip(f.Text, 1000), Reason: reason})
}

// Next reads the next record that is a row. It records malformed records and skips them, and returns io.EOF at the end.
func (r *Reader) Next() error {
	for {
		if r.empty {
			return io.EOF
		}
		if r.queued {
			r.queued = false
		} else if err := r.in.Read(); err != nil {
			return err
		}
		fields := r.record.Fields
		switch {
		case len(fields) == 1 && r.width > 1 && len(fields[0].Text) == 0 && !fields[0].Quoted:
			// a blank line is empty; in a document of one column it is a NULL
		case len(fields) != r.width:
			r.bad(engine.BadCell{Line: r.record.Line,
				Reason: fmt.Sprintf("the record has %d fields, the first one has %d", len(fields), r.width)})
		case r.record.Broken:
			for i, f := range fields {
				if fault := cells.CheckText(f.Text); fault != cells.None {
					r.BadCell(r.columnOf(i), f, fault.Reason("varchar", ""))
				}
			}
		default:
			return nil
		}
	}
}

// Line is the line at which the record starts.
func (r *Reader) Line() int64 { return r.record.Line }

// Field returns the field of the record for a target. It is valid until the next record is read.
func (r *Reader) Field(i int) csv.Field { return r.record.Fields[i] }

// Null reports whether a field is NULL. In a document of one column, where an empty field is a blank line that many
// programs skip, \N is also NULL: results and exports of one column are written this way.
func (r *Reader) Null(f csv.Field) bool {
	return f.Null(r.width)
}

// columnOf is the name of the column that field i fills, or of the field if it fills none.
func (r *Reader) columnOf(i int) string {
	for _, tg := range r.Targets {
		if tg.Field == i {
			return r.Columns[tg.Col].Name
		}
	}
	return csv.Clip([]byte(r.names[i]), 100)
}
