package cmd

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// filled is the length of a line of help from which it is assumed that its author wrapped it there, so that it may be
// rewrapped.
const filled = 85

// help prints the help of a command. On a terminal it is wrapped to the terminal's width; elsewhere the output is
// always the same.
func help(e *cli.Env, c *cobra.Command, _ []string) {
	width := 0
	if e.OutTerm {
		width = max(e.Width, 40)
	}
	var b strings.Builder
	long := c.Long
	if long == "" {
		long = c.Short
	}
	b.WriteString(foldText(strings.TrimSpace(long), width) + "\n")
	if c.Runnable() || c.HasSubCommands() {
		b.WriteString("\n")
		usage(e, &b, c, width)
	}
	e.Run.Helped = e.WriteHelp(c.OutOrStdout(), b.String())
}

func usage(e *cli.Env, b *strings.Builder, c *cobra.Command, width int) {
	b.WriteString("Usage:\n")
	if c.Runnable() && !c.HasAvailableSubCommands() {
		fmt.Fprintf(b, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(b, "  %s [command]\n", c.CommandPath())
	}
	if len(c.Aliases) > 0 {
		fmt.Fprintf(b, "\nAliases:\n  %s\n", c.NameAndAliases())
	}
	if c.HasExample() {
		fmt.Fprintf(b, "\nExamples:\n%s\n", foldExamples(c.Example, width))
	}
	groups := c.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands:"}}
	}
	for _, g := range groups {
		var list [][2]string
		for _, sub := range c.Commands() {
			if sub.GroupID == g.ID && (sub.IsAvailableCommand() || sub.Name() == "help") {
				list = append(list, [2]string{sub.Name(), sub.Short})
			}
		}
		listed(b, g.Title, list, width)
	}
	if c.HasAvailableLocalFlags() {
		fmt.Fprintf(b, "\nFlags:\n%s", c.LocalFlags().FlagUsagesWrapped(width))
	}
	if c.HasAvailableInheritedFlags() {
		fmt.Fprintf(b, "\nGlobal flags (%s help flags):\n%s", c.Root().Name(),
			indent(foldText(names(c.InheritedFlags()), cmp.Or(width, 82)-2)))
	}
	var topics [][2]string
	if !c.HasParent() {
		for _, t := range topicsOf(e, c) {
			topics = append(topics, [2]string{c.Name() + " help " + t.Name(), t.Short})
		}
	}
	listed(b, "More:", topics, width)
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(b, "\n`%s [command] --help` shows more about a command.\n", c.CommandPath())
	}
}

// listed writes names with their descriptions, which are wrapped in a column to the right of the names.
func listed(b *strings.Builder, title string, list [][2]string, width int) {
	if len(list) == 0 {
		return
	}
	pad := 10
	for _, l := range list {
		pad = max(pad, len(l[0]))
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for _, l := range list {
		text := l[1]
		if room := width - pad - 4; room > 20 {
			text = strings.ReplaceAll(output.Fold(text, room), "\n", "\n"+strings.Repeat(" ", pad+4))
		}
		fmt.Fprintf(b, "  %-*s  %s\n", pad, l[0], text)
	}
}

// names lists the names of flags on one line.
func names(fs *pflag.FlagSet) string {
	var all []string
	fs.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden:
		case f.Shorthand != "":
			all = append(all, "-"+f.Shorthand+"/--"+f.Name)
		default:
			all = append(all, "--"+f.Name)
		}
	})
	return strings.Join(all, " ")
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n" }

// foldText wraps the paragraphs of a text to a width; 0 means no wrapping. Indented lines and lines that end early stay
// as they are.
func foldText(text string, width int) string {
	if width == 0 {
		return text
	}
	var out []string
	open := false
	for line := range strings.SplitSeq(text, "\n") {
		indented := strings.HasPrefix(line, " ") || line == ""
		if open && !indented {
			out[len(out)-1] += " " + line
		} else {
			out = append(out, line)
		}
		open = !indented && len(line) >= filled
	}
	for i, line := range out {
		if strings.HasPrefix(line, " ") {
			out[i] = foldColumn(line, width)
		} else {
			out[i] = output.Fold(line, width)
		}
	}
	return strings.Join(out, "\n")
}

// foldColumn wraps the last column of an indented line below itself.
func foldColumn(line string, width int) string {
	at := strings.LastIndex(line, "  ") + 2
	if utf8.RuneCountInString(line) <= width || width-at < 20 {
		return line
	}
	return line[:at] + strings.ReplaceAll(output.Fold(line[at:], width-at), "\n", "\n"+strings.Repeat(" ", at))
}

// foldExamples breaks example commands that are wider than the terminal with a backslash, as a shell reads them. A
// quoted word is not broken.
func foldExamples(text string, width int) string {
	if width == 0 {
		return text
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		for len(line) > width {
			at, flag, quote := 0, 0, rune(0)
			for i, r := range line {
				switch {
				case i >= width-2 && at > 0:
				case quote != 0 && r == quote:
					quote = 0
				case quote == 0 && (r == '\'' || r == '"'):
					quote = r
				case quote == 0 && r == ' ' && strings.TrimSpace(line[:i]) != "":
					if at = i; strings.HasPrefix(line[i:], " -") {
						flag = i
					}
				}
			}
			if at = cmp.Or(flag, at); at == 0 {
				break
			}
			out, line = append(out, line[:at]+" \\"), "     "+line[at:]
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}
