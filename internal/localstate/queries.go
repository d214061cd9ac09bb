package localstate

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Column is a column of a saved query; the type is "" if unknown.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
}

// SameColumns reports whether two lists have the same names and types. A type is compared if both lists have it: the
// hosted zones report no types without rows.
func SameColumns(a, b []Column) bool {
	return slices.EqualFunc(a, b, func(a, b Column) bool {
		return a.Name == b.Name && (a.Type == b.Type || a.Type == "" || b.Type == "")
	})
}

// ColumnsText lists columns for a message.
func ColumnsText(cols []Column) string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = strings.TrimSpace(c.Name + " " + c.Type)
	}
	return strings.Join(out, ", ")
}

// QueryColumns records the columns that a saved query had when it was saved, or first run from here.
type QueryColumns struct {
	Name    string    `json:"name,omitempty"`
	Columns []Column  `json:"columns"`
	At      time.Time `json:"at"`
}

// NewQueryColumns returns the ledger of the columns of saved queries at a target. Its keys are ids of queries, or
// names: see QueryName.
func NewQueryColumns(stateDir string, p Scope) *Ledger[QueryColumns] {
	return &Ledger[QueryColumns]{path: filepath.Join(stateDir, "queries", p.Key()+".json")}
}

// QueryName is the key of a query of which only the name is known.
func QueryName(name string) string { return "name\x00" + strings.ToLower(name) }
