package translate

import (
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql/functions"
)

// TestTemplates reads the files of functions: each line is about a signature that exists, and each rule is there.
func TestTemplates(t *testing.T) {
	m, err := readTemplates()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, f := range functions.All() {
		known[f.Key] = true
	}
	for key, l := range m {
		if !known[key] {
			t.Errorf("%s: no such signature", key)
		}
		if l.rule != "" && rules[l.rule] == nil {
			t.Errorf("%s: no rule %s", key, l.rule)
		}
	}
	t.Logf("%d of %d signatures", len(m), len(known))
}

func TestSliced(t *testing.T) {
	for sql, want := range map[string]string{
		`SELECT "~error"('x')`:                                `SELECT "~error"('x')`,
		`SELECT "~error"('it''s, ' || "~c1")`:                 `SELECT "~error"(array_slice(CAST('it''s, ' || "~c1" AS VARCHAR), 1, -1))`,
		`"~cast"('a', f("~c1", 2), 'bigint') AS "~r1"("~c2")`: `"~cast"('a',array_slice(CAST( f("~c1", 2) AS VARCHAR), 1, -1), 'bigint') AS "~r1"("~c2")`,
		`"~date_of"("~cast"("~c1", 'x'))`:                     `"~date_of"(array_slice(CAST("~cast"(array_slice(CAST("~c1" AS VARCHAR), 1, -1), 'x') AS VARCHAR), 1, -1))`,
		`"~like"("~c1", '%')`:                                 `"~like"("~c1", '%')`,
	} {
		if got := sliced(sql); got != want {
			t.Errorf("%s\n\tis   %s\n\twant %s", sql, got, want)
		} else if again := sliced(got); again != got {
			t.Errorf("%s\n\tagain: %s", got, again)
		}
	}
}
