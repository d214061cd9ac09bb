package cmd

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// commandOf finds the command of a line, and whether its operation changes something.
func commandOf(t *testing.T, args []string) (c *cobra.Command, changes bool) {
	t.Helper()
	c, _, err := newRootCmd(&cli.Env{Zone: local(), Name: "dig", Getenv: os.Getenv}).Find(args)
	if err != nil {
		t.Fatal(err)
	}
	ops := strings.Fields(c.Annotations[cli.OpAnnotation])
	for _, op := range spec.All() {
		if slices.Contains(ops, op.ID) && op.Method != http.MethodGet {
			return c, true
		}
	}
	return c, false
}

// steps counts what a run has told of.
func steps(out string) int {
	return len(regexp.MustCompile(`(?m)^((GET|POST|PUT|PATCH|DELETE) http|would )`).FindAllString(out, -1))
}

// asJSON is a line with -o json instead of another form; nil where a flag of the command says another one.
func asJSON(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--csv" || args[i] == "--jq" {
			return nil
		}
		if args[i] == "-o" {
			i++
			continue
		}
		out = append(out, args[i])
	}
	return append(out, "-o", "json")
}

// stepsOf reads what a dry run with -o json prints: one array of steps, and nothing else.
func stepsOf(t *testing.T, line, out string) []cli.Step {
	t.Helper()
	var all []cli.Step
	dec := json.NewDecoder(strings.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&all); err != nil || dec.More() {
		t.Errorf("%s --dry-run -o json prints no array of steps: %v\n%s", line, err, out)
	}
	for _, s := range all {
		op, known := spec.Find(s.Operation)
		local := slices.ContainsFunc(spec.Local(), func(o spec.Op) bool { return o.ID == s.Operation })
		switch {
		case s.Change != "":
			if s.Method+s.URL+s.Path+s.Operation != "" {
				t.Errorf("%s: a change on this machine that is a request too: %+v", line, s)
			}
		case !known && !local || known && s.Method != op.Method || !strings.HasPrefix(s.URL, "http") ||
			!strings.HasPrefix(s.Path, "/") || !strings.Contains(s.URL, s.Path):
			t.Errorf("%s: %+v", line, s)
		case s.Method != http.MethodDelete && strings.HasPrefix(s.ContentType, "application/json") && len(s.Body) == 0:
			t.Errorf("%s: no body in %+v", line, s)
		}
	}
	return all
}

// TestTellingChangesNothing runs every command with --dry-run and --explain, and looks at all that dig keeps before and
// after. A dry run works on a copy of the state of zone local, so a change that is sent does not show here:
// TestTellingSendsNothing looks for those.
func TestTellingChangesNothing(t *testing.T) {
	if !local().Available {
		t.Skip("zone local needs cgo")
	}
	w := newTellWorld(t)
	lines := readTellLines(w.vars)
	walked := map[string]bool{}
	was := w.tree()
	for _, l := range lines {
		c, changing := commandOf(t, l.args)
		walked[c.CommandPath()] = true
		for _, flag := range []string{"--dry-run", "--explain"} {
			code, out, errs := w.run(append(slices.Clone(l.args), flag)...)
			if diff := changes(was, w.tree()); len(diff) > 0 {
				t.Errorf("%s %s changed something: %v", strings.Join(l.args, " "), flag, diff)
				was = w.tree()
			}
			local := c.Annotations[cli.OpAnnotation] == "" && l.args[0] != "api"
			if l.steps == fails {
				continue
			}
			if flag == "--explain" && !local && !slices.Contains(l.args, "last") &&
				(code != 0 || !strings.Contains(out, "curl -sS -X ")) {
				t.Errorf("%s --explain: exit %d, %s%s", strings.Join(l.args, " "), code, out, errs)
			}
			if flag == "--explain" {
				told := strings.Split(out, "\ncurl ")[1:]
				slices.Sort(told)
				if len(slices.Compact(slices.Clone(told))) != len(told) {
					t.Errorf("%s --explain tells of a request more than once:\n%s", strings.Join(l.args, " "), out)
				}
				continue
			}
			want := l.steps
			if want < 0 {
				want = 0
				if changing || slices.Contains(l.args, "POST") || c.Name() == "execute" {
					want = 1
				}
			}
			if code != 0 && want > 0 || steps(out) != want {
				t.Errorf("%s --dry-run: exit %d, %d steps told, want %d\n%s%s", strings.Join(l.args, " "), code,
					steps(out), want, out, errs)
			}
			if want > 0 && !strings.Contains(errs, "dry run: nothing was sent and nothing was changed") {
				t.Errorf("%s --dry-run does not say so: %s", strings.Join(l.args, " "), errs)
			}
			args := asJSON(l.args)
			if want == 0 || args == nil {
				continue
			}
			code, out, errs = w.run(append(args, flag)...)
			if all := stepsOf(t, strings.Join(l.args, " "), out); code != 0 || len(all) != want {
				t.Errorf("%s --dry-run -o json: exit %d, %d steps told, want %d\n%s%s", strings.Join(args, " "), code,
					len(all), want, out, errs)
			}
			if diff := changes(was, w.tree()); len(diff) > 0 {
				t.Errorf("%s --dry-run -o json changed something: %v", strings.Join(l.args, " "), diff)
				was = w.tree()
			}
		}
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Runnable() && !c.HasSubCommands() && c.Name() != "exit-codes" && c.Name() != "flags" &&
			!walked[c.CommandPath()] {
			t.Errorf("no line walks %s", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRootCmd(&cli.Env{Zone: local(), Name: "dig", Getenv: os.Getenv}))
}
