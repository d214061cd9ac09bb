package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/repl"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/output"
)

var (
	position  = late.Regexp(`(?i)^line (\d+):(\d+): `)
	parameter = late.Regexp(`^parameter (\d+):`)
)

// pointAt converts the position in an error to one in the user's own statement or file, and adds its line with a caret
// under the column.
func pointAt(e *cli.Env, st *statement, err error) error {
	var ae *api.Error
	if st.text == "" || !errors.As(err, &ae) {
		return err
	}
	m := position().FindStringSubmatch(ae.Message)
	if m == nil {
		hint, name := sqlHint(st.text, ae.Message, 0, 0), parameterName(st.text, ae.Message)
		if hint == "" && name == "" {
			return err
		}
		f := cli.Classify(context.Background(), err)
		if hint != "" {
			f.Hint = hint
		}
		if name != "" {
			f.Msg = parameter().ReplaceAllLiteralString(f.Msg, "parameter :"+name+":")
		}
		return &f
	}
	line, _ := strconv.Atoi(m[1])
	col, _ := strconv.Atoi(m[2])
	if line -= st.wrapped; line >= 1 && st.position != nil {
		line, col = st.position(line, col)
	}
	if line < 1 || line > 1+strings.Count(st.text, "\n") {
		return err
	}
	f := cli.Classify(context.Background(), err)
	if hint := sqlHint(st.text, ae.Message, line, col); hint != "" {
		f.Hint = hint
	}
	if strings.Contains(ae.Message, "does not exist") {
		if hint := fileMeant(e, st.text, line, col); hint != "" {
			f.Hint = hint
		}
	}
	if names := slices.Compact(sqlstmt.ParamsOf(st.text).Names); len(names) == 1 {
		f.Hint = strings.ReplaceAll(f.Hint, "CAST(? AS", "CAST(:"+names[0]+" AS")
	}
	if f.Hint == "" && len(sqlstmt.Split(st.text)) > 1 {
		f.Hint = "one statement runs here; -f FILE runs several, and -f - those of standard input"
	}
	if f.Hint != "" && st.unfriendly {
		f.Hint += ", or add --friendly"
	}
	f.Mended = repl.Mended(st.text, line, col, f.Hint)
	excerpt := output.Caret(st.text, line, col, e.Width)
	if line == 1 {
		col += st.col
	}
	f.Msg = strings.Replace(f.Msg, strings.TrimSuffix(m[0], " "), fmt.Sprintf("line %d:%d:", line+st.line, col), 1)
	if !e.Run.Flags.Output.JSON() && excerpt != "" {
		f.Msg += "\n" + excerpt
	}
	return &f
}

// fileMeant suggests a literal for the name of a table at a place of a statement if it is that of a file: x.csv or
// "x.csv".
func fileMeant(e *cli.Env, text string, line, col int) string {
	lines := strings.Split(text, "\n")
	if !e.Local() || line < 1 || line > len(lines) || col < 1 {
		return ""
	}
	row := []rune(lines[line-1])
	if col > len(row) {
		return ""
	}
	name, end := string(row[col-1:]), 0
	sqltext.Scan(name, false, func(from, to int) {
		if from == end { // it follows without a blank
			end = to
		}
	})
	name = strings.TrimRight(name[:end], ";)")
	if strings.HasPrefix(name, `"`) {
		name = strings.ReplaceAll(strings.Trim(name, `"`), `""`, `"`)
	}
	if rowfile.Ending(name) == "" || !isFile(e.Abs(name)) {
		return ""
	}
	return "did you mean " + sqltext.Literal(name) + "?"
}

// parameterName returns the name of the parameter that an error identifies by its 1-based place, or "" if the statement
// has no named ones.
func parameterName(sql, message string) string {
	m := parameter().FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	n, _ := strconv.Atoi(m[1])
	names := sqlstmt.ParamsOf(sql).Names
	if n < 1 || n > len(names) {
		return ""
	}
	return names[n-1]
}
