package cmd

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// repliesInTurn is a hosted zone that answers each statement with the reply of the first word that it holds.
func repliesInTurn(t *testing.T, replies func(sql string, n int) string) *tellWorld {
	n := 0
	return hosted(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		if !strings.HasSuffix(r.URL.Path, "/execute") {
			_, _ = io.WriteString(rw, `{"projectId":"prj00001","userId":"u"}`)
			return
		}
		raw, _ := io.ReadAll(r.Body)
		n++
		if n > 50 {
			panic("there is no end to the requests")
		}
		_, _ = io.WriteString(rw, replies(string(raw), n))
	})
}

// TestEstimateOfNoCount: a reply without a count is not a count of zero, and a count of any size is printed as a
// number.
func TestEstimateOfNoCount(t *testing.T) {
	for _, reply := range []string{`{"columns":[{"columnName":"c"}],"data":[]}`, `{"columns":[],"data":[[]]}`,
		`{"columns":[{"columnName":"c"}],"data":[[null]]}`, `{"columns":[{"columnName":"c"}],"data":[[-5]]}`,
		`{"columns":[{"columnName":"c"}],"data":[[1],[2]]}`,
		`{"columns":[{"columnName":"c"},{"columnName":"d"}],"data":[[1,2]]}`,
		`{"columns":[{"columnName":"c"}],"data":[[1.5]]}`,
		`{"columns":[{"columnName":"c"}],"data":[[9223372036854775807]]}`} {
		w := repliesInTurn(t, func(sql string, _ int) string {
			if strings.Contains(sql, "count(*)") {
				return reply
			}
			return `{"columns":[{"columnName":"c"}],"data":[[12]]}`
		})
		code, out, errs := w.run("query", "create", "q", "--sql", "SELECT 1 AS c", "--estimate")
		if huge := strings.Contains(reply, "9223"); huge && (code != 0 || strings.Contains(out+errs, "-")) || !huge &&
			(code == 0 || !strings.Contains(errs, "count")) || strings.Contains(errs, "internal error") {
			t.Errorf("%s: exit %d: %s%s", reply, code, out, errs)
		}
	}
}

// TestPagesOfAnotherGateway: pages that do not begin where they were asked to, or have other columns, are not put
// together.
func TestPagesOfAnotherGateway(t *testing.T) {
	row := func(names string, n int) string {
		var cells []string
		for name := range strings.SplitSeq(names, ",") {
			cells = append(cells, fmt.Sprintf(`{"name":%q,"dataType":"bigint","order":0,"value":"%d"}`, name, n))
		}
		return "[" + strings.Join(cells, ",") + "]"
	}
	count := `{"columns":[{"columnName":"a"},{"columnName":"b"}],"data":[[6,0]]}`
	for name, c := range map[string]struct {
		count string
		pages func(n int) string
		says  string
	}{
		"the first page again": {count, func(int) string { return row("id,x", 1) + "," + row("id,x", 2) },
			"begins with the same key 1"},
		"other columns": {count, func(n int) string {
			names := "id,x"
			if n > 2 {
				names = "x,id"
			}
			return row(names, 2*n) + "," + row(names, 2*n+1)
		}, "different columns"},
		"no rows":             {count, func(int) string { return "" }, "0 rows, but 6 were counted"},
		"a count without end": {`{"columns":[{"columnName":"a"},{"columnName":"b"}],"data":[[]]}`, nil, "0 cells"},
		"a count of less": {`{"columns":[{"columnName":"a"},{"columnName":"b"}],"data":[[-1,0]]}`, nil,
			"answered a count with"},
		"no count": {`{"columns":[{"columnName":"a"},{"columnName":"b"}],"data":[]}`, nil,
			"answered a count with"},
		"two counts": {`{"columns":[{"columnName":"a"},{"columnName":"b"}],"data":[[6,0],[7,0]]}`, nil,
			"answered a count with"},
	} {
		w := repliesInTurn(t, func(sql string, n int) string {
			if strings.Contains(sql, "dig_rows_of_key") {
				return c.count
			}
			return `{"data":[` + c.pages(n) + `]}`
		})
		code, out, errs := w.run("query", "execute", "SELECT id, x FROM c.s.t", "--page-by", "id", "--page-size", "2",
			"-o", "csv", "--out", "rows.csv")
		if code == 0 || !strings.Contains(errs, c.says) || strings.Contains(errs, "internal error") {
			t.Errorf("%s: exit %d: %s%s", name, code, out, errs)
		}
		if _, err := os.Stat(w.dir + "/rows.csv"); err == nil {
			t.Errorf("%s: a file is left", name)
		}
	}
}
