//go:build cgo

package duckdb

import (
	"regexp"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

var ownCall = regexp.MustCompile(`"~\w+"\s*\(`)

// TestTranspile writes every idiom for PostgreSQL. What is written calls no function of the engine, and what is not is
// refused by name. TestTranspiled compares the rows.
func TestTranspile(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	written, refused := 0, 0
	for _, i := range readIdioms(t) {
		text, err := sql.Transpile(t.Context(), p, sql.Query{SQL: i.text}, "postgresql")
		switch {
		case i.bad != "": // a fault of the statement, or of a value when it runs
		case err == nil:
			written++
			if ownCall.MatchString(text) {
				t.Errorf("line %d: %s needs the gateway:\n%s", i.line, i.text, text)
			}
		case kindOf(err) != engine.KindUnsupported:
			t.Errorf("line %d: %s: %q: %v", i.line, i.text, kindOf(err), err)
		default:
			refused++
		}
	}
	t.Logf("%d written, %d refused", written, refused)
	if written < 50 || refused < 20 {
		t.Errorf("%d written, %d refused", written, refused)
	}
}
