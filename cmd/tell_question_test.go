package cmd

import (
	"slices"
	"strings"
	"testing"
)

// TestTellingAsks: a dry run of every command that asks for confirmation tells the question with what depends on the
// object, as without a terminal and without --yes.
func TestTellingAsks(t *testing.T) {
	if !local().Available {
		t.Skip("zone local needs cgo")
	}
	w := newTellWorld(t)
	asked, depended := 0, 0
	for _, l := range readTellLines(w.vars) {
		at := slices.Index(l.args, "--yes")
		if at < 0 {
			continue
		}
		for i := at; i < len(l.args); i++ { // --confirm NAME besides
			if l.args[i] == "--confirm" {
				l.args = slices.Delete(l.args, i, i+2)
				break
			}
		}
		args := slices.Delete(slices.Clone(l.args), at, at+1)
		_, _, errs := w.run(args...)
		_, question, ok := strings.Cut(errs, "dig: not confirmed: ")
		if !ok {
			if l.steps != fails {
				t.Errorf("%s does not ask: %s", strings.Join(args, " "), errs)
			}
			continue
		}
		question, _, _ = strings.Cut(question, "\n")
		asked++
		if strings.Contains(errs, "because of what depends") {
			depended++
		}
		for _, line := range [][]string{append(args, "--dry-run"), append(args, "--dry-run", "--yes"),
			append(args, "--explain")} {
			code, out, errs := w.run(line...)
			if strings.Contains(out, "curl -sS -X GET") { // --explain ends at a read of the command itself
				continue
			}
			if code != 0 || !strings.Contains(errs, "to be confirmed: "+question) {
				t.Errorf("%s: exit code %d, the question is\n%s\n%s%s", strings.Join(line, " "), code,
					question, out, errs)
			}
		}
	}
	if asked < 15 || depended < 3 {
		t.Errorf("%d commands asked, %d because of what depends on the object", asked, depended)
	}
}
