package repl

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/internal/suggest"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/missing"
)

// meant matches hints that suggest a name, a word or a literal to replace the one at the position of the error.
var meant = late.Regexp(`^(?:did you mean |double quotes are for names; a text is written ` +
	`)((?:"(?:[^"]|"")*"|[\pL_]\w*)(?:\.(?:"(?:[^"]|"")*"|[\pL_]\w*))*|'(?:[^']|'')*')\??$`)

// Mended returns a statement in which the suggestion of a hint replaces the word or dotted name at a 1-based line and
// column. It returns "" if the hint does not suggest a replacement.
func Mended(text string, line, col int, hint string) string {
	m := meant().FindStringSubmatch(hint)
	lines := strings.SplitAfter(text, "\n")
	if m == nil || line < 1 || line > len(lines) {
		return ""
	}
	runes := []rune(lines[line-1])
	if col < 1 || col > len(runes) {
		return ""
	}
	at := len(strings.Join(lines[:line-1], "")) + len(string(runes[:col-1]))
	dotted := strings.Contains(m[1], ".")
	from, to, open := -1, -1, false // the name at the position; open after its dot
	sqltext.Scan(text, false, func(begin, end int) {
		switch {
		case begin == at && (text[begin] == '"' || sqltext.WordStart(text[begin])):
			from, to = begin, end
		case from < 0 || begin < to || !dotted:
		case begin == to && text[begin] == '.':
			open, to = true, end
		case begin == to && open:
			open, to = false, end
		}
	})
	if from < 0 || open {
		return ""
	}
	return text[:from] + m[1] + text[to:]
}

// nearHere suggests a table of the schema in use for an unqualified table that was not found.
func (s *shell) nearHere(err error, text string, sent *sqltext.Text, found [][]*trinosql.Ident) error {
	var f *exitcode.Failure
	if s.here.Schema == "" || !errors.As(err, &f) || f.Hint != "" {
		return err
	}
	var names []string
	for _, t := range s.known.Load().Tables {
		if t.Catalog == s.here.Catalog && t.Schema == s.here.Schema {
			names = append(names, t.Name)
		}
	}
	for _, name := range found {
		near := nearest.Of(name[0].Name, names)
		if _, said, _ := strings.Cut(missing.Table("", name[0].Name), "."); len(name) > 1 || near == "" ||
			!strings.Contains(f.Msg, "."+said) {
			continue
		}
		out := *f
		out.Hint = "did you mean " + suggest.Name(near) + "?"
		if at := sent.Original(name[0].Pos().Offset); at+len(name[0].Name) <= len(text) &&
			text[at:at+len(name[0].Name)] == name[0].Name {
			out.Mended = text[:at] + suggest.Name(near) + text[at+len(name[0].Name):]
		}
		return &out
	}
	return err
}

// mend runs the last statement with the suggestion of the error.
func (s *shell) mend(ctx context.Context, _ []string) error {
	if s.mended == "" {
		return exitcode.Usagef("there is no suggestion")
	}
	text := s.mended + ";"
	fmt.Fprintln(s.e.Err, text)
	s.history.add(text)
	return s.performIn(ctx, text)
}
