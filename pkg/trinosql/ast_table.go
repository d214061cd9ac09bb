package trinosql

// JSONTable is JSON_TABLE(...).
type JSONTable struct {
	node
	Root     *JSONFunc // input, path and parameters
	PathName *Ident
	Columns  []*JSONColumn
	Plan     *JSONPlan
	OnError  string // ERROR, EMPTY or ""
}

// JSONColumn is a column of JSON_TABLE, or NESTED PATH with its columns.
type JSONColumn struct {
	node
	Name       *Ident
	Ordinality bool
	// Value computes the column as JSON_VALUE or JSON_QUERY does, without an input. Its Path is nil if it follows from
	// the name.
	Value *JSONFunc
	// Path and PathName are those of NESTED PATH, and Columns its columns.
	Path     *StringLit
	PathName *Ident
	Columns  []*JSONColumn
}

// JSONPlan is the clause PLAN of JSON_TABLE, or a part of it.
type JSONPlan struct {
	node
	Default string // PLAN DEFAULT: "OUTER", "INNER, CROSS"
	Name    *Ident // of a path alone
	Op      string // OUTER, INNER, UNION or CROSS, between Items
	Items   []*JSONPlan
}

// TableFunc is TABLE(function(arguments)).
type TableFunc struct {
	node
	Name        []*Ident
	Args        []*TableArg
	Copartition []*Copartition
}

// Builtin is the name of a table function that every Trino has, sequence or exclude_columns; "" for those of catalogs,
// which may do anything.
func (f *TableFunc) Builtin() string {
	n := len(f.Name) - 1
	name := f.Name[n].Lower()
	if n == 1 || n > 2 || n == 2 && (f.Name[0].Lower() != "system" || f.Name[1].Lower() != "builtin") ||
		name != "sequence" && name != "exclude_columns" {
		return ""
	}
	return name
}

// Copartition are the tables of a list of COPARTITION, each a name with dots.
type Copartition struct {
	node
	Tables []Expr
}

// TableArg is an argument of a table function: an expression, a table or a descriptor.
type TableArg struct {
	node
	Name        *Ident // before =>
	Expr        Expr
	Table       Relation // a *TableRef or *SubqueryRel, or one of them in an *Aliased
	Partitioned bool     // PARTITION BY, which may be followed by ()
	PartitionBy []Expr
	Empty       string // PRUNE, KEEP or ""
	OrderBy     []*SortItem
	Descriptor  []*RowField // DESCRIPTOR(a, b bigint)
	NoFields    bool        // DESCRIPTOR() or CAST(NULL AS DESCRIPTOR)
}

func (*JSONTable) relation() {}
func (*TableFunc) relation() {}
