package cmd

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
)

var position = regexp.MustCompile(`(?i)^line (\d+):(\d+): `)

// pointAt adds the line of the statement that an error names, with a caret under the column.
func (e *Env) pointAt(form api.ExecuteRequest, err error) error {
	st, ok := form.(api.ExecuteByStatement)
	var ae *api.Error
	if !ok || !errors.As(err, &ae) || e.run.flags.output == "json" || e.run.flags.output == "ndjson" {
		return err
	}
	m := position.FindStringSubmatch(ae.Message)
	if m == nil {
		return err
	}
	line, _ := strconv.Atoi(m[1])
	col, _ := strconv.Atoi(m[2])
	f := classify(context.Background(), err)
	if excerpt := output.Caret(st.Statement, line, col); excerpt != "" {
		f.msg = fmt.Sprintf("%s\n%s", f.msg, excerpt)
	}
	return &f
}
