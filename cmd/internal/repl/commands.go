package repl

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/lineedit"
	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/internal/suggest"
)

// command is a command of the shell: a backslash, or a dot as in other shells, and a name. Some can also be written as
// a word without a backslash.
type command struct {
	name, long string // as in \d and \describe
	// recognized without a backslash if alone or, for commands with args, if followed by one argument
	words []string
	args  string // shown in the help
	about string
	run   func(s *shell, ctx context.Context, args []string) error
	path  bool // the first argument is a file
	sql   bool // the arguments are names as in SQL: double quotes are part of them
	raw   bool // quotes are part of the arguments
}

// commands lists the commands in the order of the help.
func commands() []command {
	return []command{
		{name: "d", long: "describe", words: []string{"describe"}, args: "[NAME]",
			about: "list the tables, or describe one or a saved query", run: (*shell).describe, sql: true},
		{name: "dt", long: "tables", args: "[PATTERN]", about: "list tables and saved queries; * is any letters",
			run: (*shell).listTables},
		{name: "dn", long: "schemas", args: "[PATTERN]", about: "list the catalogs and schemas",
			run: (*shell).listSchemas},
		{name: "df", long: "functions", args: "[PATTERN]", about: "list the functions with their arguments",
			run: (*shell).listFunctions},
		{name: "use", long: "use", words: []string{"use"}, args: "[CATALOG.SCHEMA]",
			about: "look up names without a schema there, or not", run: (*shell).use, sql: true},
		{name: "l", long: "list", args: "[PATTERN]", about: "list the projects", run: (*shell).listProjects},
		{name: "c", long: "connect", args: "[NAME]", about: "continue with another project or profile",
			run: (*shell).connect},
		{name: "conninfo", long: "conninfo", about: "zone, project, profile and key in use", run: (*shell).connection},
		{name: "x", long: "expanded", args: "[STATE]", about: "one line per value: on, off, auto (if too wide)",
			run: (*shell).expand},
		{name: "types", long: "types", args: "[STATE]", about: "types of the columns under the header",
			run: (*shell).showTypes},
		{name: "timing", long: "timing", args: "[STATE]", about: "how long each statement takes",
			run: (*shell).switchTiming},
		{name: "set", long: "set", args: "[NAME [VALUE]]", about: "a setting, or a value for :NAME; list them",
			run: (*shell).set},
		{name: "unset", long: "unset", args: "NAME", about: "forget a value for :NAME", run: (*shell).unset},
		{name: "bind", long: "bind", args: "[[NAME=]VALUE]...",
			about: "values for the ? or :NAME of the next statement", run: (*shell).bind},
		{name: "g", long: "go", args: "[FILE]", about: "run the last statement again, its result to a file",
			run: (*shell).again, path: true, raw: true},
		{name: "gx", long: "gx", about: "run the last statement again, one line per value",
			run: (*shell).againVertically},
		{name: "sql", long: "sql", about: "show the last statement as it was sent", run: (*shell).sent},
		{name: "errverbose", long: "errverbose", about: "all that is known of the last error",
			run: (*shell).describeError},
		{name: "y", long: "yes", about: "run the last statement as its error suggests it", run: (*shell).mend},
		{name: "e", long: "edit", about: "edit the last statement with $EDITOR, then run it", run: (*shell).edit},
		{name: "i", long: "include", args: "FILE", about: "run the statements of a file", run: (*shell).include,
			path: true},
		{name: "o", long: "out", args: "[FILE]",
			about: "results go to a file, one by one, or to the screen",
			run:   (*shell).output, path: true},
		{name: "copy", long: "copy", args: "TABLE FROM|TO FILE",
			about: "import a file, or write a table or (QUERY) to one",
			run:   (*shell).copyTable, raw: true},
		{name: "!", long: "!", args: "[COMMAND]", about: "run a command of the system", run: (*shell).system,
			raw: true},
		{name: "watch", long: "watch", args: "[SECONDS]", about: "run the last statement every 2 s, until Ctrl-C",
			run: (*shell).watch},
		{name: "b", long: "browse", about: "browse the last result: scroll, search, sort", run: (*shell).browse},
		{name: "chart", long: "chart", args: "[KIND [X] [Y]]", about: "draw the last result: bar, line, hist or spark",
			run: (*shell).chart},
		{name: "crosstabview", long: "crosstabview", args: "[COLUMN]...",
			about: "the last result, values of a column as columns", run: (*shell).crosstab},
		{name: "export", long: "export", args: "FILE", about: "write the last result; the extension is the format",
			run: (*shell).export, path: true},
		{name: "refresh", long: "refresh", about: "read names for completion again", run: (*shell).refreshNames},
		{name: "q", long: "quit", words: []string{"quit", "exit"}, about: "leave, as Ctrl-D does",
			run: func(*shell, context.Context, []string) error { return errQuit }},
		{name: "?", long: "help", words: []string{"help"}, args: "", about: "this list", run: (*shell).help},
	}
}

// commandOf parses a command and its arguments. Arguments are separated by blanks, which quotes keep.
func commandOf(text string) (name string, args []string, ok bool) {
	text = strings.TrimSpace(text)
	if word, is := commandWord(text); is {
		_, rest, _ := strings.Cut(strings.TrimSuffix(text, ";"), " ")
		return word, split(rest), true
	}
	if text == "?" {
		return text, nil, true
	}
	if !strings.HasPrefix(text, `\`) && !strings.HasPrefix(text, ".") {
		return "", nil, false
	}
	name, rest, _ := strings.Cut(text[1:], " ")
	if before, after, found := strings.Cut(name, "\n"); found {
		name, rest = before, after+" "+rest
	}
	if command, ok := strings.CutPrefix(name, "!"); ok {
		return "!", split(command + " " + rest), true
	}
	name, semicolon := strings.CutSuffix(name, ";")
	if !semicolon {
		rest = strings.TrimSuffix(strings.TrimSpace(rest), ";")
	}
	return name, split(rest), true
}

// commandWord recognizes a command that is written as a word: help, quit, exit, use NAME, describe NAME.
func commandWord(text string) (name string, ok bool) {
	fields := strings.Fields(strings.TrimSuffix(strings.TrimSpace(text), ";"))
	if len(fields) == 0 || len(fields) > 2 {
		return "", false
	}
	for _, c := range commands() {
		for _, w := range c.words {
			if strings.EqualFold(fields[0], w) && (len(fields) == 1) == (c.args == "") {
				return c.name, true
			}
		}
	}
	return "", false
}

// command runs a command.
func (s *shell) command(ctx context.Context, name string, args []string) error {
	var names []string
	for _, c := range commands() {
		if name == c.name || name == c.long || slices.Contains(c.words, name) {
			if c.args == "" && len(args) > 0 {
				return exitcode.Usagef(`\%s takes no arguments`, name)
			}
			if !c.raw {
				var err error
				if args, err = unquoted(args, c.sql); err != nil {
					return err
				}
			}
			return c.run(s, ctx, args)
		}
		names = append(names, c.name, c.long)
	}
	f := exitcode.Usagef(`unknown command \%s`, name)
	if near := nearest.Of(name, names); near != "" {
		return f.WithHint(`did you mean \%s?`, near)
	}
	return f.WithHint(`\? lists the commands`)
}

func (s *shell) help(context.Context, []string) error {
	w := s.e.OnScreen()
	for _, c := range commands() {
		left := `\` + c.name
		if c.long != c.name {
			left += `, \` + c.long
		}
		if c.args != "" {
			left += " " + c.args
		}
		if _, err := fmt.Fprintf(w, "  %-25s %s\n", left, c.about); err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(w, `; ends a statement, _ is the last result. Tab completes, Up is the history,
Ctrl-R searches it, Ctrl-C clears or cancels, Ctrl-D leaves, Alt-Enter: new line
`)
	return err
}

// choices adapts complete to the editor.
func (s *shell) choices(text string, at int) (int, []lineedit.Choice) {
	from, list := s.complete(text, at)
	if len(list) == 0 {
		s.fill(min(namesFreshMissed, s.namesFresh())) // the next Tab may find it
	}
	out := make([]lineedit.Choice, len(list))
	for i, c := range list {
		out[i] = lineedit.Choice(c)
	}
	return from, out
}

// complete offers names and words for a position in a text.
func (s *shell) complete(text string, at int) (int, []suggest.Candidate) {
	if begin := len(text) - len(strings.TrimLeft(text, " \t\n")); begin < len(text) && text[begin] == '\\' &&
		at > begin {
		return s.completeCommand(text, begin, at)
	}
	if begin, ok := fileLiteral(text[:at]); ok && s.e.Local() {
		list := s.files(strings.ReplaceAll(text[begin:at], "''", "'"))
		for i, c := range list {
			quoted := sqltext.Literal(c.Text)
			list[i].Text = quoted[1 : len(quoted)-1]
			if !strings.HasSuffix(c.Text, "/") && !strings.HasPrefix(text[at:], "'") {
				list[i].Text += "'"
			}
		}
		return begin, list
	}
	here := s.here
	here.Other = s.otherColumns
	return suggest.At(text, at, s.known.Load(), here)
}

// paths offers files as the argument of a command: in quotes where the name has a blank or a quote.
func (s *shell) paths(rest string) []suggest.Candidate {
	name, quote := rest, "'"
	quoted := strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, `"`)
	if quoted {
		quote = rest[:1]
		name = strings.ReplaceAll(rest[1:], quote+quote, quote)
	}
	list := s.files(name)
	for i, c := range list {
		if quoted || strings.ContainsAny(c.Text, " \t'\"") {
			list[i].Text = quote + strings.ReplaceAll(c.Text, quote, quote+quote)
			if !strings.HasSuffix(c.Text, "/") { // else more of the name follows
				list[i].Text += quote
			}
		}
	}
	return list
}

// fileLiteral returns where the name of a file begins if a text ends inside it: in a literal after FROM or JOIN.
func fileLiteral(text string) (begin int, ok bool) {
	before, last, from, to := "", "", 0, 0
	sqltext.Scan(text, false, func(b, e int) { before, last, from, to = last, text[b:e], b, e })
	if to < len(text) || !strings.HasPrefix(last, "'") || strings.Count(last, "'")%2 == 0 {
		return 0, false
	}
	return from + 1, slices.ContainsFunc([]string{"FROM", "JOIN"},
		func(w string) bool { return strings.EqualFold(before, w) })
}

// completeCommand offers commands, and tables or files as their arguments.
func (s *shell) completeCommand(text string, begin, at int) (int, []suggest.Candidate) {
	head := text[begin:at]
	name, rest, found := strings.Cut(head, " ")
	if !found {
		var out []suggest.Candidate
		for _, c := range commands() {
			for _, n := range []string{c.name, c.long} {
				if strings.HasPrefix(`\`+n, head) && !slices.ContainsFunc(out,
					func(o suggest.Candidate) bool { return o.Text == `\`+n }) {
					out = append(out, suggest.Candidate{Text: `\` + n, Kind: suggest.KindCommand, Detail: c.about})
				}
			}
		}
		return begin, out
	}
	for _, c := range commands() {
		if `\`+c.name != name && `\`+c.long != name {
			continue
		}
		switch {
		case c.path:
			return at - len(rest), s.paths(rest)
		case c.name == "d":
			from, list := suggest.At("DESCRIBE "+rest, len(rest)+9, s.known.Load(), s.here)
			return at - len(rest) + from - 9, list
		case c.name == "use":
			from, list := suggest.At("DESCRIBE "+rest, len(rest)+9, s.known.Load(), suggest.Namespace{})
			return at - len(rest) + from - 9, slices.DeleteFunc(list,
				func(c suggest.Candidate) bool { return c.Kind == suggest.KindTable })
		case c.name == "chart" && !strings.Contains(rest, " "):
			return at - len(rest), words(rest, "bar", "hist", "line", "spark")
		}
	}
	return at, nil
}

func words(prefix string, all ...string) []suggest.Candidate {
	var out []suggest.Candidate
	for _, w := range all {
		if strings.HasPrefix(w, prefix) {
			out = append(out, suggest.Candidate{Text: w, Kind: suggest.KindKeyword})
		}
	}
	return out
}
