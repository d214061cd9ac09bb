package engine

import (
	"context"
	"fmt"
)

// Merger builds stored tables from others, and compares them.
type Merger interface {
	// Merge stores the present rows of a table, made of those stored before and of what changed at the source, which alone is read in full.
	// Where there is nothing to build on it answers false: no old rows, other columns, a key that did not tell the old rows apart. A key
	// that does not tell the new ones apart is *KeyError.
	Merge(ctx context.Context, m Merge) (_ Merged, done bool, err error)
	// DropScratch removes what Merge needed besides the table that it stored, also in a process that died.
	DropScratch(ctx context.Context, schema, into string) error
	// Compare tells how the rows of a stored table differ from those of another, duplicates and NULLs included.
	Compare(ctx context.Context, c Comparison) (Changes, error)
	// CheckKey answers *KeyError when a key does not tell the rows of a stored table apart.
	CheckKey(ctx context.Context, schema, table string, key []string) error
}

// Merge says what to build a stored table from.
type Merge struct {
	Schema    string // of both stored tables
	Into, Old string
	Key       []string // tells rows apart, and is nowhere NULL
	Updated   string   // the column with the time of a row's last change; "" for rows that never change: new ones have a larger first column of the key
	From      TableName
	Catalogs  Catalogs // knows From
}

// Merged is what a Merge did.
type Merged struct {
	Changes
	Rows int64 // that are stored now
	Read int64 // that were read in full
}

// Changes counts rows by what became of them.
type Changes struct{ Inserted, Updated, Deleted int64 }

// Comparison names two stored tables of one schema.
type Comparison struct {
	Schema, Old, New string
	// Key finds the rows that were updated. Without one, or where it does not tell rows apart in both tables, such a row counts as a deleted
	// and an inserted one.
	Key []string
	// Keys are names of columns, the first of which that the tables have is the key where none is given.
	Keys []string
}

// KeyError says that a key does not tell the rows of a table apart.
type KeyError struct {
	Missing int64    // rows where a part of it is NULL
	Twice   int64    // values that occur more than once, where Missing is 0
	Example []string // one of them
}

func (e *KeyError) Error() string {
	if e.Missing > 0 {
		return fmt.Sprintf("the key is NULL in %d rows", e.Missing)
	}
	return fmt.Sprintf("%d values of the key occur more than once", e.Twice)
}
