package cmd

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// TestApplyKilledAtEveryStep ends apply after each of its requests, once before and once after the gateway has handled
// it: the same command makes the rest, nothing twice. An ordinary run looks at each fifth; DIG_TEST_STEPS=all at all of
// them.
func TestApplyKilledAtEveryStep(t *testing.T) {
	f := newFront(t, "local")
	f.file("source/a.csv", "id,region\n1,north\n")
	killedApplies(t, f, 12, map[string]string{
		"dig.yaml": "# The objects of a project as files: `dig plan DIR` compares them with a " +
			"project, `dig apply DIR` changes a project to match them.\nversion: 1\n",
		"connections/files.yaml":      "type: files\ncredential:\n  path: " + filepath.Join(f.home, "source") + "\n",
		"catalogs/ext.yaml":           "connection: files\n",
		"tables/people.yaml":          "columns:\n  - name: name\n    type: varchar\n    description: who\n",
		"bitables/board.yaml":         "columns:\n  - name: label\n    type: varchar\n",
		"parametric-tables/ext.yaml":  "by.north:\n  from: files.a\n  values:\n    region: north\n",
		"caches/sample.yaml":          "shop.orders:\n  full: P1D\n",
		"queries/reports/Names.sql":   "SELECT name FROM peaka.\"table\".people\n",
		"queries/reports/Stored.sql":  "SELECT count(*) AS n FROM peaka.query.names\n",
		"queries/reports/Stored.yaml": "materialized: true\nschedule:\n  every: PT1H\n",
		"semantic-catalogs/kpi.yaml":  "tables:\n  core.names: Names\n",
		"metadata/sample.yaml":        "shop.customers:\n  description: buyers\n",
		"relations/sample.yaml": "- from: shop.orders.customer_id\n  to: sample.shop.customers.id\n  type: " +
			"MANY_TO_ONE\n",
		"golden-sql/how-many-names.sql":  "SELECT count(*) FROM peaka.query.names\n",
		"golden-sql/how-many-names.yaml": "prompt: How many names?\n",
	})
	// Hosted zones create a table without columns, which are added by another request.
	killedApplies(t, newFront(t, "us", "hosted"), 3, map[string]string{
		"dig.yaml": "# The objects of a project as files: `dig plan DIR` compares them with a project, " +
			"`dig apply DIR` changes a project to match them.\nversion: 1\n",
		"tables/people.yaml": "columns:\n  - name: name\n    type: varchar\n    description: who\n  - name: age\n    " +
			"type: bigint\n    not-null: true\n",
	})
}

func killedApplies(t *testing.T, f *front, least int, files map[string]string) {
	t.Helper()
	for name, text := range files {
		f.file("p/"+name, text)
	}
	f.ok("apply", "p", "--yes", "--allow-part", "--dry-run")
	org, ws := "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"
	want := filesOf(t, filepath.Join(f.home, "p"))
	all, step := 0, 5
	if os.Getenv("DIG_TEST_STEPS") != "" || least < 5 {
		step = 1
	}
	for n := 1; all == 0; n += step {
		for _, handled := range []bool{true, false} {
			p, err := f.api.Projects.Create(t.Context(), org, ws, api.ProjectRequest{Name: new("p"),
				AllowDuplicateName: true})
			if err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			seen, dead := 0, false
			f.sent()
			f.between(func(r *http.Request, pass func()) {
				mu.Lock()
				if changing(r) {
					seen++
				}
				last := !dead && seen == n && changing(r)
				was := dead
				dead = dead || last
				mu.Unlock()
				if was || last && !handled {
					panic(http.ErrAbortHandler)
				}
				pass()
				if last {
					panic(http.ErrAbortHandler)
				}
			})
			code, _, _ := f.dig("apply", "p", "--project", p.ID, "--yes", "--allow-part", "--retries", "0")
			f.between(nil)
			if code == 0 {
				all = seen
				break
			}
			first := strings.Fields(f.sent())
			if !handled { // it did not arrive
				first = first[:min(n-1, len(first))]
			} else {
				first = first[:min(n, len(first))]
			}
			if code, out, errs := f.dig("apply", "p", "--project", p.ID, "--yes", "--allow-part"); code != 0 {
				t.Errorf("after request %d (handled: %v): exit %d: %s%s", n, handled, code, out, errs)
				continue
			}
			rest := append(first, strings.Fields(f.sent())...)
			if code, out, errs := f.dig("diff", "p", "--project", p.ID); code != 0 {
				t.Errorf("after request %d (handled: %v): exit %d: %s%s", n, handled, code, out, errs)
			}
			slices.Sort(rest)
			for i := 1; i < len(rest); i++ {
				if rest[i] == rest[i-1] && !slices.Contains([]string{"createQuery", "updateTableMetadata",
					"updateInternalColumn", "addInternalColumns"}, rest[i]) {
					t.Errorf("after request %d (handled: %v) twice: %v", n, handled, rest)
				}
			}
			again := filepath.Join(t.TempDir(), "p")
			f.ok("pull", again, "--project", p.ID)
			sameFiles(t, "pulled", filesOf(t, again), want)
		}
	}
	if all < least {
		t.Errorf("only %d requests", all)
	}
}
