package generate

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// TestStatements parses statements, which are the same each time.
func TestStatements(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(2000) {
		sql := Statement(seed)
		if again := Statement(seed); again != sql {
			t.Fatalf("seed %d:\n%s\n%s", seed, sql, again)
		}
		seen[sql] = true
		if _, err := trinosql.Parse(sql); err != nil {
			t.Errorf("seed %d: %s: %v", seed, sql, errors.Unwrap(err))
		}
	}
	if len(seen) < 1900 {
		t.Errorf("only %d different statements", len(seen))
	}
}

const kept = "../testdata/generated.sql"

// TestKept compares the statements of the first seeds in the corpus with what is generated now. DIG_TEST_RENEW writes
// them.
func TestKept(t *testing.T) {
	var b strings.Builder
	b.WriteString("-- What is generated for the seeds from 0 on, each statement on a line.\n")
	for seed := range uint64(1000) {
		b.WriteString(Statement(seed) + ";\n")
	}
	if os.Getenv("DIG_TEST_RENEW") != "" {
		if err := os.WriteFile(kept, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != b.String() {
		t.Errorf("%s is not what is generated: run with DIG_TEST_RENEW=missing", kept)
	}
}
