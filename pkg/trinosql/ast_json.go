package trinosql

type (
	// JSONFunc is JSON_EXISTS, JSON_VALUE or JSON_QUERY.
	JSONFunc struct {
		node
		Name      string // JSON_EXISTS, JSON_VALUE, JSON_QUERY
		Input     *JSONInput
		Path      *StringLit
		Passing   []*JSONPassing
		Returning Type   // nil when not given; not of JSON_EXISTS
		Format    string // FORMAT after RETURNING: JSON, JSON UTF8, ... or ""
		Wrapper   string // of JSON_QUERY: WITHOUT, WITH CONDITIONAL, WITH UNCONDITIONAL or ""
		Quotes    string // of JSON_QUERY: KEEP, OMIT or ""
		OnString  bool   // KEEP QUOTES ON SCALAR STRING
		Empty     *JSONBehaviour
		Error     *JSONBehaviour
	}
	// JSONInput is a value with an optional format.
	JSONInput struct {
		node
		X      Expr
		Format string // JSON, JSON UTF8, JSON UTF16, JSON UTF32 or ""
	}
	// JSONPassing is value AS name.
	JSONPassing struct {
		node
		Input *JSONInput
		Name  *Ident
	}
	// JSONBehaviour is what a function does ON EMPTY or ON ERROR.
	JSONBehaviour struct {
		node
		Kind  string // NULL, ERROR, DEFAULT, EMPTY ARRAY, EMPTY OBJECT, TRUE, FALSE, UNKNOWN
		Value Expr   // of DEFAULT
	}
	// JSONObject is JSON_OBJECT(members ...).
	JSONObject struct {
		node
		Members   []*JSONMember
		Nulls     string // NULL, ABSENT or ""
		Unique    string // WITH, WITHOUT or ""
		Returning Type
		Format    string
	}
	// JSONMember is KEY k VALUE v or k : v.
	JSONMember struct {
		node
		Key   Expr
		Value *JSONInput
		Colon bool
	}
	// JSONArray is JSON_ARRAY(values ...).
	JSONArray struct {
		node
		Values    []*JSONInput
		Nulls     string
		Returning Type
		Format    string
	}
)

func (*JSONFunc) expr()   {}
func (*JSONObject) expr() {}
func (*JSONArray) expr()  {}

// Type is a data type: a *NamedType, *RowType, *TimeType or *IntervalType.
type Type interface {
	Node
	dataType()
}

type (
	// NamedType is a name with parameters: varchar(10), array(bigint), decimal(10, 2). DOUBLE PRECISION is double; x
	// ARRAY and ARRAY<x> are array(x).
	NamedType struct {
		node
		Name   *Ident
		Params []TypeParam
	}
	// TypeParam is a number or a type.
	TypeParam struct {
		Number string
		Type   Type
	}
	// RowType is ROW(fields).
	RowType struct {
		node
		Fields []*RowField
	}
	// RowField is [name] type.
	RowField struct {
		node
		Name *Ident
		Type Type
	}
	// TimeType is TIME or TIMESTAMP with its precision and zone.
	TimeType struct {
		node
		Name      string // TIME, TIMESTAMP
		Precision *TypeParam
		WithZone  bool
	}
	// IntervalType is INTERVAL from TO to.
	IntervalType struct {
		node
		From, To string
	}
)

func (*NamedType) dataType()    {}
func (*RowType) dataType()      {}
func (*TimeType) dataType()     {}
func (*IntervalType) dataType() {}
