// Package engine is the contract between the local gateway and whatever runs SQL and keeps rows. DuckDB implements it in the
// subpackage duckdb; a distributed engine can take its place by passing the contract suite.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
)

// Engine owns the data files of all projects below one directory.
type Engine interface {
	// Project opens the data of one project, making it on first use. It takes the project's file lock and waits for another
	// process at most Options.LockWait. Opening twice returns the same Project.
	Project(ctx context.Context, id string) (Project, error)
	// DropProject closes and removes all data of a project. Statements that run end with ErrDropped, and so does every later use
	// of the project, by its id too.
	DropProject(ctx context.Context, id string) error
	Close() error
}

// Names of the schemas of the internal catalog, as users write them in SQL: "peaka"."table"."x" and so on [O].
const (
	InternalCatalog = "peaka"
	SchemaTable     = "table"
	SchemaBI        = "bitable"
	SchemaQuery     = "query"
	SchemaMtQuery   = "mtquery"
	SampleCatalog   = "sample" // built-in, generated
)

// TableName is a three-part name, without quotes.
type TableName struct{ Catalog, Schema, Table string }

func (n TableName) String() string { return n.Catalog + "." + n.Schema + "." + n.Table }

// Quoted is the name as a statement writes it.
func (n TableName) Quoted() string { return sqltext.Quote(n.Catalog, n.Schema, n.Table) }

// Project runs SQL over, and stores, the rows of one project. All methods are safe for concurrent use.
type Project interface {
	Tables
	Merger
	// Query checks, plans and starts one SELECT. The Result must be closed. Errors are *Error where the statement is at fault.
	Query(ctx context.Context, q Query) (Result, error)
	// Materialize runs a SELECT and stores its rows as schema.table of the project's own file, replacing what stood there in
	// one transaction; on any error the old rows stay. It returns the number of rows.
	Materialize(ctx context.Context, schema, table string, q Query) (int64, error)
	// DropStored removes what Materialize made; it is no error when nothing is there.
	DropStored(ctx context.Context, schema, table string) error
	// RowCount counts the rows of a stored table.
	RowCount(ctx context.Context, schema, table string) (int64, error)
}

// Query is one statement and all that may limit it.
type Query struct {
	SQL      string
	Ask      Ask               // instead of SQL
	Bindings []string          // values for ?, in order; a wrong count is an error
	Timeout  time.Duration     // 0: no limit
	Catalogs Catalogs          // what names mean
	Dialect  string            // "" or "trino": as hosted; "duckdb": the engine's own
	Props    map[string]string // current_user_props(key)
	Untyped  bool              // SQL was built from values whose types nobody told: a text takes the type of what it is compared with
	// Variant keeps statements apart for which Catalogs gives the same names other meanings at the same time; "" for the usual.
	Variant string
}

// Catalogs tells the engine what a name in a statement stands for. The gateway implements it.
type Catalogs interface {
	// Lookup finds a table outside the stored ones of "peaka"."table", "peaka"."bitable" and the sample catalog, which the
	// engine knows itself: saved queries, materialized ones, caches, external and semantic catalogs.
	// Unknown names are *Error with KindUnknownCatalog, KindUnknownSchema or KindUnknownTable.
	Lookup(ctx context.Context, name TableName) (Source, error)
	// List names every table visible to the project beyond those the engine stores, for information_schema and SHOW: those of the named
	// catalogs, or of all when it is nil. Of all, one that cannot be read at the moment may be left out by Omit; of named ones, none.
	List(ctx context.Context, catalogs []string) ([]TableName, error)
}

// Overrides is what Catalogs may implement as well. It is asked first about the tables of the sample catalog, which the engine
// knows itself, so that a cache can stand in for one of them. Only a stored table can.
type Overrides interface {
	Override(ctx context.Context, name TableName) (stored *TableName, err error)
}

// Spelling is what Catalogs may implement as well. Names are looked up in lower case. One that is quoted and holds capitals is
// shown to it first, because a source may have several names that differ in case only and the one written would not be the one found.
type Spelling interface {
	Spelled(ctx context.Context, written TableName) error
}

// Source is what a name stands for; exactly one of its fields is set.
type Source struct {
	SQL    string     // a saved query, to be expanded in place; its own names are looked up in turn
	Ask    Ask        // as SQL, by meaning
	Stored *TableName // a stored table of this project's file (Catalog is ignored), such as a materialized result or a cache
	Scan   Scanner    // rows that come from elsewhere
}

// Scanner reads an external table.
type Scanner interface {
	Columns(ctx context.Context) ([]ColumnInfo, error)
	// Scan reads the named columns of the rows that pass the filters, at most Limit when it is not negative. A scanner may
	// ignore filters (the engine applies them again) but never return fewer rows than pass.
	Scan(ctx context.Context, req ScanRequest) (Batches, error)
}

// Named is what a Scanner may implement besides: it words an error about its values with the name of where they came from.
type Named interface {
	Fault(ctx context.Context, err error) error
}

// ScanRequest is what travels to a source. Names are as Columns gave them. A scanner that leaves out a filter must leave out
// the limit too.
type ScanRequest struct {
	Columns []string // may be empty: rows are only counted
	Filters []Filter
	Limit   int64 // -1: all
}

// Filter is one condition on one column; conditions of a request are joined by AND.
type Filter struct {
	Column string
	Op     string // = <> < <= > >= in "not in" like "is null" "is not null"
	Values []any  // Go values of the column's type, as in Batches
}

// Batches streams the rows of a scan.
type Batches interface {
	// Next returns up to a few thousand rows, each with one Go value per requested column (nil for NULL), and io.EOF at the end.
	// The Go value by Trino type: boolean bool; tinyint to bigint int64; real and double float64; varbinary []byte; date,
	// timestamp (its clock reading, in UTC) and timestamp with time zone time.Time; everything else, decimals among them, a
	// string. A string may stand for a value of any type, such as "infinity" for a date: the engine reads its text.
	// Rows belong to the caller.
	Next(ctx context.Context) ([][]any, error)
	Close() error
}

// Filler is what Batches may implement besides: its rows go straight into the columns of the engine, without a Go value each. The
// engine then calls Fill and never Next.
type Filler interface {
	// Fill writes rows 0 to n-1 into cols, one for each requested column, and returns how many there were, at least one; io.EOF
	// with 0 is the end.
	Fill(ctx context.Context, cols []Vector, n int) (int, error)
}

// Vector takes the values of one column. Each row is written once. A value that does not fit the type exactly is an error.
type Vector interface {
	Null(row int)
	// Int takes an integer, 0 or 1 for a boolean, days since 1970 for a date, microseconds since midnight for a time,
	// microseconds since 1970 for timestamps, and the digits without the point for a decimal.
	Int(row int, v int64) error
	Float(row int, v float64) error // real, double
	// Bytes takes the bytes of a varbinary, the 16 bytes of a uuid, and the text of a value of any other type. They are copied.
	Bytes(row int, v []byte) error
}

// ColumnInfo describes a column by its lower-case Trino type name.
type ColumnInfo struct {
	Name     string
	Type     string
	Nullable bool
	Comment  string
	Primary  bool // of the primary key, alone or with others
	Unique   bool // no two rows have the same value
}

// Result is a running statement.
type Result interface {
	Columns() []api.ResultColumn
	// Encode writes the whole result as one reply document in the given format, streaming. It returns the rows written.
	// On an engine error in the middle it returns without writing the closing brackets, so that a reader sees a cut document.
	// start is called once, after the first chunk of rows was computed and before the first byte is written.
	Encode(ctx context.Context, w io.Writer, format api.Format, start func()) (int64, error)
	// Rows calls yield for each row with the values rendered as text as the wire has them; nil is NULL. Slices are reused.
	Rows(ctx context.Context, yield func(row [][]byte) error) (int64, error)
	Close() error
}

// Breaker is what the writer that a Result is encoded to may implement besides. Break is called when the statement must end, also while a
// Write is blocked because its reader has stopped: what is being written is given up soon.
type Breaker interface{ Break(why error) }

// Tables are the internal tables of a project: kind is SchemaTable or SchemaBI.
type Tables interface {
	ListTables(ctx context.Context, kind string) ([]string, error)
	// CreateTable makes a table with its system columns and those declared, all or nothing. Without declared columns, a BI table that stands
	// already is no error.
	CreateTable(ctx context.Context, kind, name string, defs ...ColumnDef) (stored string, err error)
	DropTable(ctx context.Context, kind, name string) error
	// Columns lists system columns first (the eight, or nine for BI), then declared ones in order of creation.
	Columns(ctx context.Context, kind, table string) ([]Column, error)
	AddColumns(ctx context.Context, kind, table string, defs []ColumnDef) ([]Column, error)
	UpdateColumn(ctx context.Context, kind, table, column string, def ColumnDef) ([]Column, error)
	DropColumn(ctx context.Context, kind, table, column string) error
	// ImportCSV appends the rows of a CSV document, all or none. Faults of the document are *ImportError.
	ImportCSV(ctx context.Context, kind, table string, src io.Reader, m Import) (int64, error)
}

// Column is a column of an internal table as the service lists it.
type Column struct {
	ID           string
	Name         string
	DisplayName  string
	Type         string // lower case: varchar bigint boolean decimal timestamp time date uuid
	DefaultValue *string
	NotNull      bool
	Unique       bool
	Desc         *string
	System       bool
}

// ColumnDef declares or changes a column. A nil field keeps its value on update and takes the default on creation.
type ColumnDef struct {
	Name         string
	Type         string // any case
	DisplayName  *string
	DefaultValue *string
	NoDefault    bool // takes the default away
	NotNull      *bool
	Unique       *bool
	Desc         *string
}

// Import says how the columns of a CSV document map to those of a table.
type Import struct {
	Mappings []api.ImportMapping
	Header   bool
	MaxBytes int64         // 0: no limit
	Timeout  time.Duration // longest that storing may take, once the document is here; 0: no limit
}

// BadCell is a value of a CSV document that does not fit its column.
type BadCell struct {
	Line   int64  // 1-based line of the document where the record begins
	Column string // empty for a fault of the record as a whole
	Value  string
	Reason string
}

// ImportError lists what is wrong with a CSV document; nothing of it was stored.
type ImportError struct {
	Message string    // set for faults of the mapping or of the document's form
	Cells   []BadCell // the first 100
	Total   int64     // all that were found
}

func (e *ImportError) Error() string {
	if e.Message != "" || len(e.Cells) == 0 {
		return e.Message
	}
	c := e.Cells[0]
	s := fmt.Sprintf("line %d, column %q: %s", c.Line, c.Column, c.Reason)
	if c.Column == "" { // the record as a whole
		s = fmt.Sprintf("line %d: %s", c.Line, c.Reason)
	}
	if e.Total > 1 {
		s += fmt.Sprintf(" (and %d more)", e.Total-1)
	}
	return s
}

// Kind classes the errors of a statement or a table operation.
type Kind string

// The classes.
const (
	KindSyntax         Kind = "syntax"
	KindNotAllowed     Kind = "not allowed" // not a SELECT, a forbidden function, a file or network access
	KindUnknownCatalog Kind = "unknown catalog"
	KindUnknownSchema  Kind = "unknown schema"
	KindUnknownTable   Kind = "unknown table"
	KindUnknownColumn  Kind = "unknown column"
	KindCycle          Kind = "cycle"
	KindValue          Kind = "value" // a cast, an overflow, a division by zero
	KindBinding        Kind = "binding"
	KindTimeout        Kind = "timeout"
	KindLimit          Kind = "limit" // text too long, memory
	KindFull           Kind = "full"  // no space is left on the disk
	KindExists         Kind = "exists"
	KindUnsupported    Kind = "unsupported" // Trino syntax or function that cannot be bridged
	KindConstraint     Kind = "constraint"
	KindSource         Kind = "source" // an external source failed
	KindLocked         Kind = "locked" // another process, or a statement that does not end, holds the data file; nothing was done
	KindInternal       Kind = "internal"
)

// Error is a failure with a class, so that the gateway can answer with the right status.
type Error struct {
	Kind    Kind
	Message string
	Line    int // 1-based position in the statement, 0 when unknown
	Col     int
	Err     error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// In is the error seen from outside of a saved query: it names the query, and the place in the query's own text becomes a part of the
// message, so that the place of the new error is free for that of the query's name in another statement. err is what it wraps.
func (e *Error) In(n TableName, err error) *Error {
	in := "in " + n.String()
	if e.Line > 0 {
		in += fmt.Sprintf(", line %d:%d", e.Line, e.Col)
	}
	return &Error{Kind: e.Kind, Message: in + ": " + e.Message, Err: err}
}

// ErrDropped is the error of a project whose rows were removed.
var ErrDropped = errors.New("the project was deleted")

// ErrNoEngine is returned by a build without cgo, which has no engine for the local zone.
var ErrNoEngine = errors.New("this build of dig has no local engine (it was built without cgo)")

// Options configure an engine.
type Options struct {
	Dir         string        // holds one folder or file per project, mode 0700
	MemoryLimit int64         // bytes per project instance, 0: a default
	TempLimit   int64         // bytes on the disk for what does not fit into memory, per project instance, 0: a default
	LockWait    time.Duration // how long to wait for another process
	// Waiting is called when another process has kept a project waiting for a while; holder names it. Nil for nothing.
	Waiting func(holder string)
	Threads int
	// ReadOnly opens the rows without changing a file; what is not there yet is empty, and goes when the project is closed.
	ReadOnly bool
	// IdleClose is how long an unused project stays open; its lock is held so long. 0: a default, negative: until Close.
	IdleClose time.Duration
	// CompactFree is how many bytes of a project's file must be free, and at least a quarter of it, for the file to be rewritten when the
	// project was not used for IdleClose. Whoever uses it then ends that. 0: never.
	CompactFree int64
	// Compacted is told of every file that was rewritten for that reason, or could not be. Nil for nothing.
	Compacted func(project string, c Compaction, err error)
	NewID     func() string // makes the id of a new column; unique, never reused
	// Warden decides about statements that do not end; nil leaves them to themselves. One is such that still runs Overrun after it was told
	// to end.
	Warden  Warden
	Overrun time.Duration
}

// Compacter is what an Engine may implement besides: it gives back the room that the rows of a project no longer need.
type Compacter interface {
	// Compact rewrites the data of a project while nobody uses it. It waits for statements and other processes at most Options.LockWait
	// (KindLocked); statements that come meanwhile wait for it. However it ends, the data is all there. A project without data has nothing
	// to compact.
	Compact(ctx context.Context, id string) (Compaction, error)
}

// Compaction is what a project's data took before and takes now, in bytes.
type Compaction struct{ Before, After int64 }

// Warden ends what the engine cannot end. Its methods may be called by several goroutines at once.
type Warden interface {
	// Admit says why a statement may not run, or nil.
	Admit(project, statement string) error
	// Stuck is called when statements were told to end and do not, or hold memory that they do not give back: why says which of them.
	Stuck(why string, running []Running)
}

// Running is a statement that runs.
type Running struct {
	Project   string `json:"project"`
	Statement string `json:"statement"`
}

// Transpiler is what a Project may implement as well: it writes a SELECT of Trino's dialect in the engine's own.
type Transpiler interface {
	// Transpile gives a text that means the same to the bare engine, with the names of tables as three parts. What cannot be written so is
	// *Error with KindUnsupported. Nothing is run.
	Transpile(ctx context.Context, q Query) (string, error)
}

// Lineager is what a Project may implement as well: it tells what the columns of a SELECT are computed from.
type Lineager interface {
	// Lineage has an entry for each column of the result, in order, or is nil when the statement cannot be followed. Only the
	// tables that the statement itself names are told: a saved query among them is one table.
	Lineage(ctx context.Context, q Query) ([]ColumnOrigin, error)
}

// ColumnOrigin is what a column is computed from.
type ColumnOrigin struct {
	Expression string // as written; the column's name where it came by a *
	Reads      []ColumnRead
}

// ColumnRead is a column of a table that a statement reads.
type ColumnRead struct {
	Table  TableName
	Column string
}
