package api

import (
	"errors"
	"fmt"
	"io"
)

// Format is the wire format of the rows of a result.
type Format string

// The three formats of [S] "Execute query".
const (
	CellTyped Format = "CELL_TYPED" // a row is an array of {name, displayName, dataType, order, value}
	Simple    Format = "SIMPLE"     // a row is an object keyed by column name; duplicate names are lost
	Compact   Format = "COMPACT"    // a row is an array of values in column order
)

// ResultColumn describes one column of a result. The first five fields come from the reply's "columns" (catalogId may
// be absent); DisplayName and DataType are known only for CELL_TYPED, or where the gateway adds dataType to "columns".
type ResultColumn struct {
	CatalogID   string `json:"catalogId,omitempty"`
	CatalogName string `json:"catalogName"`
	SchemaName  string `json:"schemaName"`
	TableName   string `json:"tableName"`
	Name        string `json:"columnName"`
	DisplayName string `json:"displayName,omitempty"`
	DataType    string `json:"dataType,omitempty"` // lower-case Trino name, for example bigint, varchar, decimal(10,2)
}

// Cell is one value as sent: a complete JSON token, `null`, `"text"`, `12`, `true`, `{"a":1}`. It aliases the decoder's
// window and is valid until the next call of Next.
type Cell []byte

// ErrTruncated is wrapped by the error of a result with a truncated document.
var ErrTruncated = errors.New("the result was truncated")

// ErrNotResult is wrapped by the error of a reply that is not a query result: a web page, or another object.
var ErrNotResult = errors.New("not a result")

// RowsError gives the position in a result at which the document became unreadable.
type RowsError struct {
	Rows   int64 // complete rows read before the error
	Offset int64 // byte offset of the error in the document
	Err    error // ErrTruncated, a syntax error or the transport's error
}

func (e *RowsError) Error() string {
	var reply *ReplyError
	switch {
	case e.Rows == 0 && errors.As(e.Err, &reply):
		return e.Err.Error() // nothing was read, so the position is meaningless
	case e.Rows == 1:
		return fmt.Sprintf("%v after 1 row (byte %d)", e.Err, e.Offset)
	default:
		return fmt.Sprintf("%v after %d rows (byte %d)", e.Err, e.Rows, e.Offset)
	}
}

func (e *RowsError) Unwrap() error { return e.Err }

// RowReader yields a result row by row in bounded memory. Rows implements it for the wire formats; other sources (a
// stored result, a merged batch) implement it too.
type RowReader interface {
	// Columns reads as far as needed to determine the columns. A result without rows may have none.
	Columns() ([]ResultColumn, error)
	// Next advances to the next row and reports whether there is one.
	Next() bool
	// Row returns the cells of the current row, in column order, valid until the next call of Next.
	Row() []Cell
	// Err returns nil after a complete result, and the error otherwise. Check it after Next has returned false.
	Err() error
	// Close releases the source; closing early tells the gateway to stop.
	Close() error
}

var _ io.Closer = RowReader(nil)
