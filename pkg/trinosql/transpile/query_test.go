package transpile

import (
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// TestTrim: the text of a call has a dollar sign that stands for no argument.
func TestTrim(t *testing.T) {
	for _, c := range []struct {
		call string
		want map[Target]string
	}{
		{"trim(a)", map[Target]string{PostgreSQL: `btrim(a, E' \t\n\v\f\r')`, BigQuery: `trim(a, ' \t\n\v\f\r')`,
			MySQL: "regexp_replace(a, '^[[:space:]]+|[[:space:]]+$', '')"}},
		{"ltrim(a)", map[Target]string{PostgreSQL: `ltrim(a, E' \t\n\v\f\r')`, BigQuery: `ltrim(a, ' \t\n\v\f\r')`,
			MySQL: "regexp_replace(a, '^[[:space:]]+', '')"}},
		{"trim(TRAILING FROM a)", map[Target]string{PostgreSQL: `rtrim(a, E' \t\n\v\f\r')`,
			BigQuery: `rtrim(a, ' \t\n\v\f\r')`, MySQL: "regexp_replace(a, '[[:space:]]+$', '')"}},
	} {
		tree, err := trinosql.Parse("SELECT " + c.call + " AS x FROM (SELECT 'x' AS a) AS t")
		if err != nil {
			t.Fatal(err)
		}
		a, err := analyze.Analyze(tree, analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for to, want := range c.want {
			got, err := Query(tree.(*trinosql.Query), a, to)
			if want = "SELECT " + want + " AS x FROM (SELECT 'x' AS a) AS t"; err != nil || got != want {
				t.Errorf("%s for %s: %s, %v\n\twant %s", c.call, to, got, err, want)
			}
		}
	}
}
