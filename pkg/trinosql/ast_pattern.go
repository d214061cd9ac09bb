package trinosql

// MatchRecognize is relation MATCH_RECOGNIZE (...). Its Clause is the place of MATCH_RECOGNIZE.
type MatchRecognize struct {
	node
	clause
	Relation    Relation
	PartitionBy []Expr
	OrderBy     []*SortItem
	Rows        string // ROWS PER MATCH: ONE, ALL, ALL SHOW, ALL OMIT, ALL UNMATCHED or ""
	Patterns    *RowPatterns
}

// RowPatterns are the clauses of row pattern recognition that MATCH_RECOGNIZE and the frame of a window have in common.
type RowPatterns struct {
	node
	Measures []*NamedExpr
	Skip     string // AFTER MATCH SKIP: TO NEXT ROW, PAST LAST ROW, TO FIRST, TO LAST, TO or ""
	SkipTo   *Ident
	Search   string   // INITIAL, SEEK or ""
	Pattern  *Pattern // nil where it is missing, which only the frame of a window allows
	Subsets  []*Subset
	Define   []*NamedExpr
}

func (r *RowPatterns) empty() bool {
	return r.Measures == nil && r.Skip == "" && r.Search == "" && r.Pattern == nil && r.Subsets == nil &&
		r.Define == nil
}

// NamedExpr is x AS name of MEASURES, or name AS x of DEFINE.
type NamedExpr struct {
	node
	Name *Ident
	Expr Expr
}

// Pattern is a pattern of rows.
type Pattern struct {
	node
	clause                // of the quantifier
	Kind       string     // NAME, PERMUTE, "(" in parentheses, "{-" excluded, "^", "$", "|", or "" for a sequence
	Name       *Ident     // of NAME
	Items      []*Pattern // none of "(" is the empty pattern
	Quantifier string     // as written, without white space: "*", "+?", "{2,}"
}

// Subset is name = (names).
type Subset struct {
	node
	Name *Ident
	Of   []*Ident
}

func (*MatchRecognize) relation() {}
