// Package engine is the contract between the local gateway and the engine that runs SQL and stores rows. DuckDB
// implements it in the subpackage duckdb; a distributed engine can replace it by passing the contract suite.
package engine

import (
	"cmp"
	"context"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/plan"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
)

// Engine manages the data files of all projects in one directory.
type Engine interface {
	// Project returns a project, the same one each time. A method that needs its data opens them, and creates them on
	// first use: it locks the project's files and waits for another process at most Options.LockWait.
	Project(ctx context.Context, id string) (Project, error)
	// DropProject closes and removes all data of a project. Running statements end with ErrDropped, and so does every
	// later use of the project, including by its id.
	DropProject(ctx context.Context, id string) error
	Close() error
}

// Names of the schemas of the internal catalog, as users write them in SQL: "peaka"."table"."x" and so on [O].
const (
	InternalCatalog = api.InternalCatalogName
	SchemaTable     = api.SchemaTable
	SchemaBI        = api.SchemaBI
	SchemaQuery     = api.SchemaQuery
	SchemaMtQuery   = api.SchemaMtQuery
	SampleCatalog   = "sample" // built-in, generated
	SampleSchema    = "shop"
)

// SampleTables names the tables of the built-in catalog.
func SampleTables() []string { return []string{"customers", "order_items", "orders", "products"} }

// TableName is a three-part name, without quotes.
type TableName struct{ Catalog, Schema, Table string }

func (n TableName) String() string {
	if path, _, ok := n.File(); ok {
		return sqltext.Literal(path)
	}
	if n.Catalog == "" && n.Schema == "" {
		return n.Table
	}
	return n.Catalog + "." + n.Schema + "." + n.Table
}

// FileCatalog begins the name of the catalog of the files that a statement names. No name of a user begins so.
const FileCatalog = "file:"

// File is the path, as typed, of a file that a statement names as a table, with its options of reading; ok is false for
// other tables.
func (n TableName) File() (path string, options [][2]string, ok bool) {
	if !strings.HasPrefix(n.Catalog, FileCatalog) {
		return "", nil, false
	}
	raw, err := hex.DecodeString(n.Schema)
	if err != nil {
		return "", nil, false // not a name that the parser makes
	}
	parts := strings.Split(string(raw), "\x00")
	for i := 1; i+1 < len(parts); i += 2 {
		options = append(options, [2]string{parts[i], parts[i+1]})
	}
	return parts[0], options, true
}

// Compare orders names by their parts.
func (n TableName) Compare(o TableName) int {
	return cmp.Or(strings.Compare(n.Catalog, o.Catalog), strings.Compare(n.Schema, o.Schema),
		strings.Compare(n.Table, o.Table))
}

// Quoted returns the name in quotes, for a statement.
func (n TableName) Quoted() string { return sqltext.Quote(n.Catalog, n.Schema, n.Table) }

// Project runs statements over, and stores, the rows of one project. All methods are safe for concurrent use.
type Project interface {
	Tables
	// Run plans and starts a statement. The Rows must be closed. Errors of the statement itself are *Error. An error
	// that wraps ErrOutdated means that a table has changed since the statement was analysed.
	Run(ctx context.Context, x *Statement) (Rows, error)
	// Check returns the error with which Run would reject a statement before it plans it.
	Check(ctx context.Context, x *Statement) error
	// Plan describes how Run would run a statement. No rows are read.
	Plan(ctx context.Context, x *Statement) (*plan.Node, error)
	// Store runs a statement and stores its rows under a new name, all or none, and returns their number. Stored rows
	// never change; a name that has some is ErrStored.
	Store(ctx context.Context, schema, table string, x *Statement) (int64, error)
	// DropStored removes the result of Store; a missing one is not an error.
	DropStored(ctx context.Context, schema, table string) error
	// RowCount counts the rows of a stored table.
	RowCount(ctx context.Context, schema, table string) (int64, error)
	// BaseTable finds a table that the engine reads by itself: an internal one, one of the catalog sample, or the
	// result of Store, whose name has no catalog. Unknown ones are *Error with KindUnknownTable.
	BaseTable(ctx context.Context, n TableName) (*BaseTable, error)
	// Calls reports whether the engine can call a function.
	Calls(f *functions.Function) bool
}

// Relay reads a table by a statement in another project of the same engine, which passes its columns and values on as
// they are.
type Relay interface {
	// Run starts a statement that returns the named columns; if columns is nil, all of them and no rows.
	Run(ctx context.Context, columns []string) (Rows, error)
}

// Scanner reads an external table.
type Scanner interface {
	Columns(ctx context.Context) ([]ColumnInfo, error)
	// Scan reads the named columns of the rows that pass the filters, at most Limit if it is not negative. A scanner
	// may ignore filters (the engine applies them again) but must never return fewer rows than pass.
	Scan(ctx context.Context, req ScanRequest) (Batches, error)
}

// Guesser may be implemented by a Scanner whose columns are certain only after all rows were read: Columns reads them.
type Guesser interface {
	// Guess returns the columns by some of the rows, and whether they are certain nevertheless. If not, a scan fails,
	// or Settle does, where other rows contradict them.
	Guess(ctx context.Context) (columns []ColumnInfo, certain bool, err error)
	// Settle returns an error, such as ErrOutdated, unless the guessed columns are those that Columns returns. It reads
	// rows unless scans have read all of the named columns, nil for all columns.
	Settle(ctx context.Context, columns []string) error
}

// Described may be implemented by a Scanner: it says in a few words where the rows come from, for EXPLAIN.
type Described interface {
	Describe() string
}

// Named may be implemented by a Scanner: it adds the name of the source to an error about its values.
type Named interface {
	Fault(ctx context.Context, err error) error
}

// Native may be implemented by a Scanner of files in a format that engines read too.
type Native interface {
	// Native opens the files, whose rows follow each other; nil if an engine would not read the same rows.
	Native(ctx context.Context) ([]NativeFile, error)
}

// NativeFile is a file of Parquet that an engine may read by itself. It must give the values that Scan gives, or none.
type NativeFile struct {
	*os.File
	Columns []NativeColumn // those of the scanner
	// Sound reports whether the data of some of the columns, by their indexes, may be read by an engine at all.
	Sound func(ctx context.Context, columns []int) bool
	Still func() error // returns an error if the file is not as it was, to be called after its last row
}

// NativeColumn is a column of a NativeFile.
type NativeColumn struct {
	Name  string // in the file, "" if only Scan reads it
	Bloom bool   // it has Bloom filters, to which 0 and -0 differ
}

// ScanRequest is the request of a scan to a source. Names are as returned by Columns. A scanner that ignores a filter
// must ignore the limit too.
type ScanRequest struct {
	Columns []string // may be empty: the rows are only counted
	Filters []Filter
	Limit   int64 // -1: all
}

// Filter is one condition on one column; conditions of a request are joined by AND. Whether NaN is greater than a
// number depends on the dialect of the statement: a scanner that applies > or >= must return such rows, and must then
// ignore the limit.
type Filter struct {
	Column string
	Op     string // = <> < <= > >= in "not in" like "is null" "is not null"
	Values []any  // Go values of the column's type, as in Batches
}

// Batches streams the rows of a scan.
type Batches interface {
	// Next returns up to a few thousand rows, each with one Go value per requested column (nil for NULL), and io.EOF at
	// the end. The Go value by Trino type: boolean bool; tinyint to bigint int64; real and double float64; varbinary
	// []byte; date, timestamp (its clock reading, in UTC) and timestamp with time zone time.Time; everything else,
	// including decimals, a string. A string may stand for a value of any type, such as "infinity" for a date: the
	// engine parses it. Rows belong to the caller.
	Next(ctx context.Context) ([][]any, error)
	Close() error
}

// Filler may be implemented by Batches: its rows are written directly into the columns of the engine, without a Go
// value each. The engine then calls Fill and never Next.
type Filler interface {
	// Fill writes rows 0 to n-1 to cols, one for each requested column, and returns their number, at least one; io.EOF
	// with 0 at the end.
	Fill(ctx context.Context, cols []Vector, n int) (int, error)
}

// Divided may be implemented by Batches: their rows are read by several threads of the engine at once.
type Divided interface {
	// Threads is the number of threads that have something to read.
	Threads() int
	// Part returns a Filler for one more thread: it reads the rows that no other part has read, in the order of the
	// source. It may be called by several threads at once, and is not used after the Close of the Batches.
	Part() Filler
}

// Vector receives the values of one column. Each row is written once. A value that does not fit the type exactly is an
// error.
type Vector interface {
	Null(row int)
	// Int writes an integer, 0 or 1 for a boolean, days since 1970 for a date, microseconds since midnight for a time,
	// microseconds since 1970 for timestamps, and the digits without the point for a decimal.
	Int(row int, v int64) error
	Float(row int, v float64) error // real, double
	// Bytes writes the bytes of a varbinary, the 16 bytes of a uuid, and the text of a value of any other type. They
	// are copied.
	Bytes(row int, v []byte) error
}

// ColumnInfo describes a column by its lower-case Trino type name. The values of a char(n) have no spaces at their end.
type ColumnInfo struct {
	Name     string
	Type     string
	Nullable bool
	Comment  string
	Primary  bool   // part of the primary key
	Unique   bool   // values are unique
	Zone     string // the time zone in which the instants of the column are displayed, "" for UTC
}

// Info returns the column; a type that embeds it has the method too.
func (c ColumnInfo) Info() ColumnInfo { return c }

// Rows are the rows of a running statement.
type Rows interface {
	// Columns describes the columns of all batches.
	Columns() []RowColumn
	// Next returns the next rows, or io.EOF at the end. The batch is valid until the next call. The end of ctx ends the
	// statement.
	Next(ctx context.Context) (*batch.Batch, error)
	// Context ends when the statement must end, even while nobody asks for rows.
	Context() context.Context
	Close() error
}

// RowColumn is a column of the result of a statement.
type RowColumn struct {
	analyze.TableColumn
	Layout *batch.Type
}

// Wrapper may be implemented by Rows that add to others.
type Wrapper interface{ Unwrap() Rows }

// Innermost are the Rows of the engine itself.
func Innermost(r Rows) Rows {
	for {
		w, ok := r.(Wrapper)
		if !ok {
			return r
		}
		r = w.Unwrap()
	}
}

// Breaker may be implemented by the writer to which Rows are written. Break is called when the statement must end,
// even while a Write is blocked because its reader has stopped: the current write is then soon abandoned.
type Breaker interface{ Break(why error) }

// Tables are the internal tables of a project: kind is SchemaTable or SchemaBI.
type Tables interface {
	ListTables(ctx context.Context, kind string) ([]string, error)
	// CreateTable creates a table with its system columns and the declared ones, all or nothing. Without declared
	// columns, an existing BI table is not an error.
	CreateTable(ctx context.Context, kind, name string, defs ...ColumnDef) (stored string, err error)
	DropTable(ctx context.Context, kind, name string) error
	// DropEmptyTable drops a table that has no rows, and otherwise returns their number.
	DropEmptyTable(ctx context.Context, kind, name string) (rows int64, err error)
	// RenameTable gives a table another name and returns it as it is stored; one that is taken is KindExists.
	RenameTable(ctx context.Context, kind, name, to string) (stored string, err error)
	// CopyTable creates a table with the columns and the rows of another. The rows are new: they have ids of their own.
	CopyTable(ctx context.Context, kind, name, to string) (stored string, rows int64, err error)
	// DeleteRows deletes rows in one step and returns their number; nil stands for all rows. Rows that have changed
	// since they were read are KindOutdated, and none is deleted.
	DeleteRows(ctx context.Context, kind, name string, rows []RowVersion) (int64, error)
	// Columns lists system columns first (the eight, or nine for BI), then declared ones in order of creation.
	Columns(ctx context.Context, kind, table string) ([]Column, error)
	AddColumns(ctx context.Context, kind, table string, defs []ColumnDef) ([]Column, error)
	UpdateColumn(ctx context.Context, kind, table, column string, def ColumnDef) ([]Column, error)
	DropColumn(ctx context.Context, kind, table, column string) error
	// ImportCSV stores the rows of a CSV document, or of the other one that m has, as its mode says, in one step:
	// readers, and the table after a crash, have all of its changes or none. Errors of the document are *ImportError.
	ImportCSV(ctx context.Context, kind, table string, src io.Reader, m Import) (Imported, error)
	// FindImport reports whether the rows of the import with an Import.ID are stored, and how many. The latest thousand
	// are known.
	FindImport(ctx context.Context, id string) (rows int64, stored bool, err error)
}

// RowVersion identifies a row as it was read, by its _id and _version.
type RowVersion struct{ ID, Version int64 }

// Column is a column of an internal table in the form of the service.
type Column struct {
	ID           string
	Name         string
	DisplayName  string
	Type         string // as api.ColumnType has it
	Widens       bool   // an import changes the type to a decimal with more digits if values need them
	DefaultValue *string
	NotNull      bool
	Unique       bool
	Desc         *string
	System       bool
}

// ColumnDef declares or changes a column. A nil field is unchanged on update and has its default on creation.
type ColumnDef struct {
	Name         string
	Type         string // any case
	Widens       *bool  // nil: false for a new Type
	DisplayName  *string
	DefaultValue *string
	NoDefault    bool // removes the default
	NotNull      *bool
	Unique       *bool
	Desc         *string
}

// Import maps the columns of a CSV document to those of a table.
type Import struct {
	ID string // for FindImport, "" for none; a second import with one ID stores nothing
	api.ImportMode
	Mappings []api.ImportMapping
	Header   bool
	MaxBytes int64         // 0: no limit
	Timeout  time.Duration // maximum time to store the document after it was received; 0: no limit
	Document csv.Document  // of this process, nil for the document that is received
}

// Imported is what an import has done with the rows of its table.
type Imported struct {
	Rows int64 // of the document
	// Again means that an import with the same ID was stored before, and only Rows is known.
	Again                                 bool
	Inserted, Updated, Unchanged, Deleted int64
}

// Options configure an engine.
type Options struct {
	Dir         string // holds one folder or file per project, mode 0700
	MemoryLimit int64  // bytes per project instance, 0: a default
	// bytes on the disk for data that does not fit into memory, per project instance, 0: a default
	TempLimit int64
	LockWait  time.Duration // how long to wait for another process
	// Waiting, if not nil, is called after another process has locked a project for a while; holder identifies it.
	Waiting func(holder string)
	// Waited, if not nil, is called with the time that the opening of a project waited for another process: until that
	// released a lock, or until its data were copied because it did not.
	Waited  func(time.Duration)
	Threads int
	// Shared is for an engine that shares its directory with other processes. Statements that read open a project
	// together with other processes, statements that change it open it alone, and both only for a moment.
	Shared bool
	// ReadOnly opens the rows without changing a file; missing data is empty, and discarded when the project is closed.
	ReadOnly bool
	// IdleClose is how long an unused project stays open and locked, unless too many others were used since. 0: a
	// default, negative: until Close.
	IdleClose time.Duration
	// CompactFree is the number of free bytes from which a project's file is rewritten, if they are at least a quarter
	// of the file, after the project was not used for IdleClose. A new user of the project interrupts that. 0: never.
	CompactFree int64
	// Compacted, if not nil, is called for every file that was rewritten for that reason, or could not be.
	Compacted func(project string, c Compaction, err error)
	// Record remembers which projects have a data file, so that its loss is noticed. nil: a missing file is an empty
	// project.
	Record Record
	NewID  func() string // generates the id of a new column; unique, never reused
	// Lock waits until ctx ends for a lock of a name that all processes share that have the rows. nil: it is the only
	// process, or locks files.
	Lock func(ctx context.Context, name string) (*Lock, error)
	// Warden handles statements that do not stop: those that still run when Overrun has passed after their
	// cancellation. nil leaves them running.
	Warden  Warden
	Overrun time.Duration
	// AbortCode is the exit code of this process if the engine ends it, by an error that cannot be caught. 0: as the
	// system does.
	AbortCode int
}

// HasWaited calls Waited for a wait that ends now.
func (o *Options) HasWaited(since time.Time) {
	if o.Waited != nil {
		o.Waited(time.Since(since))
	}
}

// Compacter may be implemented by an Engine: it reclaims the unused disk space of a project.
type Compacter interface {
	// Compact rewrites the data of a project while nobody uses it. It waits for statements and other processes at most
	// Options.LockWait (KindLocked); statements that arrive meanwhile wait for it. No data is lost, however it ends. A
	// project without data has nothing to compact.
	Compact(ctx context.Context, id string) (Compaction, error)
}

// Tidier may be implemented by an Engine whose projects are compacted at intervals by the gateway that serves it.
type Tidier interface {
	Compacter
	Interval() time.Duration
}

// Compaction is the size of a project's data before and after, in bytes.
type Compaction struct{ Before, After int64 }

// Warden ends statements that the engine cannot end. Its methods may be called concurrently.
type Warden interface {
	// Admit returns the reason why a statement may not run, or nil.
	Admit(project, statement string) error
	// Stuck is called when cancelled statements do not stop, or do not release memory: why states which.
	Stuck(why string, running []Running)
}

// Running is a running statement.
type Running struct {
	Project   string `json:"project"`
	Statement string `json:"statement"`
}

// ColumnOrigin describes how a column is computed.
type ColumnOrigin struct {
	Expression string // as written; the column's name if it came from a *
	Reads      []ColumnRead
}

// ColumnRead is a column of a table that a statement reads.
type ColumnRead struct {
	Table  TableName
	Column string
}
