package localstate

import (
	"path/filepath"
	"strings"
	"time"
)

// Column is a column of a saved query; the type is "" if unknown.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
}

// QueryColumns records the columns that a saved query had when it was saved, or first run from here.
type QueryColumns struct {
	Name    string    `json:"name,omitempty"`
	Columns []Column  `json:"columns"`
	At      time.Time `json:"at"`
}

// NewQueryColumns returns the ledger of the columns of saved queries at a target. Its keys are ids of queries, or
// names: see QueryName.
func NewQueryColumns(stateDir string, p Place) *Ledger[QueryColumns] {
	return &Ledger[QueryColumns]{path: filepath.Join(stateDir, "queries", p.Key()+".json")}
}

// QueryName is the key of a query of which only the name is known.
func QueryName(name string) string { return "name\x00" + strings.ToLower(name) }
