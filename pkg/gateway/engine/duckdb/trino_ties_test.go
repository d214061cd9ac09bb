//go:build cgo

package duckdb

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// TestTies compares FETCH FIRST ... WITH TIES with what a loop over the sorted rows keeps, with numbers and with values
// for them.
func TestTies(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		rows := make([]int, 1+rnd.IntN(8))
		var values []string
		for i := range rows {
			rows[i] = rnd.IntN(4)
			values = append(values, fmt.Sprint(rows[i]))
		}
		skip, n := rnd.IntN(5), 1+rnd.IntN(4)
		slices.SortFunc(rows, func(a, b int) int { return cmp.Compare(b, a) })
		var want []string
		for i, v := range rows {
			if i >= skip && (i < skip+n || v == rows[skip+n-1]) {
				want = append(want, fmt.Sprint(v))
			}
		}
		from := "SELECT x FROM (VALUES " + strings.Join(values, ", ") + ") t(x) ORDER BY x DESC"
		for _, q := range []sql.Query{
			{SQL: fmt.Sprintf("%s OFFSET %d ROWS FETCH FIRST %d ROWS WITH TIES", from, skip, n)},
			{SQL: from + " OFFSET ? FETCH NEXT ? ROWS WITH TIES", Bindings: []string{fmt.Sprint(skip), fmt.Sprint(n)}},
		} {
			if got, err := firstValues(t, p, q); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s %v: %v, %v, want %v", q.SQL, q.Bindings, got, err, want)
			}
		}
	}
	if _, err := firstValues(t, p,
		sql.Query{SQL: "SELECT x FROM (VALUES 1) t(x) ORDER BY x FETCH FIRST ? ROWS WITH TIES",
			Bindings: []string{"0"}}); err == nil || !strings.Contains(err.Error(), "must be positive") {
		t.Errorf("no rows: %v", err)
	}
}

// firstValues are the first values of the rows of a statement.
func firstValues(t *testing.T, p engine.Project, q sql.Query) ([]string, error) {
	t.Helper()
	res, err := sql.Run(t.Context(), p, q)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	var out []string
	_, err = res.Rows(t.Context(), func(row [][]byte) error {
		out = append(out, string(row[0]))
		return nil
	})
	return out, err
}
