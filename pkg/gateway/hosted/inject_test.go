package hosted

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/jobs"
)

// TestInjectionRepeats: the same seed strikes the same calls, another seed others, and one rule's calls do not move
// another's.
func TestInjectionRepeats(t *testing.T) {
	draws := func(seed uint64, others bool) string {
		in, err := ParseInjection([]string{"status=503,rate=0.5,op=listOrganizations",
			"truncate=random,rate=0.5,op=listProjects"}, seed)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for range 64 {
			if others {
				in.draw("listProjects", "")
			}
			fmt.Fprint(&b, len(in.draw("listOrganizations", "")))
		}
		return b.String()
	}
	a := draws(1, false)
	if n := strings.Count(a, "1"); n < 16 || n > 48 {
		t.Errorf("a rate of a half struck %d of 64", n)
	}
	if b := draws(1, false); b != a {
		t.Errorf("the same seed:\n%s\n%s", a, b)
	}
	if b := draws(1, true); b != a {
		t.Errorf("calls of another rule in between:\n%s\n%s", a, b)
	}
	if b := draws(2, false); b == a {
		t.Error("another seed struck the same calls")
	}
}

// TestInjectionCounts: skip and count bound a rule, and a job's rule does not strike calls.
func TestInjectionCounts(t *testing.T) {
	in, err := ParseInjection([]string{"drop=reply,skip=2,count=3", "stall=job,job=export"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for range 7 {
		got = append(got, len(in.draw("listOrganizations", "")))
	}
	if !slices.Equal(got, []int{0, 0, 1, 1, 1, 0, 0}) {
		t.Errorf("struck %v", got)
	}
	if n := len(in.draw("", jobs.JobExport)); n != 1 {
		t.Errorf("an export met %d faults", n)
	}
	if n := len(in.draw("", jobs.JobCache)); n != 0 {
		t.Errorf("a cache met %d faults", n)
	}
}
