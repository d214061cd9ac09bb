package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway/zone"
	"github.com/spf13/cobra"
)

// Confirm asks before something is deleted at the gateway. Without a terminal to ask on, --yes is required.
func (e *Env) Confirm(format string, args ...any) error {
	if err := e.Permit(); err != nil {
		return err
	}
	return e.ConfirmHere("%s: %s", e.Where(), fmt.Sprintf(format, args...))
}

// ConfirmHere is Confirm for something that exists only on this machine.
func (e *Env) ConfirmHere(format string, args ...any) error {
	question := fmt.Sprintf(format, args...)
	if e.DryRun() {
		e.wouldAsk(question)
		return nil
	}
	if e.Run.Flags.Yes {
		return nil
	}
	if !e.InTerm || !e.ErrTerm {
		return &Failure{Exit: exitcode.Confirm, Code: "confirm", Msg: "not confirmed: " + question,
			Hint: e.withoutPrompt("give --yes to skip the confirmation")}
	}
	line, err := e.ask(question + " [y/N] ")
	if err != nil {
		return err
	}
	switch strings.ToLower(line) {
	case "y", "yes":
		e.Run.agreed = true
		return nil
	}
	return notConfirmed()
}

// wouldAsk tells in a dry run which question the run would ask, or which --yes would answer: it names what depends on
// an object.
func (e *Env) wouldAsk(question string) { fmt.Fprintln(e.Err, "to be confirmed:", question) }

func notConfirmed() error {
	return &Failure{Exit: exitcode.Confirm, Code: "confirm", Msg: "not confirmed, nothing was done"}
}

// ask reads the answer to a question. An answer without a line end, at the end of the input, is valid.
func (e *Env) ask(question string) (string, error) {
	fmt.Fprint(e.Err, question)
	line, err := bufio.NewReader(e.In).ReadString('\n')
	if errors.Is(err, context.Canceled) {
		return "", err
	}
	return strings.TrimSpace(line), nil
}

// Naming is the flag --confirm of commands that delete an object on which others may depend.
type Naming struct{ given string }

// Register adds the flag; kind is the kind of the deleted object.
func (n *Naming) Register(c *cobra.Command, kind string) {
	c.Flags().StringVar(&n.given, "confirm", "", "the name of the "+kind+
		", which --yes needs if something depends on it")
}

// NamesOf returns the names that confirm the deletion of an object. Its id does so only if it has no name: an id that a
// script has in a variable says nothing about the object.
func NamesOf(id string, names ...string) []string {
	names = slices.DeleteFunc(names, func(s string) bool { return s == "" || s == id })
	if len(names) == 0 {
		names = []string{id}
	}
	return names
}

// ConfirmNamed asks for confirmation before an object is deleted. If other objects depend on it, its name must be
// typed. dependants lists them, "" for none; names are the accepted names of the object. Without a terminal --yes is
// required, and, where the name would have to be typed, --confirm with the name.
func (e *Env) ConfirmNamed(n Naming, names []string, dependants, format string, args ...any) error {
	names = slices.DeleteFunc(names, func(s string) bool { return s == "" })
	if len(names) == 0 {
		return Usagef("a name is required")
	}
	if n.given != "" && !slices.Contains(names, n.given) {
		return &Failure{Exit: exitcode.Confirm, Code: "confirm",
			Msg: fmt.Sprintf("not confirmed: --confirm says %q, and it is called %s", n.given, names[0])}
	}
	if dependants == "" || e.DryRun() {
		if err := e.Confirm(format, args...); err != nil || dependants == "" {
			return err
		}
		e.wouldAsk("its name, " + names[0] +
			", because of what depends on it: typed, or given with --confirm besides --yes")
		return nil
	}
	if err := e.Permit(); err != nil {
		return err
	}
	question := e.Where() + ": " + fmt.Sprintf(format, args...)
	switch {
	case e.Run.Flags.Yes && n.given != "":
		return nil
	case e.Run.Flags.Yes || !e.InTerm || !e.ErrTerm:
		with := "--yes and --confirm with its name"
		if e.Run.Flags.Yes {
			with = "--confirm with its name besides --yes"
		}
		return &Failure{Exit: exitcode.Confirm, Code: "confirm", Msg: "not confirmed: " + question,
			Hint: "because of what depends on it, give " + with}
	}
	answer, err := e.ask(fmt.Sprintf("%s\nto confirm, type its name, %s: ", question, names[0]))
	if err != nil {
		return err
	}
	if !slices.Contains(names, answer) {
		return notConfirmed()
	}
	e.Run.agreed = true
	return nil
}

// NamingAll is Naming for commands that delete several objects.
type NamingAll struct{ given []string }

// Register adds the flag.
func (n *NamingAll) Register(c *cobra.Command) {
	c.Flags().StringArrayVar(&n.given, "confirm", nil,
		"the name of an object that is deleted, which --yes needs for each on which something depends (repeatable)")
}

// stray returns a name that was given and is not one of the deleted objects.
func (n *NamingAll) stray(deleted []string) string {
	for _, name := range n.given {
		if !slices.Contains(deleted, name) {
			return name
		}
	}
	return ""
}

// ConfirmAll is Confirm for a change that deletes several objects. needed are the names of those on which others
// depend: each must be typed at a prompt or given with --confirm.
func (e *Env) ConfirmAll(n NamingAll, deleted, needed []string, dependants, format string, args ...any) error {
	if name := n.stray(deleted); name != "" && !e.DryRun() {
		return &Failure{Exit: exitcode.Confirm, Code: "confirm",
			Msg: fmt.Sprintf("not confirmed: --confirm says %q, and nothing of that name is deleted", name)}
	}
	needed = slices.DeleteFunc(slices.Clone(needed), func(name string) bool { return slices.Contains(n.given, name) })
	asks := e.InTerm && e.ErrTerm && !e.Run.Flags.Yes
	if len(needed) > 0 && !asks && !e.DryRun() {
		if err := e.Permit(); err != nil {
			return err
		}
		flags := []string{"--yes"}
		for _, name := range needed {
			flags = append(flags, "--confirm "+shell.Quote(name))
		}
		return &Failure{Exit: exitcode.Confirm, Code: "confirm", Msg: "not confirmed: " + e.Where() + ": " +
			dependants, Hint: "because of what depends on them, give " + strings.Join(flags, " ")}
	}
	if err := e.Confirm(format, args...); err != nil || !asks || e.DryRun() {
		if err == nil && e.DryRun() && dependants != "" {
			e.wouldAsk("by name, because of what depends on them: " + dependants)
		}
		return err
	}
	for _, name := range needed {
		answer, err := e.ask(fmt.Sprintf("something depends on %s; to confirm its deletion, type its name: ", name))
		if err != nil {
			return err
		}
		if answer != name {
			e.Run.agreed = false
			return notConfirmed()
		}
	}
	return nil
}

// Where describes the zone, organization, workspace and project of this run for a prompt.
func (e *Env) Where() string {
	s := e.Run.Settings
	if s == nil {
		return "zone local"
	}
	parts := []string{"zone " + s.Zone.Value}
	if s.BaseURL.Value != "" && config.ZoneOfAddress(s.BaseURL.Value) == "" {
		parts[0] += " at " + s.BaseURL.Value
	}
	for _, v := range []struct{ what, is string }{{"profile", s.Profile.Value}, {"organization", s.Org.Value},
		{"workspace", s.Workspace.Value}} {
		if v.is != "" {
			parts = append(parts, v.what+" "+v.is)
		}
	}
	if e.Run.aboveProjects {
		return strings.Join(parts, ", ")
	}
	switch facts := e.KeyFacts(); {
	case s.Project.Value != "":
		parts = append(parts, "project "+s.Project.Value)
	case s.InProcess():
		parts = append(parts, "project "+zone.DefaultProject)
	case facts.Project != "":
		parts = append(parts, "project "+resolve.Named{ID: facts.Project, Name: facts.ProjectName}.String())
	}
	return strings.Join(parts, ", ")
}
