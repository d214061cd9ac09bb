package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/output"
)

var position = late.Regexp(`(?i)^line (\d+):(\d+): `)

// pointAt makes the place that an error names one of the user's own text or file, and adds its line with a caret under the column.
func (e *Env) pointAt(st *statement, err error) error {
	var ae *api.Error
	if st.text == "" || !errors.As(err, &ae) {
		return err
	}
	m := position().FindStringSubmatch(ae.Message)
	if m == nil {
		hint := sqlHint(st.text, ae.Message, 0, 0)
		if hint == "" {
			return err
		}
		f := classify(context.Background(), err)
		f.hint = hint
		return &f
	}
	line, _ := strconv.Atoi(m[1])
	col, _ := strconv.Atoi(m[2])
	if line -= st.wrapped; line < 1 || line > 1+strings.Count(st.text, "\n") {
		return err
	}
	f := classify(context.Background(), err)
	if hint := sqlHint(st.text, ae.Message, line, col); hint != "" {
		f.hint = hint
	}
	if strings.Contains(ae.Message, "mismatched input 'OFFSET'") {
		f.hint = e.offsetHint(f.hint)
	}
	if f.hint == "" && len(sqltext.Split(st.text, e.nestedComments())) > 1 {
		f.hint = "one statement runs here; -f FILE runs several, and -f - those of standard input"
	}
	excerpt := output.Caret(st.text, line, col)
	if line == 1 {
		col += st.col
	}
	f.msg = strings.Replace(f.msg, strings.TrimSuffix(m[0], " "), fmt.Sprintf("line %d:%d:", line+st.line, col), 1)
	if !e.run.flags.output.JSON() && excerpt != "" {
		f.msg += "\n" + excerpt
	}
	return &f
}
