//go:build cgo

package duckdb

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// idiom is a statement of testdata/idioms.txt and what it gives.
type idiom struct {
	line int
	text string
	cols []string
	bad  string
}

func readIdioms(t *testing.T) []idiom {
	t.Helper()
	raw, err := os.ReadFile("testdata/idioms.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []idiom
	for i, line := range strings.Split(string(raw), "\n") {
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "=> "):
			last := &out[len(out)-1]
			col := line[3:]
			if strings.Count(col, " | ") == 1 {
				col = fmt.Sprintf("_col%d | %s", len(last.cols), col)
			}
			last.cols = append(last.cols, col)
		case strings.HasPrefix(line, "!! "):
			out[len(out)-1].bad = line[3:]
		default:
			out = append(out, idiom{line: i + 1, text: line})
		}
	}
	return out
}

// TestIdioms compares Trino's idioms with what its documentation says of them.
func TestIdioms(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	all := readIdioms(t)
	answered, refused := 0, 0
	for _, i := range all {
		if (len(i.cols) == 0) == (i.bad == "") {
			t.Fatalf("line %d: neither an answer nor a refusal", i.line)
		}
		got, err := answer(t, p, i.text)
		if i.bad == "" {
			answered++
			if want := strings.Join(i.cols, "\n"); err != nil || got != want {
				t.Errorf("line %d: %s\n got %v\n%s\nwant\n%s", i.line, i.text, err, got, want)
			}
			continue
		}
		refused++
		kind, part, _ := strings.Cut(i.bad, " |")
		if string(kindOf(err)) != kind || !strings.Contains(fmt.Sprint(err), strings.TrimSpace(part)) {
			t.Errorf("line %d: %s\n got %q: %v\n%s\nwant %s", i.line, i.text, kindOf(err), err, got, i.bad)
		}
	}
	t.Logf("%d idioms: %d answered, %d refused by name", len(all), answered, refused)
}

// answer writes a result as the table of idioms does.
func answer(t *testing.T, p engine.Project, text string) (string, error) {
	t.Helper()
	r, err := sql.Run(t.Context(), p, sql.Query{SQL: text})
	if err != nil {
		return "", err
	}
	defer r.Close()
	var cols []string
	values := make([][]string, len(r.Columns()))
	_, err = r.Rows(t.Context(), func(row [][]byte) error {
		for i, c := range row {
			v := "null"
			if c != nil {
				v = string(c)
			}
			values[i] = append(values[i], v)
		}
		return nil
	})
	for i, c := range r.Columns() {
		cols = append(cols, c.Name+" | "+c.DataType+" | "+strings.Join(values[i], " ; "))
	}
	return strings.Join(cols, "\n"), err
}

// TestErrorsHavePlaces checks that faults are told at the place of the statement as it was written, after it was
// rewritten.
func TestErrorsHavePlaces(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	for text, want := range map[string][2]int{
		"SELECT 1,\n  nosuch(2)":                                      {2, 3},
		"SELECT 1/2,\n  y FROM (VALUES 1) t(x)":                       {2, 3},
		"SELECT sum(x)/2, y / 2 FROM (VALUES 1) t(x)":                 {1, 18},
		"SELECT x FROM (VALUES 1) t(x) LIMIT 1 OFFSET 1":              {1, 39},
		"SELECT CAST(1 AS text)":                                      {1, 8},
		"SELECT 1 / 2, 'a' || 1":                                      {1, 19},
		"SELECT x FROM UNNEST(ARRAY[1]) AS t(x) WHERE\n y = x / 2":    {2, 2},
		"SELECT DATE '2020-01-01' + INTERVAL '1' DAY,\n\n md5('abc')": {3, 2},
	} {
		_, err := answer(t, p, text)
		var e *engine.Error
		if !errors.As(err, &e) || e.Line != want[0] || e.Col != want[1] {
			t.Errorf("%s: got %v at %d:%d, want %d:%d", text, err, lineOf(e), colOf(e), want[0], want[1])
		}
	}
}

func lineOf(e *engine.Error) int {
	if e == nil {
		return -1
	}
	return e.Line
}

func colOf(e *engine.Error) int {
	if e == nil {
		return -1
	}
	return e.Col
}
