package main

import (
	"strings"
	"testing"
)

// TestWrite: every module that is linked in has a licence text, and so have Go and DuckDB.
func TestWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the go command about every system")
	}
	raw, err := write()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Stichting DuckDB Foundation", "The Go Authors", "github.com/spf13/cobra v",
		"modernc.org/sqlite v", "github.com/duckdb/duckdb-go-bindings v"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%q is missing", want)
		}
	}
}
