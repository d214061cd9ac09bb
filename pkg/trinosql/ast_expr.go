package trinosql

import "strings"

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// Ident is a name. Unquoted names are kept as written; Trino compares names without regard to case.
type Ident struct {
	node
	Name   string
	Quoted bool
}

// Lower is the name in lower case, which Trino looks up.
func (i *Ident) Lower() string { return strings.ToLower(i.Name) }

// Deref is base.field.
type Deref struct {
	node
	Base  Expr
	Field *Ident
}

type (
	// NullLit is NULL.
	NullLit struct{ node }
	// BoolLit is TRUE or FALSE.
	BoolLit struct {
		node
		Value bool
	}
	// StringLit is 'text' or U&'text'; Value is without quotes and escapes.
	StringLit struct {
		node
		Value string
	}
	// BinaryLit is X'hex'.
	BinaryLit struct {
		node
		Value []byte
	}
	// IntLit is an integer in any base, without underscores: 10, 0xff.
	IntLit struct {
		node
		Text string
	}
	// DecimalLit is digits with a point, without underscores.
	DecimalLit struct {
		node
		Text string
	}
	// DoubleLit is a number with an exponent.
	DoubleLit struct {
		node
		Text string
	}
	// TypedLit is a type's name and a text: DATE '2020-01-31'. Type is in upper case; DOUBLE PRECISION is DOUBLE.
	TypedLit struct {
		node
		Type  string
		Value string
	}
	// IntervalLit is INTERVAL [sign] 'value' from [TO to].
	IntervalLit struct {
		node
		Negative bool
		Value    string
		From, To string // YEAR, MONTH, DAY, HOUR, MINUTE, SECOND; To may be ""
	}
	// Param is ?; Index counts from 0 in the order of the text.
	Param struct {
		node
		Index int
	}
)

type (
	// Unary is -x or +x.
	Unary struct {
		node
		Op string
		X  Expr
	}
	// Binary is arithmetic or ||.
	Binary struct {
		node
		Op   string // + - * / % ||
		L, R Expr
	}
	// Compare is = <> < <= > >=.
	Compare struct {
		node
		Op   string
		L, R Expr
	}
	// Quantified is x op ALL|ANY|SOME (query).
	Quantified struct {
		node
		Op         string
		Quantifier string
		X          Expr
		Query      *Query
	}
	// Between is x [NOT] BETWEEN low AND high.
	Between struct {
		node
		Not       bool
		X, Lo, Hi Expr
	}
	// InList is x [NOT] IN (list).
	InList struct {
		node
		Not  bool
		X    Expr
		List []Expr
	}
	// InQuery is x [NOT] IN (query).
	InQuery struct {
		node
		Not   bool
		X     Expr
		Query *Query
	}
	// LikeExpr is x [NOT] LIKE pattern [ESCAPE escape].
	LikeExpr struct {
		node
		Not                bool
		X, Pattern, Escape Expr
	}
	// IsNull is x IS [NOT] NULL.
	IsNull struct {
		node
		Not bool
		X   Expr
	}
	// IsDistinct is l IS [NOT] DISTINCT FROM r.
	IsDistinct struct {
		node
		Not  bool
		L, R Expr
	}
	// Not is NOT x.
	Not struct {
		node
		X Expr
	}
	// Logic is terms joined by AND or by OR.
	Logic struct {
		node
		Op    string
		Terms []Expr
	}
)

type (
	// Func is a call of a function.
	Func struct {
		node
		clause   // OVER
		Name     []*Ident
		Distinct bool
		All      bool
		Star     bool   // f(*)
		Label    *Ident // f(label.*), with Star
		Mode     string // RUNNING, FINAL or ""
		Measure  bool   // a measure of a window: name OVER, without parentheses
		Args     []Expr
		OrderBy  []*SortItem
		Filter   Expr
		Nulls    string // IGNORE, RESPECT or ""
		Over     *WindowSpec
		OverName *Ident
	}
	// Listagg is LISTAGG(x, sep ON OVERFLOW ...) WITHIN GROUP (ORDER BY ...).
	Listagg struct {
		node
		Distinct  bool
		All       bool
		X         Expr
		Separator *StringLit
		Overflow  string // ERROR, TRUNCATE or ""
		Filler    *StringLit
		Count     string // WITH, WITHOUT or ""
		Within    []*SortItem
		Filter    Expr
	}
	// WindowSpec is the content of the parentheses of OVER.
	WindowSpec struct {
		node
		clause      // ORDER BY
		Base        *Ident
		PartitionBy []Expr
		OrderBy     []*SortItem
		Frame       *Frame
	}
	// Frame is a window's frame; End is nil when only the start was given.
	Frame struct {
		node
		Kind       string // ROWS, RANGE, GROUPS
		Start, End *FrameBound
		Patterns   *RowPatterns // nil for most
	}
	// FrameBound is one end of a frame.
	FrameBound struct {
		node
		Kind  string // UNBOUNDED PRECEDING, UNBOUNDED FOLLOWING, CURRENT ROW, PRECEDING, FOLLOWING
		Value Expr
	}
	// Lambda is x -> body or (x, y) -> body.
	Lambda struct {
		node
		Params []*Ident
		Body   Expr
	}
	// Subquery is (query) as a value.
	Subquery struct {
		node
		Query *Query
	}
	// Exists is EXISTS (query).
	Exists struct {
		node
		Query *Query
	}
	// Case is CASE [operand] WHEN ... [ELSE ...] END.
	Case struct {
		node
		Operand Expr
		Whens   []*When
		Else    Expr
	}
	// When is WHEN condition THEN result.
	When struct {
		node
		Cond, Then Expr
	}
	// Cast is CAST(x AS type) or TRY_CAST.
	Cast struct {
		node
		X    Expr
		Type Type
		Try  bool
	}
	// Array is ARRAY[items].
	Array struct {
		node
		Items []Expr
	}
	// Row is ROW(items) or, with Bare set, (a, b).
	Row struct {
		node
		Items []Expr
		Bare  bool
	}
	// Subscript is x[index].
	Subscript struct {
		node
		X, Index Expr
	}
	// AtTimeZone is x AT TIME ZONE zone; Zone is a *StringLit or an *IntervalLit.
	AtTimeZone struct {
		node
		X, Zone Expr
	}
	// Current is CURRENT_DATE, CURRENT_TIME, CURRENT_TIMESTAMP, LOCALTIME, LOCALTIMESTAMP, CURRENT_USER,
	// CURRENT_CATALOG, CURRENT_SCHEMA or CURRENT_PATH.
	Current struct {
		node
		What      string
		Precision string // digits, "" when not given
	}
	// Trim is TRIM([spec] [chars] FROM x) or TRIM(x, chars).
	Trim struct {
		node
		Spec  string // BOTH, LEADING, TRAILING or ""
		Chars Expr
		X     Expr
		Comma bool // TRIM(x, chars)
	}
	// Substring is SUBSTRING(x FROM start [FOR length]). With commas it is a Func.
	Substring struct {
		node
		X, From, For Expr
	}
	// Position is POSITION(sub IN x).
	Position struct {
		node
		Sub, X Expr
	}
	// Normalize is NORMALIZE(x [, form]).
	Normalize struct {
		node
		X    Expr
		Form string // NFC, NFD, NFKC, NFKD or ""
	}
	// Extract is EXTRACT(field FROM x).
	Extract struct {
		node
		Field *Ident
		X     Expr
	}
	// Grouping is GROUPING(columns).
	Grouping struct {
		node
		Columns []Expr
	}
)

func (*Ident) expr()       {}
func (*Deref) expr()       {}
func (*NullLit) expr()     {}
func (*BoolLit) expr()     {}
func (*StringLit) expr()   {}
func (*BinaryLit) expr()   {}
func (*IntLit) expr()      {}
func (*DecimalLit) expr()  {}
func (*DoubleLit) expr()   {}
func (*TypedLit) expr()    {}
func (*IntervalLit) expr() {}
func (*Param) expr()       {}
func (*Unary) expr()       {}
func (*Binary) expr()      {}
func (*Compare) expr()     {}
func (*Quantified) expr()  {}
func (*Between) expr()     {}
func (*InList) expr()      {}
func (*InQuery) expr()     {}
func (*LikeExpr) expr()    {}
func (*IsNull) expr()      {}
func (*IsDistinct) expr()  {}
func (*Not) expr()         {}
func (*Logic) expr()       {}
func (*Func) expr()        {}
func (*Listagg) expr()     {}
func (*Lambda) expr()      {}
func (*Subquery) expr()    {}
func (*Exists) expr()      {}
func (*Case) expr()        {}
func (*Cast) expr()        {}
func (*Array) expr()       {}
func (*Row) expr()         {}
func (*Subscript) expr()   {}
func (*AtTimeZone) expr()  {}
func (*Current) expr()     {}
func (*Trim) expr()        {}
func (*Substring) expr()   {}
func (*Position) expr()    {}
func (*Normalize) expr()   {}
func (*Extract) expr()     {}
func (*Grouping) expr()    {}
