package rowfile

// Value is a value of a row in a file that is not CSV.
type Value struct {
	Text []byte
	Kind Kind
}

// Kind is the kind of a value.
type Kind uint8

// The kinds.
const (
	Null   Kind = iota
	Field       // a string with the meaning of a field in CSV
	Double      // a number of a workbook, which stores doubles: their shortest text
	Number      // a Field in a column of decimals
	String      // a string: varchar, unless it is a date, a time or a UUID
	Opaque      // a varchar, whatever it contains
	Clock       // a time of a column of times
)
