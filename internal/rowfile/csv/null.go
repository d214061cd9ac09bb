package csv

// Null represents NULL where an empty field cannot represent it: in a record of one field, because most readers skip a
// blank line, and in the text format of PostgreSQL's COPY (tsv).
const Null = `\N`

// Null reports whether a field of a record with a number of fields is NULL: unquoted and empty, or, in a record of one
// field, `\N`.
func (f *Field) Null(fields int) bool {
	return !f.Quoted && (len(f.Text) == 0 || fields == 1 && string(f.Text) == Null)
}
