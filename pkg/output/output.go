// Package output formats results: tables for people, and csv, tsv, json, ndjson, yaml, markdown, html, xlsx and parquet
// for everything else. Results (api.RowReader) stream in bounded memory; ordinary replies are JSON documents.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
)

// Options configure the output of a result. The zero value is a table without colours, not on a terminal.
type Options struct {
	Format   Format   // a result of FormatOf
	NoHeader bool     // table, csv, tsv, html and xlsx without the header
	Columns  []string // the columns to show, in order; dotted paths select nested members of replies
	// DefaultColumns are the columns of a list or a result if Columns is empty; unknown names are ignored.
	DefaultColumns []string
	// Fields are the members of a reply that a table or a bare list shows if Columns is empty; without Fields all are
	// shown as sent.
	Fields []Field
	// a list as lines of values with tabs between them, without a header; records and results are not changed
	Bare          bool
	Now           func() time.Time
	JQ            string // a jq program; its string results are printed raw
	Null          string // representation of NULL: csv "" (nothing between the commas), tsv \N, table and others NULL
	Raw           bool   // values as sent: no numbers from strings, no readable doubles
	Typed         bool   // convert by type; json, ndjson, yaml, xlsx and parquet do so unless Raw
	Color         bool   // ANSI colours
	Terminal      bool   // the destination is a terminal
	Width, Height int    // of the terminal, in cells; 0 means 80 and 24
	Vertical      bool   // one line per value
	VerticalUnfit bool   // the same if the columns do not fit
	ShowTypes     bool   // a table has the types of its columns under the header
	// Types fetches the declared types of the columns of a result that has none; csv and tsv call it if a value looks
	// like a double, at most once. If it is nil, or the list has another length, such values are not changed.
	Types func() []string
	// MaxRows limits the rows of a table: 0 shows 40 rows on a terminal and all elsewhere, negative shows all.
	MaxRows int64
	// FitHeight reduces the number of rows of a limited table on a low terminal, so that its heading stays on the
	// screen.
	FitHeight bool
	ShowAll   string    // the flag that shows all rows, named in the footer of a limited table
	ShowRest  string    // what the footer names for showing the columns that do not fit; "" for the flags
	ShowFull  string    // what the footer names for showing values that are cut; "" for the flag
	Notes     io.Writer // footers and notes are written here, usually stderr; nil drops them

	Elapsed func() time.Duration // the time that the footer of a table on a terminal reports; nil for none

	profile    string        // replaces the number of rows in the footer if the rows describe columns
	bare       bool          // Bare is in effect: NULL is written as Null, even if that is empty
	sampleWait time.Duration // how long a table waits for its sample after the first row; 0 for the default
}

// Stats describe a call of WriteRows.
type Stats struct {
	Rows  int64 // rows read from the source
	Shown int64 // rows written; less than Rows if a table shows both ends only
	Bytes int64 // bytes written, 0 if the format does not count them
}

// format returns the name of the effective format.
func (o Options) format() Format {
	switch {
	case o.Format != "":
		return FormatOf(string(o.Format))
	case o.JQ != "":
		return JSON
	}
	return Table
}

func (o Options) width() int {
	if o.Width > 0 {
		return o.Width
	}
	return 80
}

func (o Options) height() int {
	if o.Height > 0 {
		return o.Height
	}
	return 24
}

// typed reports whether JSON strings are converted to numbers and booleans by declared type.
func (o Options) typed() bool { return !o.Raw }

func (o Options) note(format string, args ...any) {
	if o.Notes != nil {
		fmt.Fprintf(o.Notes, format+"\n", args...)
	}
}

// WriteRows writes a result as it arrives, and does not close it. An error of the source is returned unchanged, after
// the rows before it; a json array then lacks its closing bracket, so that no reader accepts it as complete.
//
// A json document is an array of objects, one per row. JQ gets the whole array under json, which therefore must fit in
// memory, and one row at a time under ndjson.
func WriteRows(w io.Writer, rows api.RowReader, o Options) (Stats, error) {
	if err := Check(o); err != nil {
		return Stats{}, err
	}
	cols, err := cell.ColumnsOf(rows, o.Columns, o.DefaultColumns)
	if err != nil {
		return Stats{}, err
	}
	w, flush := screened(w, o)
	st, err := writeRows(w, rows, cols, o)
	if flushed := flush(); err == nil {
		err = flushed
	}
	return st, err
}

func writeRows(w io.Writer, rows api.RowReader, cols []cell.Column, o Options) (Stats, error) {
	if o.JQ != "" {
		return writeRowsJQ(w, rows, cols, o)
	}
	switch o.format() {
	case Table:
		return writeTable(w, rows, cols, o)
	case XLSX:
		return writeXLSX(w, rows, cols, o)
	case Parquet:
		return writeParquet(w, rows, cols, o)
	}
	return writeStream(w, rows, cols, newRowFormat(cols, o), o)
}

// WriteProfile writes the rows that describe the columns of a result, of which read rows were read. Stats.Rows is read.
func WriteProfile(w io.Writer, profile api.RowReader, read int64, o Options) (Stats, error) {
	o.Columns, o.DefaultColumns, o.MaxRows = nil, nil, 0
	if o.format() == Table {
		o.MaxRows = -1
	}
	o.profile = cell.Counted(read, "row") + " profiled"
	st, err := WriteRows(w, profile, o)
	st.Rows = read
	if err == nil && o.Terminal && o.format() != Table {
		o.note("(%s)", o.profile)
	}
	return st, err
}

// WriteDoc writes an ordinary reply. json is the server's own bytes, indented on a terminal; the other formats are
// views: an array of objects becomes one row per element, an object key and value lines (one row in csv, tsv, markdown
// and html).
func WriteDoc(w io.Writer, doc json.RawMessage, o Options) error {
	if err := Check(o); err != nil {
		return err
	}
	if o.format() == JSON && o.JQ == "" && len(o.Columns) == 0 { // it has colours
		return writeDoc(w, doc, o)
	}
	w, flush := screened(w, o)
	err := writeDoc(w, doc, o)
	if flushed := flush(); err == nil {
		err = flushed
	}
	return err
}

// screened wraps a terminal in a term.Screen for the formats that write values unchanged. A table sanitizes its values
// itself, and also uses colours.
func screened(w io.Writer, o Options) (io.Writer, func() error) {
	if !o.Terminal || o.format() == Table && o.JQ == "" {
		return w, func() error { return nil }
	}
	s := term.NewScreen(w)
	return s, s.Flush
}
