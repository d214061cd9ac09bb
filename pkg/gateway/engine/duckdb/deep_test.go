//go:build cgo

package duckdb

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// TestDeepTrees runs statements whose trees are so deep that DuckDB's optimizer would take seconds over them.
func TestDeepTrees(t *testing.T) {
	p, catalogs := tpchProject(t)
	for _, c := range []struct {
		text, want string
		plain      bool
	}{
		{"SELECT x" + strings.Repeat(" + x", 899) + " FROM (VALUES BIGINT '2', BIGINT '-1') t (x) ORDER BY 1",
			"-900|1800", true},
		{"SELECT length(x" + strings.Repeat(" || x", 899) + ") FROM (VALUES 'ab') t (x)", "1800", true},
		{"SELECT " + strings.Repeat("CASE WHEN x > 0 THEN 1 ELSE ", 300) + "x" + strings.Repeat(" END", 300) +
			" FROM (VALUES 5, -5) t (x) ORDER BY 1", "-5|1", true},
		{"SELECT count(*) FROM tpch.tiny.nation WHERE nationkey" + strings.Repeat(" + 0", 300) + " < 3", "3", true},
		{"SELECT count(*) FROM tpch.tiny.nation n JOIN tpch.tiny.region r ON n.regionkey" + strings.Repeat(" + 0",
			250) + " = r.regionkey", "25", false},
		{"SELECT count(*) FROM tpch.tiny.nation WHERE nationkey < 3" + strings.Repeat(" OR nationkey = 30", 899), "3",
			false},
	} {
		x, err := sql.Read(t.Context(), p, sql.Query{SQL: c.text, Catalogs: catalogs})
		if err == nil {
			err = p.Check(t.Context(), x)
		}
		if err != nil {
			t.Errorf("%.80s: %v", c.text, err)
			continue
		}
		if x.Simple != c.plain {
			t.Errorf("%.80s: planned without the optimizer: %v, want %v", c.text, x.Simple, c.plain)
		}
		out, _, err := ask(t, p, catalogs, c.text)
		if err != nil {
			t.Errorf("%.80s: %v", c.text, err)
			continue
		}
		var got []string
		for _, r := range out.Rows {
			got = append(got, *r[0].(*string))
		}
		if g := strings.Join(got, "|"); g != c.want {
			t.Errorf("%.80s: %s, want %s", c.text, g, c.want)
		}
	}
}
