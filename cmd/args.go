package cmd

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/spf13/cobra"
)

// checkedArgs has wrong arguments be usage errors that name the missing or the surplus one.
func checkedArgs(c *cobra.Command) {
	check := c.Args
	if check == nil {
		return
	}
	c.Args = func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if err == nil {
			return nil
		}
		f := exitcode.Usagef("%v", err).WithHint("usage: %s", c.UseLine())
		words := argNames(c)
		least, most := -1, -1
		for _, form := range []struct {
			format string
			into   []any
		}{{"accepts between %d and %d", []any{&least, &most}}, {"accepts at most %d", []any{&most}},
			{"requires at least %d", []any{&least}}, {"accepts %d", []any{&least}}} {
			if n, _ := fmt.Sscanf(err.Error(), form.format, form.into...); n == len(form.into) {
				if form.format == "accepts %d" {
					most = least
				}
				break
			}
		}
		switch {
		case most >= 0 && len(args) > most, strings.HasPrefix(err.Error(), "unknown command "):
			f.Msg = fmt.Sprintf("unexpected argument %q", args[max(most, 0)])
		case least > len(args) && least <= len(words):
			f.Msg = strings.Join(words[len(args):least], " and ") + " is missing"
			if least-len(args) > 1 {
				f.Msg = strings.Join(words[len(args):least], " and ") + " are missing"
			}
		}
		return f
	}
}

// argNames are the names of the arguments in the usage line, nil if their number has alternatives.
func argNames(c *cobra.Command) []string {
	if strings.Contains(c.Use, " | ") {
		return nil
	}
	return strings.Fields(strings.NewReplacer("[", "", "]", "", "...", "").Replace(c.Use))[1:]
}
