// Package importer reads a CSV document as rows of an internal table: which field fills which column, what is NULL, and what is wrong.
package importer

import (
	"errors"
	"fmt"
	"io"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
	"github.com/dig-cli/dig/pkg/gateway/engine/csv"
)

// MaxBadCells is how many faults are listed.
const MaxBadCells = 100

// Reader turns the records of a document into rows of a table.
type Reader struct {
	Columns []engine.Column
	Targets []Target
	Header  bool

	csv    *csv.Reader
	width  int      // fields of every record
	names  []string // of the fields, as the header has them
	empty  bool     // no record at all
	queued bool     // the first record is a row and was read
	faults engine.ImportError
}

// Open reads the first record and checks the mapping against it.
func (r *Reader) Open(doc io.ReadSeeker) error {
	if _, err := doc.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r.csv = csv.NewReader(doc, ',', csv.Window)
	err := r.csv.SkipBOM()
	for err == nil { // a blank line is no header
		if err = r.csv.Read(); !r.Header || err != nil || len(r.csv.Fields) != 1 || len(r.csv.Fields[0].Text) > 0 || r.csv.Fields[0].Quoted {
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
	if r.csv.Broken && r.Header {
		return MappingError("the header is not valid UTF-8")
	}
	r.width = len(r.csv.Fields)
	for i, f := range r.csv.Fields {
		if r.Header {
			r.names = append(r.names, string(f.Text))
		} else {
			r.names = append(r.names, fmt.Sprintf("#%d", i))
		}
	}
	r.queued = !r.Header
	return mapFields(r.Targets, r.csv.Fields, r.Header)
}

// FormFault turns a fault of the document's form into an ImportError with what was found before it.
func (r *Reader) FormFault(err error) error {
	var form *csv.Error
	if !errors.As(err, &form) {
		return err
	}
	r.bad(engine.BadCell{Line: form.Line, Reason: form.Reason})
	return r.Fault()
}

// Fault is what was wrong so far, nil for nothing.
func (r *Reader) Fault() error {
	if r.faults.Total == 0 {
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

// BadCell notes a value that does not fit its column.
func (r *Reader) BadCell(column string, f csv.Field, reason string) {
	r.bad(engine.BadCell{Line: r.csv.Line, Column: column, Value: csv.Clip(f.Text, 1000), Reason: reason})
}

// Next reads the next record that is a row. It notes records of a wrong shape and passes over them, and returns io.EOF at the
// end.
func (r *Reader) Next() error {
	for {
		if r.empty {
			return io.EOF
		}
		if r.queued {
			r.queued = false
		} else if err := r.csv.Read(); err != nil {
			return err
		}
		fields := r.csv.Fields
		switch {
		case len(fields) == 1 && r.width > 1 && len(fields[0].Text) == 0 && !fields[0].Quoted:
			// a blank line holds nothing; in a document of one column it is a NULL
		case len(fields) != r.width:
			r.bad(engine.BadCell{Line: r.csv.Line, Reason: fmt.Sprintf("the record has %d fields, the first one has %d", len(fields), r.width)})
		case r.csv.Broken:
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

// Line is where the record began.
func (r *Reader) Line() int64 { return r.csv.Line }

// Field is the field of the record that fills a target. It is good until the next record is read.
func (r *Reader) Field(i int) csv.Field { return r.csv.Fields[i] }

// Null tells a NULL. In a document of one column, where an empty field is a line that many programs leave out, \N is one too:
// results and exports of one column are written so.
func (r *Reader) Null(f csv.Field) bool {
	return !f.Quoted && (len(f.Text) == 0 || r.width == 1 && string(f.Text) == `\N`)
}

// columnOf names the table's column that field i fills, or the field when it fills none.
func (r *Reader) columnOf(i int) string {
	for _, tg := range r.Targets {
		if tg.Field == i {
			return r.Columns[tg.Col].Name
		}
	}
	return csv.Clip([]byte(r.names[i]), 100)
}
