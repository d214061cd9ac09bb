package hosted

import "testing"

// TestParseQuirks: none, some, all, and a name that is not one.
func TestParseQuirks(t *testing.T) {
	if q, err := ParseQuirks(nil); q != nil || err != nil || q.has(quirkCappedScans) {
		t.Errorf("%v %v", q, err)
	}
	q, err := ParseQuirks([]string{"late-status", "html-errors"})
	if err != nil || !q.has("late-status") || q.has(quirkCappedScans) {
		t.Errorf("%v %v", q, err)
	}
	if q, err = ParseQuirks([]string{"hosted"}); err != nil {
		t.Error(err)
	}
	h, err := ParseQuirks([]string{"harsh=0.25"})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range AllQuirks() {
		if q.has(k.Name) != (k.Set == Hosted) || h.has(k.Name) == q.has(k.Name) {
			t.Errorf("%s: in hosted %v, in harsh %v", k.Name, q.has(k.Name), h.has(k.Name))
		}
	}
	for _, bad := range []string{"odd", "hosted=0.5", "late-status=0.5", "harsh=0", "harsh=1.5", "html-errors=x",
		"html-errors="} {
		if _, err = ParseQuirks([]string{"hosted", bad}); err == nil {
			t.Errorf("--quirks %s is taken", bad)
		}
	}
}

// TestQuirkRates: the calls that are struck are the share that was asked for, spread evenly, and begin with the first.
func TestQuirkRates(t *testing.T) {
	for spec, want := range map[string]string{"html-errors": "XXXXXXXX", "html-errors=0.5": "X.X.X.X.",
		"html-errors=0.25": "X...X...", "harsh": "X.X.X.X.", "hosted": "........"} {
		q, err := ParseQuirks([]string{spec})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for range 8 {
			got += map[bool]string{true: "X", false: "."}[q.strikes("html-errors")]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", spec, got, want)
		}
	}
}
