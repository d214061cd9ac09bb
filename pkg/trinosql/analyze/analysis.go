package analyze

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Catalog provides the existing tables. Names are given in lower case.
type Catalog interface {
	// Table returns the columns of a table or view, and false if it does not exist. HasCatalog and HasSchema then
	// determine the error message, as in Trino.
	Table(name Name) (*Table, bool)
	HasCatalog(catalog string) bool
	HasSchema(catalog, schema string) bool
}

// Name is the qualified name of a table, in lower case.
type Name struct{ Catalog, Schema, Table string }

func (n Name) String() string { return n.Catalog + "." + n.Schema + "." + n.Table }

// Table is a table or a view.
type Table struct {
	Name    Name
	Columns []TableColumn
}

// TableColumn is a column of a table. Hidden columns can be selected by name and are not part of a star.
type TableColumn struct {
	Name   string
	Type   *types.Type
	Hidden bool
	// Zone is the time zone of all instants of the column, "" for UTC.
	Zone string
}

// Options are the inputs of an analysis besides the statement.
type Options struct {
	Catalog Catalog
	// DefaultCatalog and DefaultSchema complete unqualified table names; "" if the session has none.
	DefaultCatalog, DefaultSchema string
	// Parameters are the types of the values bound to ?, in order. Describe is set when no values are bound yet: then
	// each parameter has the type unknown.
	Parameters []*types.Type
	Describe   bool
}

// Column is a column of the result.
type Column struct {
	Name string // _col0 and so on for an unnamed column
	Type *types.Type
}

// Analysis is the result of Analyze. The maps are keyed by nodes of the syntax tree.
type Analysis struct {
	// Output are the columns of the result.
	Output []Column

	Expressions

	// Predicates has the types that IN (query) and quantified comparisons (*InQuery and *Quantified) compare.
	Predicates map[trinosql.Expr]*Predicate
	// Windows has the window of each call with OVER, including what it inherits from named windows.
	Windows map[*trinosql.Func]*Window
	// FrameOffsets has how the offset of a RANGE frame is applied to the sort key, keyed by the offset's expression.
	FrameOffsets map[trinosql.Expr]*FrameOffset

	// Selects, Queries, Bodies and Relations have the analysis of the parts of queries.
	Selects   map[*trinosql.Select]*Select
	Queries   map[*trinosql.Query]*Query
	Bodies    map[trinosql.QueryBody]*Body
	Relations map[trinosql.Relation]*Relation
	// Tables has what a table name resolves to: *TableRef and *TableBody.
	Tables map[trinosql.Node]*TableUse
	// Recursive has the queries of WITH RECURSIVE that refer to themselves.
	Recursive map[*trinosql.NamedQuery]*Recursion

	keys keys
}

// Expressions is the analysis of expressions.
type Expressions struct {
	// Types has the type of each expression, before coercions. The type of a lambda is a Function type. A subquery
	// compared by IN or a quantifier has the row type of its columns; a scalar subquery has the type of its value.
	Types map[trinosql.Expr]*types.Type
	// Coercions are the implicit casts: the type that an expression is converted to before it is used. Operands of JSON
	// constructors are cast to varchar, although nothing else coerces them.
	Coercions map[trinosql.Expr]*types.Type
	// Columns are the names that resolve to columns: an *Ident, or a *Deref whose leading parts qualify the column. Any
	// other *Deref takes a field of the row that is its Base; Fields has the index.
	Columns map[trinosql.Expr]*ColumnRef
	// Fields has the index of the field that a *Deref or the *Subscript of a row selects.
	Fields map[trinosql.Expr]int
	// Lambdas are the names that resolve to a parameter of a lambda.
	Lambdas map[*trinosql.Ident]*LambdaRef
	// Calls has the signature of each function call: *Func, *Listagg, and the forms with their own syntax (*Trim,
	// *Position, *Substring, *Normalize, *AtTimeZone; not *LikeExpr). IF, COALESCE, NULLIF, TRY and FORMAT are not
	// functions in Trino: these *Func nodes are in Specials instead.
	Calls map[trinosql.Expr]*functions.Bound
	// Specials are the *Func nodes that are special forms: "if", "coalesce", "nullif", "try", "format". current_catalog
	// and similar are *Current nodes and not here.
	Specials map[*trinosql.Func]string
	// Operators has the signature of each operator: *Unary (except +, and a minus sign directly before a number, which
	// is part of the literal), *Binary (|| is the function concat), *Compare, *IsDistinct and *Subscript (except of a
	// row). <> is the negation of EQUAL, > is LESS_THAN with the operands exchanged.
	Operators map[trinosql.Expr]*functions.Bound
}

// Field is a column of a relation: of a table, a subquery, a join. A join shares the fields of its sides; an alias, the
// select list of a subquery, USING and set operations create new ones. Fields are compared by identity.
type Field struct {
	Name   string   // as spelled where it was named, "" if it has no name
	Alias  []string // the table name that may qualify it, nil for none
	Type   *types.Type
	Hidden bool
	// From are the fields that it is derived from unchanged: one for an alias or a plain column of a select list, two
	// for USING, one of each operand for a set operation; none for a column of a table, a computed column, an element
	// of UNNEST or VALUES.
	From []*Field
	// Column is the column of a table that the field is an unchanged copy of, nil for other fields.
	Column *TableColumn
	// Table is the name of that table.
	Table *Name
}

// ColumnRef is the column that a name resolves to.
type ColumnRef struct {
	Field *Field
	// Outer is the number of query levels between the name and the column: 0 for a column of the same query. Any other
	// value makes the query a correlated one.
	Outer int
	// OfOutput is set in ORDER BY, and in subqueries of it, where the name resolves to an output column and not to one
	// of FROM; Index is the index of that column.
	OfOutput bool
	Index    int
}

// LambdaRef is the lambda parameter that a name resolves to.
type LambdaRef struct {
	Lambda *trinosql.Lambda
	Index  int
	Type   *types.Type
}

// Predicate is the type that the sides of x IN (query) or x = ANY (query) are compared as.
type Predicate struct {
	// Value is the row type of the left side: that of the expression, or a row of one field. Common is the row type
	// that both sides are coerced to.
	Value, Common *types.Type
}

// Window is a window including what it inherits from a named one.
type Window struct {
	PartitionBy []trinosql.Expr
	OrderBy     []*trinosql.SortItem
	Frame       *trinosql.Frame // nil when none was given
}

// FrameOffset is the computation of x PRECEDING or x FOLLOWING of a RANGE frame.
type FrameOffset struct {
	Operator *functions.Bound // ADD or SUBTRACT of sort key and offset
	// Key is the type that the sort key is coerced to for Operator, Compare the type that it is coerced to for the
	// comparison with the result.
	Key, Compare *types.Type
}

// Query is the analysis of a query.
type Query struct {
	Fields []*Field // of its result, hidden ones included
	// OrderBy has the resolved items of ORDER BY, whether the body is a Select or not.
	OrderBy []SortKey
	// Correlated is set when the query uses a column of an outer query.
	Correlated bool
}

// SortKey is an item of ORDER BY.
type SortKey struct {
	Item *trinosql.SortItem
	// Output is the index of the output column that an ordinal denotes, else -1.
	Output int
	Type   *types.Type
}

// Body is the analysis of the body of a query.
type Body struct {
	Fields []*Field
	// Coerced are the types that an enclosing set operation coerces the columns to, nil if it coerces none.
	Coerced []*types.Type
	// Corresponding are the columns that a set operation takes of either operand, nil if it takes all.
	Corresponding *[2][]int
}

// Relation is the analysis of an item of FROM.
type Relation struct {
	Fields []*Field
	// Using has the columns of JOIN ... USING, nil for other relations.
	Using []*UsingColumn
	// Unnest has the number of columns that each expression of UNNEST produces; the ordinality is one more. Nil for
	// other relations.
	Unnest []int
	// Lateral is set when the relation uses columns of relations to its left.
	Lateral bool
	// Args are the arguments of a *TableFunc in the order of its parameters, nil for a default.
	Args []*trinosql.TableArg
}

// UsingColumn is a column of JOIN ... USING.
type UsingColumn struct {
	Name        *trinosql.Ident
	Left, Right *Field
	Out         *Field
}

// TableUse is what a table name resolves to.
type TableUse struct {
	Table *Table               // a table or view, or
	Named *trinosql.NamedQuery // a query of WITH, or
	// Recursive is set for the reference of a query of WITH RECURSIVE to itself.
	Recursive bool
	Fields    []*Field
}

// Recursion is a query of WITH RECURSIVE that refers to itself.
type Recursion struct {
	Anchor, Step trinosql.QueryBody
	Reference    *trinosql.TableRef // the reference of the step to the query
	Fields       []*Field
}

// Select is the analysis of SELECT ... FROM ... GROUP BY ...
type Select struct {
	// From are the columns of FROM.
	From []*Field
	// Items are the columns of the select list, stars expanded.
	Items []Item
	// Fields are the columns of the result, one for each item.
	Fields []*Field

	// Grouped is set when the rows are grouped: by GROUP BY, HAVING or an aggregate.
	Grouped bool
	// Keys are the grouping expressions, without duplicates, with ordinals resolved. Sets are the grouping sets as
	// indices into Keys, with CUBE and ROLLUP expanded: one set of all Keys for a plain GROUP BY.
	Keys []GroupKey
	Sets [][]int
	// Aggregates are the aggregate calls of this query in the select list, HAVING and ORDER BY, excluding those with
	// OVER: *Func and *Listagg.
	Aggregates []trinosql.Expr
	// Groupings are the calls of GROUPING.
	Groupings []*trinosql.Grouping
	// WindowCalls are the calls with OVER in the select list and ORDER BY.
	WindowCalls []*trinosql.Func
	// OrderBy are the sort keys; they are also in the enclosing Query.
	OrderBy []SortKey
}

// GroupKey is a grouping expression, or a column of a star that an ordinal denotes.
type GroupKey struct {
	Expr trinosql.Expr
	Item int // the index of the item that an ordinal denotes, else -1
	Type *types.Type
	key  int
}

// Item is a column of a select list.
type Item struct {
	// Expr is the expression, nil for a column of a star.
	Expr trinosql.Expr
	// Star is the star that the column comes from, nil for an expression.
	Star *trinosql.SelectStar
	// Source is the field that the column of a star denotes; nil for an expression and for a field of a row (Row).
	Source *Field
	// Outer is the number of query levels between the star and Source.
	Outer int
	// Row is the expression of type row that a star expands; the column is its field Index (from 0).
	Row   trinosql.Expr
	Index int
	Type  *types.Type
	Name  string // "" if it has no name
}
