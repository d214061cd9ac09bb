package sourcetest

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
)

// witnessDiffers lists, by an expression for the statement and what is otherwise, where zone local and the connectors
// of Trino differ and why.
var witnessDiffers = []struct{ catalog, what, reason string }{
	{"pg", `(?s)\bf[48]\b.*(row 1|_col1|rows, want)`, "the connector has the server compare, to which NaN is the " +
		"greatest number; in Trino's language no comparison with it is true"},
	{"pg", `\bm\b(?s).*(operator does not exist|invalid input value for enum)`,
		"the connector sends a condition on an enum that the server rejects"},
	{"pg", `function (min|max)\((uuid|bytea)\) does not exist`,
		"the connector has the server aggregate, which rejects it"},
	{"maria", `infinity\(\)(?s).*'∞' is not a valid`, "the connector sends a number that the server has not"},
	{"maria", `avg\(i8\)|sum\(f8\)`, "the connector has the server aggregate, which rounds an average to its scale " +
		"and adds doubles in another order"},
	{"maria", `(?s)typeof\(m\)|SHOW C.*varchar\(4\)`, "an enum is a varchar of unlimited length"},
	{"", `Catalog 'nosuch' not found`, "the wording of that version; 435 says what zone local says"},
}

// TestWitnessPostgres has zone local and the connector of a Trino read the same tables of a PostgreSQL server, and
// compares names, types, rows and errors.
func TestWitnessPostgres(t *testing.T) {
	base := trino(t)
	pg := postgresAt(t, testdb.Shared(t))
	pg.run(t, postgresTables)
	t.Cleanup(func() { pg.run(t, "DROP SCHEMA witness CASCADE;") })
	compare(t, base, pg)
}

// TestWitnessMariaDB does so with the connector for MySQL.
func TestWitnessMariaDB(t *testing.T) {
	base := trino(t)
	maria := mariadb(t)
	maria.run(t, mariaTables)
	t.Cleanup(func() { maria.run(t, "DROP DATABASE witness;") })
	compare(t, base, maria)
}

// trino is the address of a Trino with catalogs over the servers.
func trino(t *testing.T) string {
	t.Helper()
	base := os.Getenv("DIG_TEST_TRINO")
	if base == "" {
		t.Skip("needs a Trino with catalogs over the servers: bash .ci/databases bash .ci/witness go test " +
			"./pkg/gateway/sourcetest -run Witness")
	}
	return base
}

func compare(t *testing.T, base string, s server) {
	t.Helper()
	z := open(t, s)
	equal, refused, listed, differ := 0, 0, 0, 0
	for _, sql := range witnessStatements(s.catalog) {
		a, err := witness.Run(base, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		why := z.unlike(t, sql, a)
		known := func(d struct{ catalog, what, reason string }) bool {
			return (d.catalog == "" || d.catalog == s.catalog) && regexp.MustCompile(d.what).MatchString(sql+"\n"+why)
		}
		switch {
		case why == "":
			equal++
		case strings.Contains(why, "not supported on zone local"):
			refused++
		case slices.ContainsFunc(witnessDiffers, known):
			listed++
		default:
			differ++
			t.Errorf("%s\n\t%s", sql, why)
		}
	}
	t.Logf("%d equal, %d refused by name, %d listed, %d differ", equal, refused, listed, differ)
}

// unlike says what the zone answers otherwise than Trino. The wire of the gateway has types without their precision,
// and bytes as hexadecimal pairs.
func (z zone) unlike(t *testing.T, sql string, a *witness.Answer) string {
	t.Helper()
	_, err := z.document(t.Context(), sql, api.Compact)
	if a.Failure != nil {
		want := a.Failure[2]
		if a.Failure[1] != "" {
			want = "line " + a.Failure[1] + ": " + want
		}
		var e *api.Error
		switch {
		case err == nil:
			return "fails in Trino: " + want
		case !errors.As(err, &e):
			return err.Error()
		case e.Message != want:
			return "Trino says " + want + "\n\twe say     " + e.Message
		}
		return ""
	}
	if err != nil {
		return "error: " + err.Error()
	}
	got := z.query(t, sql, api.Compact)
	if len(got.names) != len(a.Columns) || len(got.rows) != len(a.Rows) {
		return fmt.Sprintf("%d columns and %d rows, want %d and %d", len(got.names), len(got.rows),
			len(a.Columns), len(a.Rows))
	}
	for i, c := range a.Columns {
		if got.names[i] != c[0] || wireType(got.types[i]) != wireType(c[1]) {
			return fmt.Sprintf("column %d is %s %s, want %s %s", i, got.names[i], got.types[i], c[0], c[1])
		}
	}
	for r, row := range a.Rows {
		for i, v := range row {
			want := wireValue(v, a.Columns[i][1])
			if g := got.rows[r][i]; (g == nil) != (v == nil) || g != nil && !same(*g, want, got.types[i]) {
				if g == nil {
					g = new(string)
					*g = "NULL"
				}
				return fmt.Sprintf("row %d, %s: %q, want %q", r, a.Columns[i][0], *g, want)
			}
		}
	}
	return ""
}

var sizes = regexp.MustCompile(`\(\d+\)`)

// wireType is a type of Trino as the gateway has it: with the digits of a decimal alone.
func wireType(t string) string {
	if strings.HasPrefix(t, "decimal") {
		return strings.ReplaceAll(t, ", ", ",")
	}
	if strings.HasPrefix(t, "char") {
		return t
	}
	return sizes.ReplaceAllString(t, "")
}

func wireValue(v any, typ string) string {
	if v == nil {
		return "NULL"
	}
	if s, ok := v.(string); ok && typ == "varbinary" {
		raw, _ := base64.StdEncoding.DecodeString(s)
		return strings.TrimSpace(fmt.Sprintf("% x", raw))
	}
	return fmt.Sprint(v)
}
