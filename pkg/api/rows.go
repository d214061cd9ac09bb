package api

import (
	"errors"
	"fmt"
	"io"
)

// Format is the shape in which the gateway writes the rows of a result.
type Format string

// The three shapes of [S] "Execute query".
const (
	CellTyped Format = "CELL_TYPED" // a row is an array of {name, displayName, dataType, order, value}
	Simple    Format = "SIMPLE"     // a row is an object keyed by column name; duplicate names are lost
	Compact   Format = "COMPACT"    // a row is an array of values in column order
)

// ResultColumn describes one column of a result. The first five fields come from the reply's "columns" (catalogId may be
// absent); DisplayName and DataType are known only for CELL_TYPED, or where the gateway adds dataType to "columns".
type ResultColumn struct {
	CatalogID   string `json:"catalogId,omitempty"`
	CatalogName string `json:"catalogName"`
	SchemaName  string `json:"schemaName"`
	TableName   string `json:"tableName"`
	Name        string `json:"columnName"`
	DisplayName string `json:"displayName,omitempty"`
	DataType    string `json:"dataType,omitempty"` // lower-case Trino name, for example bigint, varchar, decimal(10,2)
}

// Cell is one value as it stood on the wire: a complete JSON token, `null`, `"text"`, `12`, `true`, `{"a":1}`.
// It aliases the decoder's window and is valid until the next call of Next.
type Cell []byte

// ErrTruncated is wrapped by the error of a result whose document ended before its end.
var ErrTruncated = errors.New("the result was cut short")

// ErrNotResult is wrapped by the error of a reply that is none to a query: a web page, or the object of something else.
var ErrNotResult = errors.New("not a result")

// RowsError says where in a result the document stopped being readable.
type RowsError struct {
	Rows   int64 // complete rows read before the fault
	Offset int64 // byte offset of the fault in the document
	Err    error // ErrTruncated, a syntax error or the transport's error
}

func (e *RowsError) Error() string {
	var reply *ReplyError
	switch {
	case e.Rows == 0 && errors.As(e.Err, &reply):
		return e.Err.Error() // nothing was read, so the place tells nothing
	case e.Rows == 1:
		return fmt.Sprintf("%v after 1 row (byte %d)", e.Err, e.Offset)
	default:
		return fmt.Sprintf("%v after %d rows (byte %d)", e.Err, e.Rows, e.Offset)
	}
}

func (e *RowsError) Unwrap() error { return e.Err }

// RowReader yields a result row by row in bounded memory. Rows implements it over the wire; other sources (a stored result,
// a merged batch) implement it too.
type RowReader interface {
	// Columns reads as far as needed to know the columns. A result without rows may have none.
	Columns() ([]ResultColumn, error)
	// Next advances to the next row and reports whether there is one.
	Next() bool
	// Row holds the cells of the current row, in column order, valid until the next call of Next.
	Row() []Cell
	// Err is nil after a complete result, and says what is wrong otherwise. Check it when Next has answered false.
	Err() error
	// Close releases the source; closing early tells the gateway to stop.
	Close() error
}

var _ io.Closer = RowReader(nil)
