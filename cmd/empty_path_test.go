package cmd

import (
	"os"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestEmptyValues: an empty value, as of an unset variable of a script, is a mistake for every argument that is a file
// or directory, where the working directory is not meant, and for the flags of text but a few.
func TestEmptyValues(t *testing.T) {
	vars := map[string]string{"DIG_DATA_DIR": t.TempDir(), "DIG_CONFIG_DIR": t.TempDir(), "DIG_STATE_DIR": t.TempDir(),
		"DIG_CACHE_DIR": t.TempDir()}
	arguments, flags := 0, 0
	refused := func(c *cobra.Command, args ...string) {
		words := append(strings.Fields(c.CommandPath())[1:], args...)
		code, out, errs := runDig(t, vars, words...)
		if code != exitcode.Usage || !strings.Contains(errs, "is empty") || out != "" {
			t.Errorf("dig %q: exit %d: %s%s", words, code, out, errs)
		}
	}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		if !c.Runnable() || c.HasSubCommands() {
			return
		}
		names := strings.Fields(c.Use)[1:]
		args := make([]string, len(names))
		for i := range args {
			args[i] = "x"
		}
		for i, word := range cli.PathArgs(c) {
			if word != "" {
				args[i] = ""
				refused(c, args...)
				args[i] = "x"
				arguments++
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !cli.RefusesEmpty(f) {
				return
			}
			for n := range 4 { // one of these numbers of arguments fits
				words := make([]string, n)
				for i := range words {
					words[i] = "x"
				}
				if c.Args == nil || c.Args(c, words) == nil {
					refused(c, append(words, "--"+f.Name+"=")...)
					flags++
					return
				}
			}
			t.Errorf("%s --%s: no number of arguments fits", c.CommandPath(), f.Name)
		})
	}
	visit(newRootCmd(&cli.Env{Zone: local(), Name: "dig", Getenv: os.Getenv}))
	if arguments < 7 || flags < 15 {
		t.Errorf("%d arguments and %d flags take a file", arguments, flags)
	}
}
