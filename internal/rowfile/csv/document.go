package csv

import (
	"context"
	"errors"
	"io"
	"os"
)

// Record is a record of a document.
type Record struct {
	Fields []Field
	Line   int64 // where it began, counted from 1; of a document that has no lines, the number of its row
	Broken bool  // it is not UTF-8
}

// Last is the record that was read last.
func (r *Record) Last() *Record { return r }

// Records are the records of a document, which are read once.
type Records interface {
	// Read reads the next record, and returns io.EOF after the last. After an *Error the rest cannot be parsed.
	Read() error
	// Last is the record that was read last, valid until the next is read. Each call returns the same pointer.
	Last() *Record
	Close() error
}

// Source are records that are read as often as needed.
type Source interface {
	// Records begins to read the records, that of the header among them, until ctx ends.
	Records(ctx context.Context) (Records, error)
}

// Document is a document to import.
type Document interface {
	Source
	// Size is its size in bytes, as it is stored.
	Size() int64
	// Native returns a file that an engine may read by itself, nil for none.
	Native() *Native
	// Parts divides the records after the header into parts of about a number of rows, in their order, if each can be
	// read beside the others; else it returns nil. An error that a part has may differ from that of the document.
	Parts(rows int64) []Part
}

// Part is a part of a document.
type Part struct {
	Rows   int64
	Source // without the header
}

// Native is a document of Parquet whose values an engine may read by itself. They are those of the records then.
type Native struct {
	File    *os.File
	Columns []string                // the name of each field in the file, "" for one that only the records have
	Sound   func(fields []int) bool // reports whether the data of fields may be read by an engine at all
	Still   func() error            // returns an error if the file is not as it was, to be called after its last row
}

// Begin reads the records of a document in the form of the service, after its byte order mark.
func Begin(doc io.ReadCloser) (Records, error) {
	r := NewReader(doc, ',', Window)
	if err := r.SkipBOM(); err != nil {
		return nil, errors.Join(err, doc.Close())
	}
	return struct {
		*Reader
		io.Closer
	}{r, doc}, nil
}

// Stored is a document in the form of the service that can be read at any place.
type Stored struct {
	In    io.ReaderAt
	Bytes int64
}

// Size implements Document.
func (s Stored) Size() int64 { return s.Bytes }

// Native implements Document.
func (s Stored) Native() *Native { return nil }

// Parts implements Document.
func (s Stored) Parts(int64) []Part { return nil }

// Records implements Document.
func (s Stored) Records(context.Context) (Records, error) {
	return Begin(io.NopCloser(io.NewSectionReader(s.In, 0, s.Bytes)))
}
