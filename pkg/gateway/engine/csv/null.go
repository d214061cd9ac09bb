package csv

// Null is how NULL is written where an empty field cannot stand for it: in a record of one field, which would be a blank line that most readers
// skip, and in the text format of PostgreSQL's COPY (tsv).
const Null = `\N`

// Null reports whether a field of a record with a number of fields is NULL: unquoted and empty, or, in a record of one field, `\N`.
func (f *Field) Null(fields int) bool {
	return !f.Quoted && (len(f.Text) == 0 || fields == 1 && string(f.Text) == Null)
}
