// Package prompt asks the user: for a line, a password, or to confirm what a command is about to do.
package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// Prompter asks the user of one run.
type Prompter struct {
	In              io.Reader
	Out             io.Writer // of the questions: stderr
	InTerm, OutTerm bool      // whether they are terminals of a person
	// the variable because of which nobody is asked, although In is a terminal; "" if there is none
	Unasked string

	Yes    bool          // what would be asked is confirmed
	DryRun bool          // questions are only printed
	Where  func() string // what the command works on, for questions about a gateway
	Permit func() error  // why the command may not change anything, before a question about a gateway
	Agreed *bool         // set when the user has confirmed a change
}

// Answer reads one line from the terminal. It does not read ahead, so that the next prompt gets its own line.
func (p *Prompter) Answer(hidden bool) (string, error) {
	if hidden {
		line, ok, err := p.Hidden()
		switch {
		case errors.Is(err, context.Canceled):
			return "", err
		case err != nil:
			return "", exitcode.Usagef("cannot read the answer: %v", err)
		case ok:
			return line, nil
		}
	}
	var line []byte
	one := make([]byte, 1)
	for {
		n, err := p.In.Read(one)
		if n == 1 && one[0] == '\n' {
			return strings.TrimSuffix(string(line), "\r"), nil
		}
		line = append(line, one[:n]...)
		if errors.Is(err, context.Canceled) {
			return "", err
		}
		if err == io.EOF && len(line) > 0 {
			return string(line), nil
		}
		if err != nil {
			return "", exitcode.Usagef("cannot read the answer: %v", err)
		}
	}
}

// NeedsConfirmation reports whether the question before a deletion is shown, at a prompt or in a dry run: its details
// are fetched from the gateway only then.
func (p *Prompter) NeedsConfirmation() bool { return !p.Yes || p.DryRun }

// Prompts reports whether the user is asked on a terminal before a deletion. Time passes between the prompt and the
// deletion.
func (p *Prompter) Prompts() bool { return p.NeedsConfirmation() && !p.DryRun && p.InTerm && p.OutTerm }

// Holds describes the contents of an object at the time of the prompt for its deletion.
type Holds struct {
	Text string // as shown in the prompt
	Mark string // details that are not shown, such as the newest row
}

// Recheck examines an object again directly before its deletion, if that was confirmed on a terminal. It returns an
// error if the object has changed since the prompt: the user did not agree to delete what was added since. Without a
// prompt it does nothing.
func (p *Prompter) Recheck(object string, was Holds, look func() (Holds, error)) error {
	if !p.Prompts() {
		return nil
	}
	now, err := look()
	if err != nil {
		return fmt.Errorf("%s cannot be examined again, so it was not deleted: %w", object, err)
	}
	if now == was {
		return nil
	}
	return &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict",
		Msg:  fmt.Sprintf("%s has changed since the question was asked; it was not deleted", object),
		Hint: "run the command again to see what it contains now"}
}

// RecheckText is Recheck for contents that the prompt shows completely.
func (p *Prompter) RecheckText(object, was string, look func() (string, error)) error {
	return p.Recheck(object, Holds{Text: was}, func() (Holds, error) {
		now, err := look()
		return Holds{Text: now}, err
	})
}

// withoutPrompt returns the hint of a command that would prompt, with the reason why it does not.
func (p *Prompter) withoutPrompt(hint string) string {
	if p.Unasked != "" {
		hint += "; " + p.Unasked + " is set, so nothing is asked"
	}
	return hint
}
