package repl

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/output"
)

// switches are the settings of the shell by their names.
func (s *shell) switches() map[string]*bool {
	return map[string]*bool{"friendly": &s.friendly, "timing": &s.timing, "types": &s.types}
}

// set changes a setting, or stores a value for :NAME in statements. Without arguments it lists both.
func (s *shell) set(ctx context.Context, args []string) error {
	switches := s.switches()
	switch len(args) {
	case 0:
		rows := [][]any{{"expanded", s.expansion()}}
		for _, name := range slices.Sorted(maps.Keys(switches)) {
			rows = append(rows, []any{name, onOff(*switches[name])})
		}
		for _, name := range slices.Sorted(maps.Keys(s.vars)) {
			rows = append(rows, []any{":" + name, s.vars[name]})
		}
		return s.show(ctx, []string{"name", "value"}, rows)
	case 1, 2:
	default:
		return exitcode.Usagef(`\set takes a name and a value`).WithHint("a value with blanks is written in quotes")
	}
	name, value := args[0], strings.Join(args[1:], "")
	if name == "expanded" {
		return s.expand(ctx, args[1:])
	}
	if to := switches[name]; to != nil {
		on, err := switched(`\set `+name, value, *to)
		if err == nil {
			*to = on
			s.state(name, on)
		}
		return err
	}
	if p := sqlstmt.ParamsOf(":" + name); len(p.Names) != 1 || p.Names[0] != name {
		return exitcode.Usagef(`\set: %s is not a name for a parameter`, name)
	}
	if s.vars == nil {
		s.vars = map[string]string{}
	}
	s.vars[name] = value
	return nil
}

// unset forgets a value of set.
func (s *shell) unset(_ context.Context, args []string) error {
	if len(args) == 0 {
		return exitcode.Usagef(`\unset takes a name`)
	}
	for _, name := range args {
		if _, ok := s.vars[name]; !ok {
			return exitcode.Usagef(`\unset: no value for :%s is set`, name)
		}
		delete(s.vars, name)
	}
	return nil
}

// withVars adds the values of set for the parameters of a statement that are not bound.
func (s *shell) withVars(p sqlstmt.Params) []string {
	binds := slices.Clone(s.binds)
	for i, name := range p.Names {
		value, ok := s.vars[name]
		bound := slices.ContainsFunc(s.binds, func(b string) bool { return strings.HasPrefix(b, name+"=") })
		if ok && !bound && p.Placeholders == 0 && !slices.Contains(p.Names[:i], name) {
			binds = append(binds, name+"="+value)
		}
	}
	return binds
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// switched is the new state of what is on or off.
func switched(what, value string, was bool) (bool, error) {
	switch strings.ToLower(value) {
	case "on", "true", "1", "yes":
		return true, nil
	case "off", "false", "0", "no":
		return false, nil
	case "":
		return !was, nil
	}
	return was, exitcode.Usagef("%s is on or off, not %s", what, value)
}

func (s *shell) expansion() string {
	if s.unfit {
		return "auto"
	}
	return onOff(s.expanded)
}

// expand shows one line per value, always, never, or where the columns do not fit. At a terminal it shows the last
// result so.
func (s *shell) expand(ctx context.Context, args []string) error {
	value, was := strings.Join(args, " "), s.expansion()
	if strings.EqualFold(value, "auto") {
		s.expanded, s.unfit = false, true
		fmt.Fprintln(s.e.Err, "one line per value: where the columns do not fit")
	} else {
		on, err := switched(`\x`, value, s.expanded)
		if err != nil {
			return exitcode.Usagef(`\x is on, off or auto, not %s`, value)
		}
		s.expanded, s.unfit = on, false
		s.state("one line per value", on)
	}
	if s.last == nil || !s.e.InTerm || s.expansion() == was {
		return nil
	}
	return s.lastAs(ctx, s.shown(Statement{}), output.Chart{})
}

// shown adds to a statement how the shell shows results.
func (s *shell) shown(st Statement) Statement {
	st.Vertical, st.Unfit, st.Types, st.Unseen = s.expanded, s.unfit, s.types, s.unseen
	return st
}

// sent prints the last statement as it was sent.
func (s *shell) sent(context.Context, []string) error {
	if s.lastSent == "" {
		return exitcode.Usagef("there is no last statement that was sent")
	}
	_, err := fmt.Fprintln(s.e.OnScreen(), s.lastSent)
	return err
}

// failed is the last error with the statement that it is about, if it is about one.
type failed struct {
	err  error
	text string
	sent string
}

// describeError prints all that is known of the last error.
func (s *shell) describeError(ctx context.Context, _ []string) error {
	if s.failed == nil {
		fmt.Fprintln(s.e.Err, "there is no last error")
		return nil
	}
	f := cli.Classify(ctx, s.failed.err)
	raw, err := json.MarshalIndent(struct {
		Error     exitcode.ErrorJSON `json:"error"`
		Statement string             `json:"statement,omitempty"`
		Sent      string             `json:"sent,omitempty"`
	}{s.e.ToJSON(&f, s.failed.err), s.failed.text, s.failed.sent}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.e.OnScreen(), string(raw))
	return err
}

// system runs a command of the operating system.
func (s *shell) system(ctx context.Context, args []string) error {
	undo := s.trap(func() {}) // Ctrl-C is for the command, which gets it from the terminal
	defer undo()
	if s.e.InTerm { // the signal that ended the command may arrive here after its end
		defer time.Sleep(50 * time.Millisecond)
	}
	if s.quiet != nil { // the command may read from the terminal
		s.quiet.End()
		defer s.quiet.Begin()
	}
	return s.e.System(ctx, strings.Join(args, " "))
}
