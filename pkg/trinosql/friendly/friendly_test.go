package friendly

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
)

// tables is a catalog: tables by full name, with columns written as in a row type.
type tables map[string]string

func (t tables) Table(n analyze.Name) (*analyze.Table, bool) {
	columns, ok := t[n.String()]
	if !ok {
		return nil, false
	}
	row, err := types.Parse("row(" + columns + ")")
	if err != nil {
		panic(err)
	}
	table := &analyze.Table{Name: n}
	for i, c := range row.Args {
		table.Columns = append(table.Columns, analyze.TableColumn{Name: row.FieldName(i), Type: c})
	}
	return table, true
}

func (t tables) HasCatalog(string) bool        { return true }
func (t tables) HasSchema(string, string) bool { return true }

var tpch = tables{
	"tpch.tiny.nation": "nationkey bigint, name varchar(25), regionkey bigint, comment varchar(152)",
	"tpch.tiny.region": "regionkey bigint, name varchar(25), comment varchar(152)",
	"tpch.tiny.orders": "orderkey bigint, custkey bigint, orderstatus varchar(1), totalprice double, orderdate " +
		"date, orderpriority varchar(15), clerk varchar(15), shippriority integer, comment varchar(79)",
	"tpch.tiny.odd": `"all" bigint, "a ""b""" bigint, "select" bigint, x bigint`,
}

// columnsOf analyses a query as zone local does.
func columnsOf(_ context.Context, sql string, _ bool) ([]Column, error) {
	tree, err := trinosql.Parse(sql)
	if err != nil {
		return nil, err
	}
	a, err := analyze.Analyze(tree, analyze.Options{Catalog: tpch, DefaultCatalog: "tpch", DefaultSchema: "tiny",
		Describe: true})
	if err != nil {
		return nil, err
	}
	var cols []Column
	for _, c := range a.Output {
		cols = append(cols, Column{c.Name, c.Type.String()})
	}
	return cols, nil
}

// pairs reads the statements of a file with what is expected of each.
func pairs(t *testing.T, name string) iter.Seq2[string, string] {
	raw, err := os.ReadFile("testdata/" + name + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(string, string) bool) {
		for pair := range strings.SplitSeq(strings.TrimSpace(string(raw)), ";\n\n") {
			typed, want, ok := strings.Cut(strings.TrimSuffix(pair, ";"), "\n=>\n")
			if !ok {
				t.Fatalf("without =>: %s", pair)
			}
			if !yield(typed, want) {
				return
			}
		}
	}
}

// TestStatements rewrites statements to the Trino SQL beside them. Trino's answers to that are in the corpus of package
// witness, by which zone local is compared with Trino.
func TestStatements(t *testing.T) {
	_, answers, err := witness.Answers("../witness/testdata")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for typed, want := range pairs(t, "statements") {
		n++
		got, err := Rewrite(t.Context(), typed, Options{Columns: columnsOf})
		if err != nil || got == nil || got.String() != want {
			t.Errorf("%s\n\tis %v, %v\n\twant %s", typed, got, err, want)
		}
		if a := answers[want]; a == nil || a.Error != nil || a.Failure != nil {
			t.Errorf("Trino's answer to %s: %+v", want, a)
		}
	}
	if n < 60 {
		t.Errorf("%d statements", n)
	}
}

// TestUnchanged: what Trino accepts stays as it is, byte for byte.
func TestUnchanged(t *testing.T) {
	valid, asked := 0, 0
	for _, dir := range []string{"../witness/testdata", "../witness/testdata/language", "../witness/testdata/system"} {
		list, err := witness.Statements(dir)
		if err != nil {
			t.Fatal(err)
		}
		_, answers, err := witness.Answers(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if a := answers[s.SQL]; a == nil || a.Error != nil {
				continue
			}
			valid++
			got, err := Rewrite(t.Context(), s.SQL, Options{Columns: func(ctx context.Context, sql string,
				types bool) ([]Column, error) {
				asked++
				return columnsOf(ctx, sql, types)
			}})
			if got != nil || err != nil {
				t.Errorf("%s: %s\n\tis %v, %v", s.File, s.SQL, got, err)
			}
		}
	}
	if valid < 20_000 {
		t.Errorf("%d statements", valid)
	}
	t.Logf("%d statements, %d questions for columns", valid, asked)
}

// TestNames: columns and strings that are spelled like friendly words keep their meaning.
func TestNames(t *testing.T) {
	for _, sql := range []string{
		`SELECT "all", count(*) FROM odd GROUP BY ALL`, // there is a column of that name
		`SELECT x FROM odd ORDER BY ALL`,
		`SELECT x AS "all" FROM region CROSS JOIN (VALUES 1) AS t (x) ORDER BY ALL`,
		`SELECT x AS "select" FROM odd WHERE "select" = 1`,
		`SELECT name AS regionkey FROM region WHERE regionkey = 1`,
		`SELECT name AS "Comment" FROM region GROUP BY name, comment`,
		`SELECT (SELECT max(r.name) AS nationkey FROM region r WHERE r.regionkey < nationkey) FROM nation`,
		`SELECT 'a::b ILIKE c', "name" FROM nation -- FROM t SELECT x::int`,
		`SELECT name ilike, regionkey exclude FROM region`,
		`WITH FUNCTION columns(x varchar) RETURNS varchar RETURN x SELECT columns('a')`,
		`SELECT transform(ARRAY[1], n -> n + 1) AS n FROM region WHERE any_match(ARRAY[1], n -> n > 0)`,
		`SELECT count(*) AS c FROM region HAVING count(*) > 1`,
		`INSERT INTO t SELECT x::int FROM u`,
		`DESCRIBE region`, `DESCRIBE OUTPUT x`, `SHOW TABLES`, `SELECT :a`, `PIVOT region ON name`, `SELECT 1 2`, ``,
	} {
		if got, err := Rewrite(t.Context(), sql, Options{Columns: columnsOf}); got != nil || err != nil {
			t.Errorf("%s\n\tis %v, %v", sql, got, err)
		}
	}
	for sql, want := range pairs(t, "names") {
		got, err := Rewrite(t.Context(), sql, Options{Columns: columnsOf})
		if err != nil || got == nil || got.String() != want {
			t.Errorf("%s\n\tis %v, %v\n\twant %s", sql, got, err, want)
		}
	}
}

// TestErrors: an error is at its place in the typed text.
func TestErrors(t *testing.T) {
	for sql, want := range pairs(t, "errors") {
		got, err := Rewrite(t.Context(), sql, Options{Columns: columnsOf})
		if said := placed(err); said != want {
			t.Errorf("%s\n\tis %v, %q\n\twant %q", sql, got, said, want)
		}
	}
}

// placed is an error with its place in the typed text.
func placed(err error) string {
	var asked *ColumnsError
	var wrong *analyze.Error
	switch {
	case errors.As(err, &asked) && errors.As(asked.Err, &wrong):
		line, col := asked.Query.Position(wrong.At.Line, wrong.At.Col)
		return fmt.Sprintf("line %d:%d: %s", line, col, wrong.Msg)
	case err == nil:
		return ""
	}
	return err.Error()
}

// TestPlaces: an error of the rewritten statement is at its place in the typed text, which the caret marks.
func TestPlaces(t *testing.T) {
	for sql, at := range pairs(t, "places") {
		typed := strings.Replace(sql, "^", "", 1)
		got, err := Rewrite(t.Context(), typed, Options{Columns: columnsOf})
		if err != nil || got == nil {
			t.Errorf("%s: %v, %v", sql, got, err)
			continue
		}
		_, err = columnsOf(t.Context(), got.String(), false)
		var wrong *analyze.Error
		if !errors.As(err, &wrong) {
			t.Errorf("%s\n\t%s: %v", sql, got, err)
			continue
		}
		line, col := got.Position(wrong.At.Line, wrong.At.Col)
		wantLine, wantCol := sqltext.PositionOf(sql, strings.IndexByte(sql, '^'))
		if line != wantLine || col != wantCol || at != "" && wrong.Msg != at {
			t.Errorf("%s\n\tis at %d:%d: %v", sql, line, col, err)
		}
	}
}
