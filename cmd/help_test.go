package cmd

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/spf13/cobra"
)

// TestHelpFitsTheTerminal reads the help of every command at two widths. Only quoted words, and one word that nothing
// can break, may be wider.
func TestHelpFitsTheTerminal(t *testing.T) {
	helpOf := func(terminal bool, width int, args ...string) string {
		var out bytes.Buffer
		e := &cli.Env{Zone: local(), Name: "dig", Args: append(args, "--help"), In: strings.NewReader(""), Out: &out,
			Err: &out,
			Dir: t.TempDir(), Now: time.Now, OutTerm: terminal, Width: width,
			Getenv: func(string) string { return "" }}
		if code := Run(context.Background(), e); code != 0 {
			t.Fatalf("%q: exit %d, %s", args, code, out.String())
		}
		return out.String()
	}
	seen := 0
	var walk func(c *cobra.Command, path []string)
	walk = func(c *cobra.Command, path []string) {
		seen++
		for _, width := range []int{80, 120} {
			text := helpOf(true, width, path...)
			for line := range strings.SplitSeq(text, "\n") {
				if len([]rune(line)) > width && !strings.Contains(line, "NAME:TYPE[") &&
					!strings.ContainsAny(line, "'\"|") {
					t.Errorf("%q at %d: %s", path, width, line)
				}
			}
			words := func(text string) string {
				return strings.Join(strings.Fields(strings.ReplaceAll(text, " \\\n", " ")), " ")
			}
			if folded, plain := words(text), words(helpOf(false, 0, path...)); folded != plain {
				t.Errorf("%q: the words at %d columns are not those of a pipe:\n%s\n%s", path, width, folded, plain)
			}
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				walk(sub, append(path[:len(path):len(path)], sub.Name()))
			}
		}
	}
	root := newRootCmd(&cli.Env{Zone: local(), Name: "dig", Getenv: func(string) string { return "" }})
	walk(root, nil)
	for _, topic := range topicsOf(&cli.Env{Zone: local(), Name: "dig"}, root) {
		var out bytes.Buffer
		e := &cli.Env{Zone: local(), Name: "dig", Args: []string{"help", topic.Name()}, In: strings.NewReader(""),
			Out: &out,
			Err: &out, Dir: t.TempDir(), Now: time.Now, OutTerm: true, Width: 80,
			Getenv: func(string) string { return "" }}
		if code := Run(context.Background(), e); code != 0 || out.Len() < 100 {
			t.Errorf("help %s: exit %d, %q", topic.Name(), code, out.String())
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if len([]rune(line)) > 80 {
				t.Errorf("help %s: %s", topic.Name(), line)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d commands were seen", seen)
	}
}

func TestFoldExamples(t *testing.T) {
	const long = `  dig query execute --sql "SELECT count(*) FROM t WHERE city = ?" --each-row cities.csv -o csv`
	const want = "  dig query execute \\\n      --sql \"SELECT count(*) FROM t WHERE city = ?\" \\\n      --each-row " +
		"cities.csv -o csv"
	if got := foldExamples(long, 60); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := foldExamples(long, 0); got != long {
		t.Errorf("without a terminal: %s", got)
	}
}
