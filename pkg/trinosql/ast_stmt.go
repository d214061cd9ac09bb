package trinosql

// Node is a piece of the syntax tree.
type Node interface {
	Pos() Pos              // the place that Trino names in an error about this node
	Span() (from, end int) // byte offsets of the node's text
	base() *node
}

type node struct {
	at        Pos
	from, end int
}

// Pos is the place that Trino names in an error about this node.
func (n *node) Pos() Pos { return n.at }

// Span returns the byte offsets of the node's text, comments within and parentheses around an expression included.
func (n *node) Span() (from, end int) { return n.from, n.end }

func (n *node) base() *node { return n }

// clause is the place of a keyword in a node that Trino names in an error.
type clause struct{ keyword Pos }

// Clause is the place of LIMIT or FETCH in a *Query, of ORDER BY in a *WindowSpec, of DISTINCT or ALL in a *GroupBy,
// and of OVER in a *Func with the name of a window.
func (c *clause) Clause() Pos { return c.keyword }

// Statement is a *Query, *Explain, *Show, *Describe or *Other.
type Statement interface {
	Node
	statement()
}

// Explain is EXPLAIN [ANALYZE [VERBOSE]] [(TYPE t, FORMAT f)] statement.
type Explain struct {
	node
	Analyze, Verbose bool
	Type, Format     string // in upper case, "" when not given
	Statement        Statement
}

// Show is one of the SHOW statements.
type Show struct {
	node
	// TABLES, SCHEMAS, CATALOGS, COLUMNS, FUNCTIONS, SESSION, STATS, ROLES, CURRENT ROLES, ROLE GRANTS, GRANTS, CREATE
	// TABLE, CREATE VIEW, CREATE SCHEMA, CREATE FUNCTION, CREATE MATERIALIZED VIEW
	What   string
	Name   []*Ident   // the table, schema or catalog after FROM, IN, ON or CREATE; nil when not given
	Query  *Query     // of SHOW STATS FOR (query)
	Like   *StringLit // nil when not given
	Escape *StringLit
}

// Describe is DESCRIBE INPUT name or DESCRIBE OUTPUT name. DESCRIBE of a table is a Show of its columns.
type Describe struct {
	node
	Output bool
	Name   *Ident
}

// Other is a statement that changes something or controls a session. Only its kind is determined; its text is not
// checked.
type Other struct {
	node
	Kind string // as Trino names it: Insert, CreateTableAsSelect, ...
}

func (*Query) statement()    {}
func (*Explain) statement()  {}
func (*Show) statement()     {}
func (*Describe) statement() {}
func (*Other) statement()    {}

// Query is a query: its body, with the clauses before and after it.
type Query struct {
	node
	clause              // LIMIT, FETCH
	Routines []*Routine // WITH FUNCTION
	With     *With      // nil when there is none
	Body     QueryBody
	OrderBy  []*SortItem
	Offset   Expr // *IntLit or *Param; nil when there is none
	Limit    Expr // likewise
	LimitAll bool // LIMIT ALL
	Fetch    bool // FETCH FIRST; Limit holds the count, nil for one row
	WithTies bool
}

// With is the list of named queries.
type With struct {
	node
	Recursive bool
	Queries   []*NamedQuery
}

// NamedQuery is name [(columns)] AS (query).
type NamedQuery struct {
	node
	Name    *Ident
	Columns []*Ident
	Query   *Query
}

// QueryBody is a *Select, *SetOp, *Values, *TableRef of the form TABLE name, or *SubqueryBody.
type QueryBody interface {
	Node
	queryBody()
}

// Select is SELECT ... FROM ... WHERE ... GROUP BY ... HAVING ... WINDOW.
type Select struct {
	node
	Distinct bool
	All      bool // SELECT ALL
	Items    []SelectItem
	From     []Relation
	Where    Expr
	GroupBy  *GroupBy
	Having   Expr
	Windows  []*NamedWindow
}

// SetOp is left UNION, INTERSECT or EXCEPT right.
type SetOp struct {
	node
	Op       string // UNION, INTERSECT, EXCEPT
	All      bool
	Distinct bool // written out; the meaning without ALL
	// Corresponding pairs the columns by their names: all that both have, or those of By.
	Corresponding bool
	By            []*Ident
	Left, Right   QueryBody
}

// Values is VALUES row, row.
type Values struct {
	node
	Rows []Expr
}

// TableBody is TABLE name.
type TableBody struct {
	node
	Name []*Ident
}

// SubqueryBody is a query in parentheses as an operand of a set operation or as a whole body.
type SubqueryBody struct {
	node
	Query *Query
}

func (*Select) queryBody()       {}
func (*SetOp) queryBody()        {}
func (*Values) queryBody()       {}
func (*TableBody) queryBody()    {}
func (*SubqueryBody) queryBody() {}

// SelectItem is a *SelectExpr or a *SelectStar.
type SelectItem interface {
	Node
	selectItem()
}

// SelectExpr is an expression with an optional name.
type SelectExpr struct {
	node
	Expr  Expr
	Alias *Ident
}

// SelectStar is * or target.* with optional names of columns.
type SelectStar struct {
	node
	Target  Expr // nil for *
	Columns []*Ident
}

func (*SelectExpr) selectItem() {}
func (*SelectStar) selectItem() {}

// GroupBy is the clause GROUP BY.
type GroupBy struct {
	node
	clause        // DISTINCT, ALL
	Distinct, All bool
	Elements      []*GroupingElement
}

// GroupingElement is one element of GROUP BY. Kind "" is a simple one: Sets holds one set, and Bare reports that it was
// written without parentheses. ROLLUP and CUBE hold a set of one expression for each argument.
type GroupingElement struct {
	node
	Kind string // "", ROLLUP, CUBE, GROUPING SETS, AUTO
	Sets []*GroupingSet
}

// GroupingSet is (a, b) or a.
type GroupingSet struct {
	node
	Exprs []Expr
	Bare  bool
}

// SortItem is an expression of ORDER BY.
type SortItem struct {
	node
	Expr  Expr
	Desc  bool
	Asc   bool   // written out
	Nulls string // FIRST, LAST or ""
}

// NamedWindow is name AS (specification).
type NamedWindow struct {
	node
	Name   *Ident
	Window *WindowSpec
}

// Relation is a *TableRef, *SubqueryRel, *Unnest, *Lateral, *Join, *Aliased, *Sampled, *ParenRel, *MatchRecognize,
// *JSONTable or *TableFunc.
type Relation interface {
	Node
	relation()
}

// TableRef is a table by name, with an optional period: FOR TIMESTAMP AS OF x.
type TableRef struct {
	node
	Name       []*Ident
	PeriodKind string // TIMESTAMP, VERSION or ""
	Period     Expr
}

// SubqueryRel is (query).
type SubqueryRel struct {
	node
	Query *Query
}

// ParenRel is (relation).
type ParenRel struct {
	node
	Relation Relation
}

// Unnest is UNNEST(exprs) [WITH ORDINALITY].
type Unnest struct {
	node
	Exprs      []Expr
	Ordinality bool
}

// Lateral is LATERAL (query).
type Lateral struct {
	node
	Query *Query
}

// Aliased is relation [AS] name [(columns)].
type Aliased struct {
	node
	Relation Relation
	Alias    *Ident
	Columns  []*Ident
}

// Sampled is relation TABLESAMPLE method (percentage).
type Sampled struct {
	node
	Relation   Relation
	Method     string // BERNOULLI, SYSTEM
	Percentage Expr
}

// Join is left JOIN right.
type Join struct {
	node
	Kind        string // CROSS, INNER, LEFT, RIGHT, FULL
	Natural     bool
	Left, Right Relation
	On          Expr
	Using       []*Ident
}

func (*TableRef) relation()    {}
func (*SubqueryRel) relation() {}
func (*ParenRel) relation()    {}
func (*Unnest) relation()      {}
func (*Lateral) relation()     {}
func (*Aliased) relation()     {}
func (*Sampled) relation()     {}
func (*Join) relation()        {}
