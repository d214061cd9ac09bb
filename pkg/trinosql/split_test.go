package trinosql

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	got := Split(";; SELECT ';' ; -- a;b\n\n/* ; */ SELECT \";\" -- end\n;\n")
	if len(got) != 2 || got[0].Text != "SELECT ';'" || got[1].Text != `SELECT ";"` || got[1].At.Line != 3 ||
		got[1].At.Col != 9 || !got[1].Ended {
		t.Errorf("%+v", got)
	}
	routine := "WITH FUNCTION f() RETURNS integer BEGIN CASE WHEN true THEN RETURN 1; END CASE; IF 1 = 2 THEN " +
		"SET a = CASE a WHEN 1 THEN 2 END; END IF; BEGIN END; RETURN 3; END SELECT f(), CASE WHEN true THEN 1 END"
	create := "create or replace function f() returns integer begin return 1; end"
	got = Split(routine + "; " + create + "; SELECT 1 AS begin; SELECT 2")
	if len(got) != 4 || got[0].Text != routine || got[1].Text != create || got[3].Text != "SELECT 2" {
		t.Errorf("%+v", got)
	}
	if got := Split(" -- nothing\n"); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestTables(t *testing.T) {
	s, err := Parse(`WITH a AS (SELECT * FROM a), b AS (SELECT * FROM a) SELECT *, (SELECT 1 FROM x.y), EXISTS ` +
		`(TABLE z) FROM b JOIN c."D" ON a.x = 1 ORDER BY (SELECT 1 FROM w)`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range Tables(s) {
		var parts []string
		for _, id := range name {
			parts = append(parts, id.Name)
		}
		got = append(got, strings.Join(parts, "."))
	}
	slices.Sort(got)
	if fmt.Sprint(got) != "[a c.D w x.y z]" {
		t.Error(got)
	}
}

// TestInspectReachesEverything counts the nodes that a walk meets against those that a tree holds.
func TestInspectReachesEverything(t *testing.T) {
	for _, text := range statements {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		met := 0
		Inspect(s, func(Node) bool { met++; return true })
		want := strings.Count(dump(s), "{") - strings.Count(dump(s), "TypeParam{")
		if met != want {
			t.Errorf("%s: %d nodes met, %d held", text, met, want)
		}
	}
}

// TestLongTexts parses texts of a megabyte that are made to be slow or deep. Each must end with a tree or an error; the
// test's own time limit is what would end a text that is slow without bound.
func TestLongTexts(t *testing.T) {
	const size = 1 << 20
	fill := func(part string) string { return strings.Repeat(part, size/len(part)) }
	for name, text := range map[string]string{
		"sum":         "SELECT 1" + fill("+1"),
		"and":         "SELECT a" + fill(" AND a"),
		"union":       "SELECT 1" + fill(" UNION SELECT 1"),
		"list":        "SELECT x IN (1" + fill(",1") + ")",
		"names":       "SELECT a" + fill(".a"),
		"subscripts":  "SELECT a" + fill("[1]"),
		"joins":       "SELECT * FROM a" + fill(" CROSS JOIN a"),
		"parentheses": "SELECT " + fill("("),
		"brackets":    "SELECT " + fill("ARRAY["),
		"signs":       "SELECT " + fill("- "),
		"nots":        "SELECT " + fill("NOT "),
		"cases":       "SELECT " + fill("CASE WHEN "),
		"lambdas":     "SELECT f(" + fill("x -> "),
		"types":       "SELECT CAST(NULL AS " + fill("ARRAY("),
		"comments":    fill("/*"),
		"quotes":      "SELECT " + fill("''"),
		"open quotes": fill("' "),
		"subqueries":  "SELECT " + fill("((SELECT 1)+"),
		"queries":     fill("((SELECT 1 FROM "),
		"substrings":  "SELECT " + fill("substring("),
		"substrings 2": "SELECT " + strings.Repeat("substring(", 400) + fill("1,") + "1" +
			strings.Repeat(" FROM 1)", 400),
		"positions": "SELECT " + fill("position("),
		"bad":       fill("\xff"),
		"relations": "SELECT * FROM " + fill("("),
		"relations 2": "SELECT * FROM " + strings.Repeat("((SELECT 1) CROSS JOIN ", 300) + "x" +
			strings.Repeat(")", 300),
		"nested trials": "SELECT " + strings.Repeat("(((SELECT ", 60) + "1" + strings.Repeat(") + 1))", 60),
		"windows":       "SELECT f() OVER (" + fill("PARTITION BY x OVER ("),
		"kinds":         "CREATE TABLE x " + fill("AS "),
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Parse(text)
			if err == nil {
				_ = String(s)
			} else if len(err.Error()) > 2000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}
