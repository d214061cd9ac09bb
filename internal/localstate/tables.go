package localstate

import (
	"path/filepath"
	"strings"
	"time"
)

// Creation is the note about a table that is made in two requests: it stands from before the first until the second has succeeded.
type Creation struct {
	Columns []string  `json:"columns"`
	At      time.Time `json:"at"`
}

// NewCreations names the ledger of the tables whose making was begun at a place.
func NewCreations(stateDir string, p Place) *Ledger[Creation] {
	return &Ledger[Creation]{path: filepath.Join(stateDir, "tables", p.Key()+".json")}
}

// TableKey is the key of a table.
func TableKey(kind, table string) string { return kind + "\x00" + strings.ToLower(table) }
