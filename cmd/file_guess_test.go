package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLargeFiles reads files whose columns are guessed by their beginning: what is not so in the last row shows in no
// result, and rows keep their order.
func TestLargeFiles(t *testing.T) {
	w := newFileWays(t)
	const rows = 150_000
	var csv, json strings.Builder
	csv.WriteString("id,kind,amount,note\n")
	kinds := []string{"a", "b", "\"c,d\""}
	for i := range rows {
		fmt.Fprintf(&csv, "%d,%s,%d.25,the note of row %d\n", i, kinds[i%3], i%10, i)
		fmt.Fprintf(&json, `{"id":%d,"kind":"k%d","note":"the note of row %d"}`+"\n", i, i%3, i)
	}
	for name, text := range map[string]string{
		"plain.csv": csv.String(), "text.csv": csv.String() + "x,a,1,\n", "scale.csv": csv.String() + "7,a,1.125,\n",
		"ragged.csv": csv.String() + "1,2\n", "plain.ndjson": json.String(),
		"more.ndjson": json.String() + `{"id":1,"new":1}`,
		"half.ndjson": json.String() + `{"id":0.5}`, "cut.ndjson": json.String() + `{"id":1`,
	} {
		if err := os.WriteFile(filepath.Join(w.folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const sum = 50_000 // of each kind
	groups := fmt.Sprintf("kind,n,total\na,%d,237500.00\nb,%d,237500.00\n\"c,d\",%d,237500.00\n", sum, sum, sum)
	for _, c := range []struct {
		sql, out, err string
	}{
		{sql: "SELECT kind, count(*) AS n, sum(amount) AS total FROM %/plain.csv' GROUP BY 1 ORDER BY 1", out: groups},
		{sql: "SELECT kind, count(*) AS n, sum(amount) AS total FROM %/text.csv' WHERE note > '' GROUP BY 1 ORDER BY 1",
			out: groups},
		{sql: "SELECT id FROM %/plain.csv' OFFSET 120000 LIMIT 2", out: "id\n120000\n120001\n"},
		{sql: "SELECT count(*) AS n, max(typeof(amount)) AS t FROM %/scale.csv'",
			out: "n,t\n150001,\"decimal(4,3)\"\n"},
		{sql: "SELECT sum(amount) AS s FROM %/scale.csv'", out: "s\n712501.125\n"},
		{sql: "SELECT typeof(id) AS t FROM %/text.csv' LIMIT 1", out: "t\nvarchar\n"},
		{sql: "SELECT id FROM %/scale.csv' WHERE id < 0", out: "id\n"},
		{sql: "SELECT max(id) AS m FROM %/text.csv'", out: "m\nx\n"},
		{sql: "SELECT sum(id) AS s FROM %/text.csv'", err: "Unexpected parameters (varchar) for function sum"},
		{sql: "SELECT id || '!' AS s FROM %/text.csv' OFFSET 149999 LIMIT 1", out: "s\n149999!\n"},
		{sql: "SELECT count(*) AS n FROM %/ragged.csv'",
			err: "ragged.csv: line 150002: the record has 2 fields, the first one has 4"},
		{sql: "SELECT kind, count(*) AS n FROM %/plain.ndjson' GROUP BY kind ORDER BY kind",
			out: "kind,n\nk0,50000\nk1,50000\nk2,50000\n"},
		{sql: "SELECT count(new) AS n, count(*) AS all_rows FROM %/more.ndjson'", out: "n,all_rows\n1,150001\n"},
		{sql: "SELECT * FROM %/more.ndjson' LIMIT 1", out: "id,kind,note,new\n0,k0,the note of row 0,\n"},
		{sql: "SELECT max(typeof(id)) AS t FROM %/half.ndjson'", out: "t\n\"decimal(7,1)\"\n"},
		{sql: "SELECT max(id) AS m FROM %/cut.ndjson'", err: "cut.ndjson: record 150001: unexpected EOF"},
	} {
		sql := strings.Replace(c.sql, "%", "'"+w.folder, 1)
		code, out, errs := runDig(t, w.env, "query", "execute", "-o", "csv", "--sql", sql)
		switch {
		case c.err == "" && (code != 0 || out != c.out):
			t.Errorf("%s: exit %d\n%s%s\nwant %s", c.sql, code, out, errs, c.out)
		case c.err != "" && (code == 0 || out != "" || !strings.Contains(errs, c.err)):
			t.Errorf("%s: exit %d\n%s%s\nwant the error %s", c.sql, code, out, errs, c.err)
		}
	}
}
