package engine

// Ask is a query of the gateway that is described by its meaning; the engine translates it to its own SQL. It is one of
// Rows, Counts, Frequent, Listing and Cast.
type Ask interface{ ask() }

// NoRows is the Limit of Rows that requests only the columns.
const NoRows = -1

// Rows requests the rows of a table.
type Rows struct {
	Table   TableName
	Columns []string // nil: all; empty: one arbitrary value for each row
	Filters []Filter // joined by AND; the values are those of JSON: string, bool, json.Number; a string gets the type of the column
	Limit   int64    // 0: all
}

// Counts requests one row: the number of rows of a table, and of distinct values in each of the columns.
type Counts struct {
	Table     TableName
	Columns   []string
	Estimated bool // the numbers of distinct values need not be exact
}

// Frequent requests the distinct values of a column as strings, each with its number of occurrences: the most frequent
// first, then by the string. NULL is not included.
type Frequent struct {
	Table  TableName
	Column string
	Limit  int64
}

// Listing requests the names of the tables of a schema, or without a schema the names of the schemas of a catalog, in
// order.
type Listing struct{ Catalog, Schema string }

// Cast requests the conversion of a JSON value to a type. A value that is not of that type is *Error with KindValue.
type Cast struct {
	Value any
	Type  string
}

func (Rows) ask()     {}
func (Counts) ask()   {}
func (Frequent) ask() {}
func (Listing) ask()  {}
func (Cast) ask()     {}
