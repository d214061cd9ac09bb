package cmd

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// librarysWords are cobra's messages about the number of arguments.
var librarysWords = regexp.MustCompile(`arg\(s\)|unknown command`)

// libraryNames are the packages and functions in the errors of Go's library.
var libraryNames = regexp.MustCompile(`strconv|time: (invalid|unknown|missing)|parse int|Parse[A-Z]`)

// TestArgumentErrors: a missing argument is named as in the usage line, and a surplus one by its text, for all
// commands.
func TestArgumentErrors(t *testing.T) {
	missing, surplus := 0, 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		if !c.Runnable() || c.HasSubCommands() || c.Args == nil {
			return
		}
		names := argNames(c)
		for n := range 6 {
			args := []string{"a", "b", "c", "d", "e", "f"}[:n]
			err := c.Args(c, args)
			if err == nil {
				continue
			}
			if librarysWords.MatchString(err.Error()) {
				t.Errorf("%s with %d arguments: %v", c.CommandPath(), n, err)
			}
			switch text, found := strings.CutPrefix(err.Error(), "unexpected argument "); {
			case found:
				surplus++
				if i := strings.Index("abcdef", strings.Trim(text, `"`)); i < len(names)-1 || i >= n {
					t.Errorf("%s with %d arguments: %v", c.CommandPath(), n, err)
				}
			case strings.HasSuffix(err.Error(), "missing"):
				missing++
				if !strings.HasPrefix(err.Error(), names[n]+" ") {
					t.Errorf("%s with %d arguments: %v", c.CommandPath(), n, err)
				}
			}
		}
	}
	visit(newRootCmd(&cli.Env{Zone: local(), Name: "dig", Getenv: os.Getenv}))
	if missing < 80 || surplus < 300 {
		t.Errorf("%d missing and %d surplus arguments", missing, surplus)
	}
	unknown := 0
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		if !c.Runnable() || !strings.Contains(c.Use, " ") {
			return
		}
		unknown++
		err := c.ParseFlags([]string{"select 1", "--frobnicate"})
		if err = c.FlagErrorFunc()(c, err); !strings.Contains(err.Error(), "unknown flag: --frobnicate") {
			t.Errorf("%s with an unknown flag: %v", c.CommandPath(), err)
		}
	}
	visit(newRootCmd(&cli.Env{Zone: local(), Name: "dig", Getenv: os.Getenv}))
	values := 0
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "string" || f.Value.Type() == "stringArray" || f.Value.Type() == "stringSlice" ||
				strings.HasPrefix(f.Value.Type(), "connection ") {
				return
			}
			if err := c.ParseFlags([]string{"--" + f.Name + "=xyz"}); err != nil {
				values++
				if err = c.FlagErrorFunc()(c, err); !strings.Contains(err.Error(), `--`+f.Name+`: "xyz" is not `) ||
					libraryNames.MatchString(err.Error()) {
					t.Errorf("%s: %v", c.CommandPath(), err)
				}
			}
		})
	}
	visit(newRootCmd(&cli.Env{Zone: local(), Name: "dig", Getenv: os.Getenv}))
	if values < 100 {
		t.Errorf("%d flags with values of other types than text", values)
	}
	if unknown < 100 {
		t.Errorf("%d commands with arguments", unknown)
	}
	code, _, errs := runDig(t, map[string]string{"DIG_DATA_DIR": t.TempDir(), "DIG_CONFIG_DIR": t.TempDir()},
		"materialized", "create", "a", "--sql", "SELECT 1")
	if code != 2 || !strings.Contains(errs, `unknown command "create"`) || !strings.Contains(errs,
		"`dig query create --type MATERIALIZED`") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
