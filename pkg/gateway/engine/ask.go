package engine

// Ask is what the gateway wants of an engine by meaning: the engine writes it in its own language. It is one of Rows, Counts, Frequent,
// Listing and Cast.
type Ask interface{ ask() }

// NoRows is the Limit of Rows that asks only what the columns are.
const NoRows = -1

// Rows asks for the rows of a table.
type Rows struct {
	Table   TableName
	Columns []string // nil: all; empty: one value, whatever it is, for each row
	Filters []Filter // joined by AND; the values are those of JSON: string, bool, json.Number; a text takes the type of the column
	Limit   int64    // 0: all
}

// Counts asks for one row: how many rows a table has, and how many different values each of the columns.
type Counts struct {
	Table     TableName
	Columns   []string
	Estimated bool // the different values need not be exact
}

// Frequent asks for the different values of a column as texts, each with how often it occurs: the most frequent first, then by the text.
// NULL is none of them.
type Frequent struct {
	Table  TableName
	Column string
	Limit  int64
}

// Listing asks for the names of the tables of a schema, or without one for the names of the schemas of a catalog, in order.
type Listing struct{ Catalog, Schema string }

// Cast asks for a JSON value as a value of a type. A value that is none of that type is *Error with KindValue.
type Cast struct {
	Value any
	Type  string
}

func (Rows) ask()     {}
func (Counts) ask()   {}
func (Frequent) ask() {}
func (Listing) ask()  {}
func (Cast) ask()     {}
