package localstate

import (
	"path/filepath"
	"strings"
	"time"
)

// Creation is the record of a table that is created in two requests: it exists from before the first until the second
// has succeeded.
type Creation struct {
	Columns []string  `json:"columns"`
	At      time.Time `json:"at"`
}

// NewCreations returns the ledger of the unfinished creations of tables at a target.
func NewCreations(stateDir string, p Scope) *Ledger[Creation] {
	return &Ledger[Creation]{path: filepath.Join(stateDir, "tables", p.Key()+".json")}
}

// TableKey is the key of a table.
func TableKey(kind, table string) string { return kind + "\x00" + strings.ToLower(table) }
