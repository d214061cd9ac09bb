package csv

// Null is how NULL is written where an empty field cannot stand for it: in a record of one field, which would be a blank line that most readers
// skip, and in the text format of PostgreSQL's COPY (tsv).
const Null = `\N`
