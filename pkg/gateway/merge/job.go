package merge

import (
	"fmt"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// Job describes the sources of a stored table.
type Job struct {
	Schema    string // of both stored tables
	Into, Old string
	Key       []string // identifies a row, and is never NULL
	// the column with the time of a row's last change; "" for rows that never change: new ones have a larger first key
	// column
	Updated  string
	From     engine.TableName
	Catalogs sql.Catalogs // resolves From
}

// Merged is the result of Merge.
type Merged struct {
	Changes
	Rows int64 // stored now
	Read int64 // read in full
}

// Changes counts rows by kind of change.
type Changes struct{ Inserted, Updated, Deleted int64 }

// Comparison names two stored tables of one schema.
type Comparison struct {
	Schema, Old, New string
	// Key identifies updated rows. Without a key, or if it is not unique in both tables, an updated row counts as a
	// deleted and an inserted one.
	Key []string
	// Keys are names of columns. If Key is empty, the key is the first of them that the tables have.
	Keys []string
}

// KeyError means that a key does not identify the rows of a table.
type KeyError struct {
	Missing int64    // number of rows with NULL in a part of it
	Twice   int64    // number of values that occur more than once, if Missing is 0
	Example []string // one of them
}

func (e *KeyError) Error() string {
	if e.Missing > 0 {
		return fmt.Sprintf("the key is NULL in %d rows", e.Missing)
	}
	return fmt.Sprintf("%d values of the key occur more than once", e.Twice)
}
