package trinosql

// Routine is a function of WITH FUNCTION.
type Routine struct {
	node
	Name       []*Ident
	Params     []*RowField
	Returns    Type
	Traits     []*RoutineTrait
	Body       *Control
	Definition *StringLit // AS $$...$$, in another language; without the dollars
}

// RoutineTrait is a characteristic of a routine.
type RoutineTrait struct {
	node
	// Kind is LANGUAGE, DETERMINISTIC, NOT DETERMINISTIC, RETURNS NULL ON NULL INPUT, CALLED ON NULL INPUT, SECURITY
	// DEFINER, SECURITY INVOKER, COMMENT or WITH.
	Kind       string
	Language   *Ident
	Comment    *StringLit
	Properties []*NamedExpr // nil as the expression of DEFAULT
}

// Control is a statement of a routine.
type Control struct {
	node
	Kind     string // RETURN, SET, IF, CASE, ITERATE, LEAVE, BEGIN, LOOP, WHILE or REPEAT
	Name     *Ident // the variable of SET, and the label of ITERATE, LEAVE and the loops
	Expr     Expr   // the value of RETURN and SET, the operand of CASE, the condition of WHILE and UNTIL
	Declares []*Declare
	Branches []*Branch // of IF and CASE
	Body     []*Control
	Else     []*Control // nil without ELSE
}

// Declare is DECLARE names type DEFAULT value.
type Declare struct {
	node
	Names   []*Ident
	Type    Type
	Default Expr
}

// Branch is a condition of IF, ELSEIF or WHEN with its statements.
type Branch struct {
	node
	Cond Expr
	Body []*Control
}
