//go:build cgo

package duckdb

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// digitsCut are the zeros at the end of a second, of which DuckDB's types have others than Trino's.
var digitsCut = regexp.MustCompile(`(:\d\d)(?:(\.\d*[1-9])?\.?0*)( UTC|\||\n|$)`)

var ownCall = regexp.MustCompile(`"~\w+"\s*\(`)

// TestTranspile writes every idiom for DuckDB. What is written gives the same rows when it runs as DuckDB's own SQL, where the
// gateway's functions are out of reach; what is not written is refused.
func TestTranspile(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	written, refused := 0, 0
	for _, i := range readIdioms(t) {
		if strings.HasPrefix(i.sql, "SELECT DISTINCT a + 0 AS c") || i.sql == "SELECT 1 NOTNULL" || i.sql == "SELECT 1._5" {
			continue // which DuckDB's parser takes otherwise than Trino's
		}
		text, err := p.Transpile(t.Context(), engine.Query{SQL: i.sql}, "duckdb")
		if i.bad != "" { // a fault of the statement, or of a value when it runs
			if err == nil {
				_, err = rows(t, own{p}, engine.Query{SQL: text})
			}
			if err == nil {
				t.Errorf("line %d: %s is refused, and was written as\n%s", i.line, i.sql, text)
			}
			continue
		}
		if err != nil {
			if kindOf(err) != engine.KindUnsupported {
				t.Errorf("line %d: %s: %q: %v", i.line, i.sql, kindOf(err), err)
			}
			refused++
			continue
		}
		written++
		if ownCall.MatchString(text) {
			t.Errorf("line %d: %s needs the gateway:\n%s", i.line, i.sql, text)
		}
		if strings.Contains(strings.ToLower(i.sql), "rand") || strings.Contains(i.sql, "uuid()") || strings.Contains(i.sql, "INTERVAL") || strings.Contains(i.sql, " - ") || strings.Contains(i.sql, "ß") || strings.Contains(text, "sample.") {
			continue // another value each time, intervals are written otherwise, and DuckDB has no table of the sample
		}
		want, _ := rows(t, p, engine.Query{SQL: i.sql})
		if got, err := rows(t, own{p}, engine.Query{SQL: text}); err != nil || digitsCut.ReplaceAllString(got, "$1$2$3") != digitsCut.ReplaceAllString(want, "$1$2$3") {
			t.Errorf("line %d: %s\n%s\n got %v %s\nwant %s", i.line, i.sql, text, err, got, want)
		}
	}
	t.Logf("%d written, %d refused", written, refused)
	if written < 60 || refused < 20 {
		t.Errorf("%d written, %d refused", written, refused)
	}
}
