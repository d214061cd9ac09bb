package sqltext

import (
	"fmt"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for in, want := range map[string][]string{
		"":                            nil,
		" ; ;\n-- only a comment\n;":  nil,
		"SELECT 1":                    {"0:0 SELECT 1"},
		"SELECT 1;":                   {"0:0 SELECT 1"},
		"SELECT 1;\n\n  SELECT 2\n;":  {"0:0 SELECT 1", "2:2 SELECT 2"},
		"é; b":                        {"0:0 é", "0:3 b"},
		"SELECT ';', 'it''s;'; x":     {"0:0 SELECT ';', 'it''s;'", "0:22 x"},
		`SELECT "a;""b"; x`:           {`0:0 SELECT "a;""b"`, "0:16 x"},
		"a -- ; no\n; b":              {"0:0 a -- ; no", "1:2 b"},
		"a /* ; */ ; b":               {"0:0 a /* ; */", "0:12 b"},
		"-- head\nSELECT 1; /* x */":  {"0:0 -- head\nSELECT 1"},
		"a; -- about b\nb":            {"0:0 a", "0:3 -- about b\nb"},
		"SELECT E'\\'; ' ; b":         {"0:0 SELECT E'\\'; '", "0:17 b"},
		"SELECT type'\\'; b":          {"0:0 SELECT type'\\'", "0:16 b"},
		"SELECT $$;$$; $x$ ; $x$ ; b": {"0:0 SELECT $$;$$", "0:14 $x$ ; $x$", "0:26 b"},
		"SELECT $1; b":                {"0:0 SELECT $1", "0:11 b"},
		"SELECT 'open; b":             {"0:0 SELECT 'open; b"},
		"SELECT 1 /* open; b":         {"0:0 SELECT 1 /* open; b"},
		"a - -1; b - 2":               {"0:0 a - -1", "0:8 b - 2"},
		"/* a /* b */ ; c */ d":       {"0:0 /* a /* b */ ; c */ d"},
	} {
		var got []string
		for _, p := range Split(in, true) {
			got = append(got, fmt.Sprintf("%d:%d %s", p.Line, p.Col, p.Text))
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("%q:\n got %q\nwant %q", in, got, want)
		}
	}
	if got := Split("/* a /* b */ SELECT 1; SELECT 2", false); len(got) != 2 {
		t.Errorf("comments nest: %v", got)
	}
}

func TestTrimEnd(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "",
		";":                              ";",
		" ; ":                            " ; ",
		"SELECT 1":                       "SELECT 1",
		"SELECT 1;":                      "SELECT 1",
		"SELECT 1 ;\n":                   "SELECT 1",
		"\n-- head\nSELECT 1;":           "\n-- head\nSELECT 1",
		"SELECT 1 /* a */ ; -- b\n":      "SELECT 1",
		"SELECT 1 -- a ;":                "SELECT 1 -- a ;",
		"SELECT 1 -- a ;\n;":             "SELECT 1",
		"SELECT 1; /* open":              "SELECT 1",
		"SELECT ';'":                     "SELECT ';'",
		"SELECT ';';":                    "SELECT ';'",
		"SELECT 'open;":                  "SELECT 'open;",
		`SELECT 1 AS "a;"`:               `SELECT 1 AS "a;"`,
		"SELECT $$;$$;":                  "SELECT $$;$$",
		"SELECT 1; SELECT 2":             "SELECT 1; SELECT 2",
		"SELECT 1; SELECT 2;":            "SELECT 1; SELECT 2",
		"SELECT 1;;":                     "SELECT 1;",
		"SELECT 'é' ;":                   "SELECT 'é'",
		"SELECT 1 /* a /* b */ ; c */ ;": "SELECT 1",
	} {
		if got := TrimEnd(in, true); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := TrimEnd("SELECT 1 /* a /* b */ ;", false); got != "SELECT 1" {
		t.Errorf("comments nest: %q", got)
	}
}

func TestLimit(t *testing.T) {
	for in, want := range map[string]string{
		"SELECT 1":                              "SELECT 1\nLIMIT 5",
		"SELECT 1 ; -- done\n":                  "SELECT 1\nLIMIT 5",
		"\n SELECT 1 -- one":                    "\n SELECT 1 -- one\nLIMIT 5",
		"SELECT a FROM t ORDER BY a":            "SELECT a FROM t ORDER BY a\nLIMIT 5",
		"SELECT a FROM t ORDER BY a Limit 9;":   "SELECT * FROM (\nSELECT a FROM t ORDER BY a Limit 9\n) LIMIT 5",
		"SELECT a FROM (SELECT a LIMIT 3)":      "SELECT a FROM (SELECT a LIMIT 3)\nLIMIT 5",
		"SELECT 'limit', \"limit\" /* limit */": "SELECT 'limit', \"limit\" /* limit */\nLIMIT 5",
		"SELECT a OFFSET 2":                     "SELECT * FROM (\nSELECT a OFFSET 2\n) LIMIT 5",
	} {
		if got, _ := Limit(in, 5, true); got != want {
			t.Errorf("%q:\n got %q\nwant %q", in, got, want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("SELECT ';' ; /* ; */ $a$ ; $a$ -- ;\n; E'\\''")
	f.Fuzz(func(t *testing.T, sql string) {
		at := 0
		for _, p := range Split(sql, true) {
			if strings.TrimSpace(p.Text) == "" {
				t.Error("an empty statement")
			}
			i := strings.Index(sql[at:], p.Text)
			if i < 0 {
				t.Fatalf("%q is not in order in %q", p.Text, sql)
			}
			at += i + len(p.Text)
		}
	})
}
