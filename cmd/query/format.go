package query

import (
	"context"
	"errors"
	"fmt"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/spf13/cobra"
)

func newSQLFormat(e *cli.Env) *cobra.Command {
	var check, write bool
	c := &cobra.Command{
		Use: "format [FILE...]", Short: "Lay out Trino SQL", Args: cobra.ArbitraryArgs,
		Long: `Lay out the statements of files, or of standard input, and print them: a clause on each line, long lists
with an item on each line, keywords in upper case. Names, literals and comments stay as they are, and
formatting again changes nothing. The gateway is not called. Statements that change something (INSERT,
CREATE and others) stay as they are.

A text that is not valid is an error with its file, line and column; then no file is changed.
Exit codes of --check: 0 nothing would change, 1 something would, 2 a text is not valid.`,
		Example: "  " + e.Name + " sql format report.sql\n  " + e.Name + " sql format --write queries/*.sql\n  " +
			e.Name + " sql format --check queries/*.sql",
	}
	c.Flags().BoolVar(&check, "check", false,
		"print the names of the files that would change, and exit with 1 if there is one")
	c.Flags().BoolVarP(&write, "write", "w", false, "replace each file that changes")
	c.MarkFlagsMutuallyExclusive("check", "write")
	cli.OwnFile(c)
	return cli.Plain[[]formatted](e, c, func(_ context.Context, args []string) (cli.View, error) {
		if len(args) == 0 {
			args = []string{"-"}
		}
		o, err := e.OutputOptions()
		if err != nil {
			return cli.View{}, err
		}
		type text struct{ name, before, after string }
		var texts []text
		for _, name := range args {
			if name == "-" && write {
				return cli.View{}, exitcode.Usagef("--write: standard input cannot be replaced; name files")
			}
			raw, err := e.ReadText("FILE", name)
			if err != nil {
				return cli.View{}, err
			}
			after, err := trinosql.Format(string(raw))
			if err != nil {
				return cli.View{}, formatError(name, string(raw), err)
			}
			texts = append(texts, text{name, string(raw), after})
		}
		all := make([]formatted, len(texts))
		changed := false
		for i, t := range texts {
			all[i] = formatted{File: t.name, Changed: t.after != t.before}
			changed = changed || all[i].Changed
			if !write && !check {
				all[i].SQL = &t.after
			}
		}
		if write {
			var planned error
			for _, t := range texts {
				if t.after == t.before {
					continue
				}
				if err := e.DryRunStep("replace %s", t.name); e.Planned(err) {
					planned = err
					continue
				} else if err != nil {
					return cli.View{}, err
				}
				if err := cli.WriteFile(e.Abs(t.name), []byte(t.after)); err != nil {
					return cli.View{}, fmt.Errorf("%s: %w", t.name, err)
				}
				if !o.Format.JSON() {
					fmt.Fprintln(e.Err, "formatted "+t.name)
				}
			}
			if planned == nil && o.Format.JSON() {
				return cli.List(all), nil
			}
			return cli.View{Printed: true}, planned
		}
		if o.Format.JSON() {
			v := cli.List(all)
			if check && changed {
				err = e.Print(v, nil, o)
				v = cli.View{Printed: true}
				if err == nil {
					err = cli.ErrDifferent
				}
			}
			return v, err
		}
		w, commit, abort, err := e.Writer()
		if err != nil {
			return cli.View{}, err
		}
		for i, t := range texts {
			out := t.after
			if check {
				if out = ""; t.after != t.before {
					out = t.name + "\n"
				}
			} else if i > 0 {
				out = "\n" + out
			}
			if _, err := fmt.Fprint(w, out); err != nil {
				abort()
				return cli.View{}, err
			}
		}
		if err := commit(); err != nil {
			return cli.View{}, err
		}
		if check && changed {
			return cli.View{Printed: true}, cli.ErrDifferent
		}
		return cli.View{Printed: true}, nil
	})
}

// formatted is the result of one text for -o json.
type formatted struct {
	File    string  `json:"file"` // - for standard input
	Changed bool    `json:"changed"`
	SQL     *string `json:"sql,omitempty"` // with neither --write nor --check
}

func formatError(name, text string, err error) error {
	if name == "-" {
		name = "standard input"
	}
	var at *trinosql.Error
	if !errors.As(err, &at) {
		return fmt.Errorf("%s: %w", name, err)
	}
	msg := fmt.Sprintf("%s:%d:%d: %s", name, at.At.Line, at.At.Col, at.Msg)
	if caret := output.Caret(text, at.At.Line, at.At.Col, 0); caret != "" {
		msg += "\n" + caret
	}
	if hint := trinosql.SyntaxHint(text, at.At.Offset); hint != "" {
		msg += "\nhint: " + hint
	}
	return exitcode.Usagef("%s", msg)
}
