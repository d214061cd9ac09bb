package prompt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/spf13/cobra"
)

// Confirm asks before something is deleted at the gateway. Without a terminal to ask on, --yes is required.
func (p *Prompter) Confirm(format string, args ...any) error {
	if err := p.Permit(); err != nil {
		return err
	}
	return p.ConfirmHere("%s: %s", p.Where(), fmt.Sprintf(format, args...))
}

// ConfirmHere is Confirm for something that exists only on this machine.
func (p *Prompter) ConfirmHere(format string, args ...any) error {
	question := fmt.Sprintf(format, args...)
	if p.DryRun {
		p.wouldAsk(question)
		return nil
	}
	if p.Yes {
		return nil
	}
	if !p.InTerm || !p.OutTerm {
		return &exitcode.Failure{Exit: exitcode.Confirm, Code: "confirm", Msg: "not confirmed: " + question,
			Hint: p.withoutPrompt("give --yes to skip the confirmation")}
	}
	line, err := p.ask(question + " [y/N] ")
	if err != nil {
		return err
	}
	switch strings.ToLower(line) {
	case "y", "yes":
		*p.Agreed = true
		return nil
	}
	return notConfirmed()
}

// wouldAsk tells in a dry run which question the run would ask, or which --yes would answer: it names what depends on
// an object.
func (p *Prompter) wouldAsk(question string) { fmt.Fprintln(p.Out, "to be confirmed:", question) }

func notConfirmed() error {
	return &exitcode.Failure{Exit: exitcode.Confirm, Code: "confirm", Msg: "not confirmed, nothing was done"}
}

// ask reads the answer to a question. An answer without a line end, at the end of the input, is valid.
func (p *Prompter) ask(question string) (string, error) {
	fmt.Fprint(p.Out, question)
	line, err := bufio.NewReader(p.In).ReadString('\n')
	if errors.Is(err, context.Canceled) {
		return "", err
	}
	return strings.TrimSpace(line), nil
}

// Naming is the flag --confirm of commands that delete an object on which others may depend.
type Naming struct {
	given  string
	always bool
}

// Register adds the flag; kind is the kind of the deleted object.
func (n *Naming) Register(c *cobra.Command, kind string) {
	c.Flags().StringVar(&n.given, "confirm", "", "the name of the "+kind+
		", which --yes needs if something depends on it")
}

// RegisterAlways adds the flag to a command whose object must always be named.
func (n *Naming) RegisterAlways(c *cobra.Command, kind string) {
	n.always = true
	c.Flags().StringVar(&n.given, "confirm", "", "the name of the "+kind+", which --yes needs")
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
func (p *Prompter) ConfirmNamed(n Naming, names []string, dependants, format string, args ...any) error {
	names = slices.DeleteFunc(names, func(s string) bool { return s == "" })
	if len(names) == 0 {
		return exitcode.Usagef("a name is required")
	}
	if err := n.check(names); err != nil {
		return err
	}
	because := "because of what depends on it"
	if n.always {
		because = "because deleted rows do not come back"
	}
	free := dependants == "" && !n.always
	if free || p.DryRun {
		if err := p.Confirm(format, args...); err != nil || free {
			return err
		}
		p.wouldAsk("its name, " + names[0] + ", " + because +
			": typed, or given with --confirm besides --yes")
		return nil
	}
	if err := p.Permit(); err != nil {
		return err
	}
	question := p.Where() + ": " + fmt.Sprintf(format, args...)
	switch {
	case p.Yes && n.given != "":
		return nil
	case p.Yes || !p.InTerm || !p.OutTerm:
		with := "--yes and --confirm with its name"
		if p.Yes {
			with = "--confirm with its name besides --yes"
		}
		return &exitcode.Failure{Exit: exitcode.Confirm, Code: "confirm", Msg: "not confirmed: " + question,
			Hint: because + ", give " + with}
	}
	answer, err := p.ask(fmt.Sprintf("%s\nto confirm, type its name, %s: ", question, names[0]))
	if err != nil {
		return err
	}
	if !isNamed(names, answer) {
		return notConfirmed()
	}
	*p.Agreed = true
	return nil
}

// ConfirmBreaking is ConfirmNamed for a change, such as a new name, that needs no confirmation if nothing depends on
// the object.
func (p *Prompter) ConfirmBreaking(n Naming, names []string, dependants, format string, args ...any) error {
	if dependants == "" {
		return n.check(names)
	}
	return p.ConfirmNamed(n, names, dependants, format, args...)
}

// check returns an error if --confirm names something else than the object.
func (n *Naming) check(names []string) error {
	if n.given == "" || isNamed(names, n.given) {
		return nil
	}
	return &exitcode.Failure{Exit: exitcode.Confirm, Code: "confirm",
		Msg: fmt.Sprintf("not confirmed: --confirm says %q, and it is called %s", n.given, names[0])}
}

// isNamed ignores case: the object is found, and another one is not meant.
func isNamed(names []string, text string) bool {
	return slices.ContainsFunc(names, func(s string) bool { return strings.EqualFold(s, text) })
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
func (p *Prompter) ConfirmAll(n NamingAll, deleted, needed []string, dependants, format string, args ...any) error {
	if name := n.stray(deleted); name != "" && !p.DryRun {
		return &exitcode.Failure{Exit: exitcode.Confirm, Code: "confirm",
			Msg: fmt.Sprintf("not confirmed: --confirm says %q, and nothing of that name is deleted", name)}
	}
	needed = slices.DeleteFunc(slices.Clone(needed), func(name string) bool { return slices.Contains(n.given, name) })
	asks := p.InTerm && p.OutTerm && !p.Yes
	if len(needed) > 0 && !asks && !p.DryRun {
		if err := p.Permit(); err != nil {
			return err
		}
		flags := []string{"--yes"}
		for _, name := range needed {
			flags = append(flags, "--confirm "+shell.Quote(name))
		}
		return &exitcode.Failure{Exit: exitcode.Confirm, Code: "confirm", Msg: "not confirmed: " + p.Where() + ": " +
			dependants, Hint: "because of what depends on them, give " + strings.Join(flags, " ")}
	}
	if err := p.Confirm(format, args...); err != nil || !asks || p.DryRun {
		if err == nil && p.DryRun && dependants != "" {
			p.wouldAsk("by name, because of what depends on them: " + dependants)
		}
		return err
	}
	for _, name := range needed {
		answer, err := p.ask(fmt.Sprintf("something depends on %s; to confirm its deletion, type its name: ", name))
		if err != nil {
			return err
		}
		if answer != name {
			*p.Agreed = false
			return notConfirmed()
		}
	}
	return nil
}
