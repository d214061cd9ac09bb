package analyze

import (
	"errors"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// A quoted name is not taken for a call or an operator that was resolved before it.
func TestCallsThatJoinAlike(t *testing.T) {
	for _, sql := range []string{`SELECT abs(1), "abs|integer"()`, `SELECT 1 + 1, "$add"(1, 1)`,
		`SELECT 1 < 1, "$less_than"(1, 1)`, `SELECT 1 + 1, "$ADD"(1, 1)`, `SELECT abs(1), "abs|integer|"()`} {
		tree, err := trinosql.Parse(sql)
		if err != nil {
			t.Fatal(sql, err)
		}
		_, err = Analyze(tree, Options{Catalog: hintCatalog{}, DefaultCatalog: "c", DefaultSchema: "s"})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Error(), "not registered") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
