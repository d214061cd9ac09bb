package analyze

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Catalog provides the existing tables. Names are given in lower case.
type Catalog interface {
	// Table returns the columns of a table or view, and false where there is none. Trino's message then depends on what is missing,
	// for which HasCatalog and HasSchema are asked.
	Table(name Name) (*Table, bool)
	HasCatalog(catalog string) bool
	HasSchema(catalog, schema string) bool
}

// Name is the full name of a table in lower case.
type Name struct{ Catalog, Schema, Table string }

func (n Name) String() string { return n.Catalog + "." + n.Schema + "." + n.Table }

// Table is a table or a view.
type Table struct {
	Name    Name
	Columns []TableColumn
}

// TableColumn is a column of a table. Hidden ones are found by name and not shown by a star.
type TableColumn struct {
	Name   string
	Type   *types.Type
	Hidden bool
	// Zone is the time zone of all instants of the column, "" for UTC.
	Zone string
}

// Options are what an analysis needs beside the statement.
type Options struct {
	Catalog Catalog
	// DefaultCatalog and DefaultSchema complete the names of tables; "" when the session has none.
	DefaultCatalog, DefaultSchema string
	// Parameters are the types of the values given for ?, in order. Describe is set when there are no values yet: then each parameter
	// is of the type unknown.
	Parameters []*types.Type
	Describe   bool
}

// Column is a column of the result.
type Column struct {
	Name string // _col0 and so on where the statement gives none
	Type *types.Type
}

// Analysis is what is known about a statement. The maps are keyed by nodes of its tree; what was not asked for is not there.
type Analysis struct {
	// Output are the columns of the result.
	Output []Column

	Expressions

	// Predicates has what is compared by IN (query) and by quantified comparisons: *InQuery and *Quantified.
	Predicates map[trinosql.Expr]*Predicate
	// Windows has the window of each call with OVER, after what named windows add.
	Windows map[*trinosql.Func]*Window
	// FrameOffsets has how the offset of a RANGE frame is applied to the sort key, keyed by the offset's expression.
	FrameOffsets map[trinosql.Expr]*FrameOffset

	// Selects, Queries, Bodies and Relations hold what is known about the parts of queries.
	Selects   map[*trinosql.Select]*Select
	Queries   map[*trinosql.Query]*Query
	Bodies    map[trinosql.QueryBody]*Body
	Relations map[trinosql.Relation]*Relation
	// Tables has what a table's name means: *TableRef and *TableBody.
	Tables map[trinosql.Node]*TableUse
	// Recursive has the queries of WITH RECURSIVE that do refer to themselves.
	Recursive map[*trinosql.NamedQuery]*Recursion

	keys keys
}

// Expressions is what is known about single expressions.
type Expressions struct {
	// Types has the type of each expression, before coercions. A lambda's is a Function type. A subquery that is compared by IN or a
	// quantifier is a row of its columns; one that is a value has the type of that value.
	Types map[trinosql.Expr]*types.Type
	// Coercions are the casts that the statement leaves out: the expression is converted to the type before it is used. Operands of
	// JSON constructors are cast to varchar, although nothing else coerces them.
	Coercions map[trinosql.Expr]*types.Type
	// Columns are the names that mean columns: an *Ident, or a *Deref whose parts in front qualify the column. A *Deref that is not
	// here takes a field out of the row that its Base is: Fields has which.
	Columns map[trinosql.Expr]*ColumnRef
	// Fields has the index of the field that a *Deref or the *Subscript of a row takes.
	Fields map[trinosql.Expr]int
	// Lambdas are the names that mean the parameter of a lambda.
	Lambdas map[*trinosql.Ident]*LambdaRef
	// Calls has the signature of each call of a function: *Func, *Listagg, and the forms with a syntax of their own (*Trim, *Position,
	// *Substring, *Normalize, *AtTimeZone, *LikeExpr has none). IF, COALESCE, NULLIF, TRY and FORMAT are not functions in Trino: they
	// are *Func nodes that are in Specials instead.
	Calls map[trinosql.Expr]*functions.Bound
	// Specials are the *Func nodes that are forms of their own: "if", "coalesce", "nullif", "try", "format", and those of
	// current_catalog and similar are *Current nodes and not here.
	Specials map[*trinosql.Func]string
	// Operators has the signature of each operator: *Unary (but +, and a minus sign right before a number, which belongs to it), *Binary (|| is the function concat), *Compare, *IsDistinct and
	// *Subscript (but of a row). <> is the opposite of EQUAL, > is LESS_THAN with the sides exchanged.
	Operators map[trinosql.Expr]*functions.Bound
}

// Field is a column of some relation: of a table, a subquery, a join. A join holds the fields of its sides themselves; an alias, a
// subquery's select list, USING and set operations make new ones. Fields are compared by identity.
type Field struct {
	Name   string   // "" when it has none, as written where it got its name
	Alias  []string // the name of the table that may qualify it; nil for none
	Type   *types.Type
	Hidden bool
	// From are the fields that it stands for: one behind an alias or a plain column of a select list, the two of USING, those of all
	// sides of a set operation; none for a table's column, a computed one, an element of UNNEST or VALUES.
	From []*Field
	// Column is the column of the table that it is unchanged, nil when it is none.
	Column *TableColumn
	// Table is that table's name.
	Table *Name
}

// ColumnRef is what a name of a column means.
type ColumnRef struct {
	Field *Field
	// Outer is how many queries further out the column is, 0 in the query that the name stands in. Other than 0 makes the query a
	// correlated one.
	Outer int
	// OfOutput is set in ORDER BY, and in queries below it, where the name means a column of the select list and not one of FROM; Index is its place there.
	OfOutput bool
	Index    int
}

// LambdaRef is the parameter of a lambda that a name means.
type LambdaRef struct {
	Lambda *trinosql.Lambda
	Index  int
	Type   *types.Type
}

// Predicate is what the sides of x IN (query) or x = ANY (query) are compared as.
type Predicate struct {
	// Value is the row type of the left side: that of the expression, or a row of it alone. Common is the row type that both sides are
	// coerced to.
	Value, Common *types.Type
}

// Window is a window with what it inherits from a named one.
type Window struct {
	PartitionBy []trinosql.Expr
	OrderBy     []*trinosql.SortItem
	Frame       *trinosql.Frame // nil when none was given
}

// FrameOffset is how x PRECEDING of a RANGE frame is computed.
type FrameOffset struct {
	Operator *functions.Bound // ADD or SUBTRACT of sort key and offset
	// Key is what the sort key is coerced to for it, Compare what it is coerced to so as to be compared with the result.
	Key, Compare *types.Type
}

// Query is what is known about a query.
type Query struct {
	Fields []*Field // of its result, hidden ones included
	// OrderBy has for each item of ORDER BY how it is meant. It is in the query whether the body is a Select or not.
	OrderBy []SortKey
	// Correlated is set when a column of a query outside is used in it.
	Correlated bool
}

// SortKey is an item of ORDER BY.
type SortKey struct {
	Item *trinosql.SortItem
	// Output is the index of the output column that an ordinal names, else -1.
	Output int
	Type   *types.Type
}

// Body is what is known about the body of a query.
type Body struct {
	Fields []*Field
	// Coerced are the types that the columns are coerced to because of a set operation above, nil when none is.
	Coerced []*types.Type
}

// Relation is what is known about an item of FROM.
type Relation struct {
	Fields []*Field
	// Join has the columns of USING, nil for other relations.
	Using []*UsingColumn
	// Unnest has for each expression of UNNEST how many columns it makes; the ordinality is one more. Nil for other relations.
	Unnest []int
	// Lateral is set where the relation uses columns of relations to its left.
	Lateral bool
}

// UsingColumn is a column of JOIN ... USING.
type UsingColumn struct {
	Name        *trinosql.Ident
	Left, Right *Field
	Out         *Field
}

// TableUse is what the name of a table means.
type TableUse struct {
	Table *Table               // a table or view, or
	Named *trinosql.NamedQuery // a query of WITH, or
	// Recursive is set where a query of WITH RECURSIVE refers to itself.
	Recursive bool
	Fields    []*Field
}

// Recursion is a query of WITH RECURSIVE that refers to itself.
type Recursion struct {
	Anchor, Step trinosql.QueryBody
	Reference    *trinosql.TableRef // where the step refers to the query
	Fields       []*Field
}

// Select is what is known about SELECT ... FROM ... GROUP BY ...
type Select struct {
	// From are the columns that FROM offers.
	From []*Field
	// Items are the columns of the select list, stars expanded.
	Items []Item
	// Fields are the columns of the result, one for each item.
	Fields []*Field

	// Grouped is set when rows are gathered into groups: by GROUP BY, HAVING or an aggregate.
	Grouped bool
	// Keys are the expressions that rows are grouped by, without duplicates, ordinals resolved. Sets are the grouping sets as indices
	// of Keys, with CUBE and ROLLUP expanded: one set of all Keys for a plain GROUP BY.
	Keys []GroupKey
	Sets [][]int
	// Aggregates are the calls of aggregates that belong to this query, without those inside of OVER: *Func and *Listagg, in the
	// select list, HAVING and ORDER BY.
	Aggregates []trinosql.Expr
	// Groupings are the calls of GROUPING.
	Groupings []*trinosql.Grouping
	// WindowCalls are the calls with OVER in the select list and ORDER BY.
	WindowCalls []*trinosql.Func
	// OrderBy are the sort keys; also in the Query around.
	OrderBy []SortKey
}

// GroupKey is something that rows are grouped by: an expression, or a column where a star was named by its place.
type GroupKey struct {
	Expr trinosql.Expr
	Item int // the index of the item that an ordinal names, else -1
	Type *types.Type
	key  int
}

// Item is a column of a select list.
type Item struct {
	// Expr is the expression, nil for a column of a star.
	Expr trinosql.Expr
	// Star is the star that the column comes from, nil for an expression.
	Star *trinosql.SelectStar
	// Source is the field that a star stands for here; nil for an expression and for a field of a row (Row).
	Source *Field
	// Outer is how many queries further out Source is.
	Outer int
	// Row is the expression of the type row whose field number Index (from 0) the column of a star is.
	Row   trinosql.Expr
	Index int
	Type  *types.Type
	Name  string // "" when it has none
}
