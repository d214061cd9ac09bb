package trinosql

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
)

// refused are texts that Trino does not parse, and some that only look so.
var refused = []string{
	"foo", "SELECT", "SELECT FROM t", "SELECT 1 FROM", "SELECT\n  1 +", "SELECT 'żółć', )", "SELECT 1 LIMIT 5 OFFSET 2",
	"SELECT 1;", "SELECT `a`", "SELECT * FROM 1a", "SELECT a = b = c",
	"SELECT X'abc'", "SELECT X'zz'", `SELECT ""`, "SELECT (1 + (SELECT 2)", "SELECT ((SELECT 1 FROM) + 1)",
	"SELECT 'abc", "SELECT \"abc", "SELECT a,, b", "SELECT a FROM t WHERE", "SELECT a b c",
	"SELECT a FROM t JOIN u", "SELECT a FROM t CROSS JOIN u ON TRUE", "SELECT a FROM t NATURAL CROSS JOIN u",
	"SELECT CASE END", "SELECT CASE WHEN 1 THEN 2", "SELECT CAST(a AS)", "SELECT CAST(a varchar)",
	"SELECT x IN ()", "SELECT x NOT 1", "SELECT x IS 1", "SELECT x IS NOT 1", "SELECT x BETWEEN 1", "SELECT ARRAY[1",
	"SELECT f(a", "SELECT f(a,)", "SELECT f(*, 1)", "SELECT sum(x) OVER", "SELECT sum(x) OVER (PARTITION x)",
	"SELECT sum(x) OVER (ROWS 1)", "SELECT INTERVAL '1'", "SELECT INTERVAL '1' WEEK", "SELECT 1 UNION",
	"SELECT 1 UNION SELECT", "WITH a AS SELECT 1 SELECT 2", "WITH a AS (SELECT 1)", "VALUES", "TABLE",
	"SELECT * FROM t ORDER 1", "SELECT * FROM t GROUP a", "SELECT * FROM t FETCH FIRST 1",
	"SELECT * FROM t FETCH FIRST 1 ROWS", "SELECT * FROM t LIMIT x", "SELECT * FROM t LIMIT -1",
	"SELECT EXTRACT(year x)",
	"SELECT TRIM(BOTH)", "SELECT POSITION(a IN)", "SELECT 1 AS select", "SELECT select", "SELECT a AS 'b'",
	"SELECT a.1", "SELECT 1..2", "SELECT 0x", "SELECT 1_", "SELECT 1__0", "SELECT 1e", "SELECT @x", "SELECT a # b",
	"SHOW", "SHOW x", "SHOW CURRENT x", "SHOW ROLE x", "SHOW GRANTS FROM x", "SHOW ROLES x",
	"SHOW CURRENT ROLES LIKE 'x'", "SHOW COLUMNS", "SHOW TABLES LIKE x", "EXPLAIN", "EXPLAIN (TYPE x) SELECT 1",
	"EXPLAIN (FOO BAR) SELECT 1", "DESCRIBE", "SELECT U&'\\zzzz'", "SELECT U&'\\00' ", "SELECT NOT", "SELECT a OR",
	"SELECT -", "SELECT (a, )", "SELECT ()",
	"SELECT x -> 1", "SELECT (x, y) -> 1", "SELECT f((x y) -> 1)", "SELECT LISTAGG(x)", "SELECT GROUPING(1)",
	"SELECT JSON_VALUE(a)", "SELECT 1 SELECT 2", "(SELECT 1", "SELECT 1)", "SELECT * FROM (t",
	"SELECT * FROM ((SELECT 1)", "SELECT *, FROM t",
	"SELECT t.* x FROM t", "SELECT count(DISTINCT *) FROM t", "SELECT a FROM t TABLESAMPLE (10)", "SELECT a FROM t, ",
	"SELECT a FROM t USING (a)", "SELECT a[1 FROM t", "SELECT a FROM t WHERE b IN (1, 2", "select 1 frm t where x",
}

// elsewhere are texts whose fault Trino places at IN, because its parser cannot decide between a list and a query
// there. The place in the list says more.
var elsewhere = map[string]bool{"SELECT x IN ()": true, "SELECT a FROM t WHERE b IN (1, 2": true}

// TestWitness asks a running Trino, where DIG_TEST_TRINO is its address, about the same texts: both must parse them, or
// refuse them at the same place.
func TestWitness(t *testing.T) {
	base := os.Getenv("DIG_TEST_TRINO")
	if base == "" {
		t.Skip("DIG_TEST_TRINO is not set: start one with .ci/witness")
	}
	for _, text := range append(append([]string{}, statements...), refused...) {
		theirs := ask(t, base, text)
		_, err := Parse(text)
		var ours *Error
		errors.As(err, &ours)
		switch {
		case theirs.Error.ErrorName != "SYNTAX_ERROR":
			if ours != nil {
				t.Errorf("%s\n\tTrino takes it (%s), we say %v", text, theirs.Error.Message, err)
			}
		case ours != nil && elsewhere[text]:
		case ours == nil:
			t.Errorf("%s\n\twe take it, Trino says %s", text, theirs.Error.Message)
		case ours.At.Line != theirs.Error.ErrorLocation.LineNumber ||
			ours.At.Col != theirs.Error.ErrorLocation.ColumnNumber:
			t.Errorf("%s\n\twe say    %v\n\tTrino says %s", text, err, theirs.Error.Message)
		default:
			words, _, _ := strings.Cut(theirs.Error.Message, " Expecting: ")
			if got, _, _ := strings.Cut(err.Error(), " Expecting: "); got != words {
				t.Errorf("%s\n\twe say    %v\n\tTrino says %s", text, err, theirs.Error.Message)
			}
		}
	}
}

type witnessReply struct {
	NextURI string `json:"nextUri"`
	Error   struct {
		ErrorName, Message string
		ErrorLocation      struct{ LineNumber, ColumnNumber int }
	}
}

// ask sends a statement and follows the replies to the last one.
func ask(t *testing.T, base, text string) witnessReply {
	t.Helper()
	req, err := http.NewRequest("POST", base+"/v1/statement", strings.NewReader(text))
	for err == nil {
		for k, v := range map[string]string{"User": "dig", "Catalog": "memory", "Schema": "default"} {
			req.Header.Set("X-Trino-"+k, v)
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err != nil {
			break
		}
		var r witnessReply
		err = json.NewDecoder(resp.Body).Decode(&r)
		resp.Body.Close()
		if err != nil {
			break
		}
		if r.NextURI == "" || r.Error.ErrorName != "" {
			return r
		}
		req, err = http.NewRequest("GET", r.NextURI, nil)
	}
	t.Fatalf("%s: %v", text, err)
	return witnessReply{}
}
