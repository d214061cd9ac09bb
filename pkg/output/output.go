// Package output decides what a result looks like: tables for people, and csv, tsv, json, ndjson, yaml, markdown, html, xlsx
// and parquet for everything else. Results (api.RowReader) stream in bounded memory; ordinary replies are JSON documents.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/dig-cli/dig/pkg/api"
)

// Options say what a result shall look like. The zero value is a table without colours on something that is no terminal.
type Options struct {
	Format   Format   // what FormatOf returns
	NoHeader bool     // table, csv, tsv, html and xlsx without the line of names
	Columns  []string // the columns to show, in order; dotted paths reach into nested replies
	// DefaultColumns are shown of a list or a result when Columns is empty; names that do not exist are left out.
	DefaultColumns []string
	JQ             string // a jq program; strings it yields are printed raw
	Null           string // how NULL is written: csv "" (nothing between the commas), tsv \N, table and others NULL
	Raw            bool   // keep the text of the wire: no numbers from strings, no readable doubles
	Typed          bool   // ask for types; json, ndjson, yaml, xlsx and parquet do so unless Raw
	Color          bool   // ANSI colours
	Terminal       bool   // the destination is a terminal
	Width, Height  int    // of the terminal, in cells; 0 is 80 and 24
	Vertical       bool   // one line per value
	// Types tells the declared types of the columns of a result that came without; csv and tsv ask when a value looks like a double, at
	// most once. Nil, or a list of another length: they cannot be told, and such values stay as they are.
	Types func() []string
	// MaxRows limits what a table shows: 0 shows 40 rows on a terminal and all elsewhere, negative shows all.
	MaxRows int64
	ShowAll string    // the flag that shows all rows, named in the footer of a table that does not
	Notes   io.Writer // footers and remarks go here, usually stderr; nil drops them

	Elapsed func() time.Duration // named in the footer of a table on a terminal; nil names none

	profile    string        // the rows describe columns, and this stands in the footer in place of their number
	sampleWait time.Duration // how long a table waits for its sample after the first row; 0 is the usual
}

// Stats tell what WriteRows did.
type Stats struct {
	Rows  int64 // rows read from the source
	Shown int64 // rows written; less than Rows where a table shows both ends only
	Bytes int64 // bytes handed to the writer, 0 where the format cannot tell
}

// format is the name of the format in force.
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

// typed reports whether strings of the wire become numbers and booleans by declared type.
func (o Options) typed() bool { return !o.Raw }

func (o Options) note(format string, args ...any) {
	if o.Notes != nil {
		fmt.Fprintf(o.Notes, format+"\n", args...)
	}
}

// WriteRows writes a result as it arrives, and closes nothing. An error of the source is returned as it is, after the rows
// that came before it; a json array then lacks its closing bracket, so that no reader takes it for complete.
//
// A json document is an array of objects, one per row. JQ sees the whole array under json, which therefore must fit in
// memory, and one row at a time under ndjson.
func WriteRows(w io.Writer, rows api.RowReader, o Options) (Stats, error) {
	if err := Check(o); err != nil {
		return Stats{}, err
	}
	cols, err := columnsOf(rows, o)
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

func writeRows(w io.Writer, rows api.RowReader, cols []column, o Options) (Stats, error) {
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

// WriteDoc writes an ordinary reply. json is the server's own bytes, indented on a terminal; the other formats are views: an
// array of objects becomes one row per element, an object key and value lines (one row in csv, tsv, markdown and html).
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
