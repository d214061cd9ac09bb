package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/rowfile"
)

// TestFileShapes reads files with each of the options in all ways, which find the same. A result is written as the
// names, the types and the rows.
func TestFileShapes(t *testing.T) {
	w := newFileWays(t)
	text := func(s string) string { return `<c t="inlineStr"><is><t>` + s + `</t></is></c>` }
	number := func(s string) string { return `<c><v>` + s + `</v></c>` }
	made := filepath.Join(t.TempDir(), "made.parquet")
	w.run(t, "sql", "SELECT a, b FROM (VALUES (BIGINT '-1', 'x'), (2, 'NA')) AS t (a, b)", "--out", made)
	parquet, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	formula := sheet(t, text("Report"), text("a")+text("b"), number("1")+`<c><f>A1</f></c>`, text("sum")+number("3"))
	used := map[string]bool{rowfile.UnionByName: true} // of patterns
	const plain = `["a" "b"] ["bigint" "varchar"] [["1" "x"] ["2" "y"]]`
	for name, c := range map[string]struct {
		text    string
		options []string
		want    string
	}{
		"format.tsv": {"a,b\n1,x\n2,y\n", []string{"file-format", "csv", "delimiter", ","}, plain},
		"encoding.csv": {"a,b\n1,\xe9\n", []string{"encoding", "windows-1252"},
			`["a" "b"] ["bigint" "varchar"] [["1" "é"]]`},
		"latin.csv": {"a,b\n1,\xf3\n", []string{"encoding", "iso-8859-2"},
			`["a" "b"] ["bigint" "varchar"] [["1" "ó"]]`},
		"wide.csv": {"a\x00,\x00b\x00\n\x001\x00,\x00x\x00\n\x00", []string{"encoding", "utf-16"},
			`["a" "b"] ["bigint" "varchar"] [["1" "x"]]`},
		"delimiter.csv": {"a!b\n1!x\n2!y\n", []string{"delimiter", "!"}, plain},
		"quote.csv":     {"a,b\n1,'x,''z'\n", []string{"quote", "'"}, `["a" "b"] ["bigint" "varchar"] [["1" "x,'z"]]`},
		"noquote.csv": {"a,b\n1,3\" x\n", []string{"quote", "none"},
			`["a" "b"] ["bigint" "varchar"] [["1" "3\" x"]]`},
		"escape.csv": {"a,b\n1,\"x\\\"\\\\y\"\n", []string{"quote", `"`, "escape", `\`},
			`["a" "b"] ["bigint" "varchar"] [["1" "x\"\\y"]]`},
		"escapes.csv": {"a;b\n1;x\\ty\n2;\\N\n", []string{"escape", "backslash", "delimiter", ";"},
			`["a" "b"] ["bigint" "varchar"] [["1" "x\ty"] ["2" "\\N"]]`},
		"comment.csv": {"# \"one\na,b\n1,x\n# two\n2,y\n", []string{"comment", "#"}, plain},
		"skip.csv":    {"Report \"May\na,b\n1,x\n2,y\n", []string{"skip", "1"}, plain},
		"row.csv":     {"Report\r\n\r\na,b\r\n1,x\r\n2,y\r\n", []string{"header-row", "3"}, plain},
		"rows.csv": {"a,b\nkg,\n1,x\n2,y\n", []string{"header-row", "1-2"},
			`["a kg" "b"] ["bigint" "varchar"] [["1" "x"] ["2" "y"]]`},
		"footer.csv": {"a,b\n1,x\n2,y\n\nTotal: 2 of\n3 rows\n\n", []string{"footer", "2"}, plain},
		"decimal.csv": {"a;b\n1,5;1.5\n-0,25;2\n", []string{"decimal", ","},
			`["a" "b"] ["decimal(3,2)" "varchar"] [["1.50" "1.5"] ["-0.25" "2"]]`},
		"text.csv": {"a;b\n1,5;x\ny;z\n", []string{"decimal", ","},
			`["a" "b"] ["varchar" "varchar"] [["1,5" "x"] ["y" "z"]]`},
		"thousands.csv": {"a;b\n1.234.567,5;1.5\n7;2.000\n", []string{"decimal", ",", "thousands", "."},
			`["a" "b"] ["decimal(8,1)" "varchar"] [["1234567.5" "1.5"] ["7.0" "2.000"]]`},
		"unit.csv": {"a;b\n$5;10 %\n-$1.5;7 %\n", []string{"unit", "$", "unit", "%"},
			`["a" "b"] ["decimal(2,1)" "bigint"] [["5.0" "10"] ["-1.5" "7"]]`},
		"date.csv": {"a;b\n29.02.2024;x\n1.3.2024;y\n", []string{"date-format", "%d.%m.%Y"},
			`["a" "b"] ["date" "varchar"] [["2024-02-29" "x"] ["2024-03-01" "y"]]`},
		"moment.csv": {"a\n02/29/24 1:05 PM\n03/01/24 12:30 AM\n", []string{"date-format", "%m/%d/%y %I:%M %p"},
			`["a"] ["timestamp"] [["2024-02-29 13:05:00.000000"] ["2024-03-01 00:30:00.000000"]]`},
		"nodate.csv": {"a,b\n31.02.2024,1\n", []string{"date-format", "%d.%m.%Y"},
			`["a" "b"] ["varchar" "bigint"] [["31.02.2024" "1"]]`},
		"date.xlsx": {sheet(t, text("a")+text("b"), `<c t="d"><v>2024-02-29</v></c>`+text("2024/03/01")),
			[]string{"date-format", "%Y/%m/%d"}, `["a" "b"] ["date" "date"] [["2024-02-29" "2024-03-01"]]`},
		"null.csv": {"a,b\nNA,x\n2,-\n", []string{"null", "NA", "null", "-"},
			`["a" "b"] ["bigint" "varchar"] [["\\N" "x"] ["2" "\\N"]]`},
		"null.json": {`[{"a":-1,"b":"x"},{"a":2,"b":"NA"}]`, []string{"null", "NA", "null", "-1"},
			`["a" "b"] ["bigint" "varchar"] [["\\N" "x"] ["2" "\\N"]]`},
		"null.xlsx": {sheet(t, text("a")+text("b"), number("-1")+text("x"), number("2")+text("NA")),
			[]string{"null", "NA", "null", "-1"}, `["a" "b"] ["bigint" "varchar"] [["\\N" "x"] ["2" "\\N"]]`},
		"null.parquet": {string(parquet), []string{"null", "NA", "null", "-1"},
			`["a" "b"] ["bigint" "varchar"] [["\\N" "x"] ["2" "\\N"]]`},
		"quote.tsv": {"a\tb\n1\t'x\ty'\n2\t\\N\n", []string{"quote", "'"},
			`["a" "b"] ["bigint" "varchar"] [["1" "x\ty"] ["2" "\\N"]]`},
		"lenient.csv": {"\"a\", \"b\",c\n1, 3\" x\n 2,\"y\"z\",,\n", []string{"lenient", "true"},
			`["a" "b" "c"] ["bigint" "varchar" "varchar"] [["1" " 3\" x" "\\N"] ["2" "y\"z" "\\N"]]`},
		"path.json": {`{"n":2,"d":{"items":[{"a":1,"b":"x"},{"a":2,"b":"y"}]},"end":[]}`, []string{"path", "$.d.items"},
			plain},
		"sheet.xlsx": {formula, []string{"sheet", "S", "range", "A2:B3", "empty-formulas", "true"},
			`["a" "b"] ["bigint" "varchar"] [["1" "\\N"]]`},
		"footer.xlsx": {formula, []string{"footer", "1", "header-row", "2", "empty-formulas", "true"},
			`["a" "b"] ["bigint" "varchar"] [["1" "\\N"]]`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			r := w.same(t, path, c.options...)
			if got := fmt.Sprintf("%q %q %q", r.names, r.types, r.rows); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
		for i := 0; i < len(c.options); i += 2 {
			used[c.options[i]] = true
		}
	}
	for _, o := range rowfile.All() {
		if !used[o.Name] {
			t.Errorf("no file is read with %s", o.Name)
		}
	}
}

// TestProposedOptions: a file that is not read, or that has a note, is read with the options that are named.
func TestProposedOptions(t *testing.T) {
	w := newFileWays(t)
	for name, c := range map[string]struct{ text, named string }{
		"bank_statement.csv":     {"", "--footer 2 reads the file"},
		"blank_before_quote.csv": {"", "--lenient reads the file"},
		"comment_lines.csv":      {"", "--comment '#' reads the file"},
		"decimal_comma.csv":      {"", "--decimal ,"},
		"inch.csv":               {"", "--lenient reads the file"},
		"latin1.csv":             {"", "--encoding windows-1252 reads the file"},
		"short_row.csv":          {"", "--lenient reads the file"},
		"trailing.csv":           {"a,b\n1,x,\n2,y,\n3,z,\n", "2; --lenient reads the file"},
		"trailing_names.csv":     {"a,b\nu,x,\nv,y,\n", "2; --lenient reads the file"},
		"third_short.csv":        {"a,b,c\n1,2,3\n4,5\n6,7\n8,9\n", "3; --lenient reads the file"},
		"third_names.csv":        {"a,b,c\nt,u,v\nw,x\ny,z\np,q\n", "3; --lenient reads the file"},
		"pairs.csv":              {"Account,Main\n\nday,text,sum\n1,x,2\n2,y,3\n", "2; --header-row 3 reads the file"},
		"last_long.csv":          {"a,b\n1,2\n3,4\n5,6,7\n", "--lenient reads the file"},
		"last_short.csv":         {"a,b,c\nx,1,2\ny,3\n", "--lenient reads the file"},
		"sums.csv":               {"a,b,c\n1,2,3\n4,5,6\nTotal,16\n", "--footer 1 reads the file"},
		"title.csv":              {"Report\n\na,b\n1,2\n", "--header-row 3 reads the file"},
		"column.csv":             {"Report\na;b\n1;2\n", "--header-row 2"},
		"total.csv":              {"a,b\nx,1\ny,2\nz,3\nTotal,6\n", "--footer 1"},
		"units.csv":              {"a,b\nkg,m\n1,2\n3,4\n", "--header-row 1-2"},
		"separate.csv":           {"sep=;\na;b\n1;2\n", "--skip 1 --delimiter ';'"},
		"envelope.json":          {`{"n":1,"items":[{"a":1}]}`, "--path '$.items'"},
	} {
		path := filepath.Join("testdata", "files", name)
		if c.text != "" {
			path = filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		at, _ := w.place(t, path)
		_, _, errs := runDig(t, w.env, "sql", at)
		if !strings.Contains(unescaped(errs), c.named) {
			t.Errorf("%s: %s, want %s", name, errs, c.named)
		}
		if _, _, errs := runDig(t, w.env, "table", "import", strings.TrimSuffix(name, filepath.Ext(name)), at,
			"--create"); !strings.Contains(unescaped(errs), c.named) {
			t.Errorf("import of %s: %s, want %s", name, errs, c.named)
		}
	}
	// columns without names are numbered
	at, _ := w.place(t, filepath.Join("testdata", "files", "short_row.csv"))
	if out := w.run(t, "sql", at, "--lenient", "--header-row", "none",
		"--skip", "2", "-o", "csv"); out != "column_1,column_2,column_3\n3,4,5\n" {
		t.Error(out)
	}
	// the files of a pattern
	dir := filepath.Join("testdata", "files", "grown_schema", "*.csv")
	pattern, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	if code, _, errs := runDig(t, w.env, "sql", pattern); code == 0 || !strings.Contains(errs, "--union-by-name") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if out := w.run(t, "sql", pattern, "--union-by-name", "-o", "csv"); out != "a,b,x\n1,2,\n3,4,9\n" {
		t.Error(out)
	}
}
