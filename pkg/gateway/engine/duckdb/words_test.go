//go:build cgo

package duckdb

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
)

// engineWords are words of DuckDB and names of the translation's own, none of which a user has written.
var engineWords = late.Regexp(`HUGEINT|INT128|INT64|INT32|STRING_LITERAL|INTEGER_LITERAL|Binder|Catalog Error|Parser ` +
	`Error|Conversion Error|Invalid Input|Candidate ` +
	`(functions|macros)|[Mm]acro|struct_(extract|pack)|list_(extract|transform|filter|contains)|"~|~[a-z]+\d*["(]|TIMESTAMP_(S|MS|NS)|UBIGINT|UTINYINT|Unimplemented|INTERNAL Error|Referenced (column|table)|LINE \d|DuckDB|duckdb|unnamed struct|ANY_VALUE|lambda "`)

// saysTooMuch is what an error says that is no business of a user of Trino's language, "" for nothing.
func saysTooMuch(sql string, err error) string {
	if err == nil {
		return ""
	}
	var e *engine.Error
	if !errors.As(err, &e) {
		return "no error of the engine: " + err.Error()
	}
	if e.Kind == engine.KindInternal {
		return "internal error: " + e.Message
	}
	for _, text := range []string{e.Message, e.Hint} {
		if w := engineWords().FindString(text); w != "" && !strings.Contains(sql, w) && !strings.Contains(sql,
			strings.Trim(w, `"`)) {
			return "an engine's word: " + text
		}
	}
	return ""
}

// TestWrongStatements runs statements of the corpus with a mistake in each: a token that is missing, misspelt,
// exchanged with the next, or a literal of another type. Whatever their answer, an error of theirs is one of the
// user's, in Trino's words. DIG_TEST_WRONG says how many are run.
func TestWrongStatements(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("DIG_TEST_WRONG"))
	if n == 0 {
		n = 400
	}
	seed, _ := strconv.ParseUint(os.Getenv("DIG_TEST_SEED"), 10, 64)
	corpus, err := witness.Statements(witnessDir)
	if err != nil {
		t.Fatal(err)
	}
	p, catalogs := tpchProject(t)
	rnd := rand.New(rand.NewPCG(seed, 12))
	kinds := map[string]int{}
	for i := 0; i < n; {
		s := corpus[rnd.IntN(len(corpus))]
		if len(s.SQL) > 400 || strings.Contains(s.SQL, "?") {
			continue
		}
		sql := mistaken(rnd, s.SQL)
		if sql == s.SQL {
			continue
		}
		i++
		_, text, err := ask(t, p, catalogs, sql)
		if why := saysTooMuch(sql, err); why != "" {
			t.Errorf("%s\n\t%s\n\t%s", sql, text, why)
		}
		kinds[string(kindOf(err))]++
	}
	t.Log(kinds)
	if kinds[""] == n || len(kinds) < 3 {
		t.Errorf("the statements are hardly wrong: %v", kinds)
	}
}

var (
	wrongWord  = late.Regexp(`'(?:[^']|'')*'|"[^"]*"|[A-Za-z_]\w*|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[^\s\w]`)
	wrongValue = []string{"NULL", "'x'", "0", "-1", "1.5", "1e0", "true", "DATE '2024-02-29'",
		"TIMESTAMP '2024-02-29 12:00:00'", "ARRAY[1]", "ROW(1, 'a')", "MAP(ARRAY['k'], ARRAY[1])", "JSON '1'",
		"INTERVAL '1' DAY", "X'00'", "''", "9223372036854775807", "x -> x"}
)

// mistaken is a statement with one mistake.
func mistaken(rnd *rand.Rand, sql string) string {
	places := wrongWord().FindAllStringIndex(sql, -1)
	if len(places) < 3 {
		return sql
	}
	at := rnd.IntN(len(places) - 1)
	from, to := places[at][0], places[at][1]
	token := sql[from:to]
	literal := token[0] == '\'' || token[0] >= '0' && token[0] <= '9' || strings.EqualFold(token, "NULL")
	switch rnd.IntN(5) {
	case 0:
		return sql[:from] + sql[to:]
	case 1:
		if len(token) > 2 && token[0] != '\'' {
			return sql[:from] + token[:1] + token[2:] + sql[to:]
		}
	case 2:
		next := sql[places[at+1][0]:places[at+1][1]]
		return sql[:from] + next + sql[to:places[at+1][0]] + token + sql[places[at+1][1]:]
	}
	for try := 0; !literal && try < len(places); try++ {
		at = rnd.IntN(len(places))
		from, to = places[at][0], places[at][1]
		literal = sql[from] == '\'' || sql[from] >= '0' && sql[from] <= '9'
	}
	if !literal {
		return sql
	}
	return sql[:from] + wrongValue[rnd.IntN(len(wrongValue))] + sql[to:]
}

// TestMistaken: the statements of TestWrongStatements differ from those of the corpus.
func TestMistaken(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	const sql = "SELECT name FROM nation WHERE regionkey = 1"
	wrong := map[string]bool{}
	for range 200 {
		wrong[mistaken(rnd, sql)] = true
	}
	if len(wrong) < 20 {
		t.Errorf("only %d mistakes", len(wrong))
	}
	for text := range wrong {
		if _, err := trinosql.Parse(text); err != nil {
			return
		}
	}
	t.Error(fmt.Sprint("no mistake of syntax in ", wrong))
}
