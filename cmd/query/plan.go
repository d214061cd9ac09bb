package query

import (
	"fmt"
	"io"
	"strings"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
)

// planColumn is the only column of the result of EXPLAIN.
const planColumn = "Query Plan"

// isPlan reports whether a result is that of EXPLAIN.
func isPlan(rows api.RowReader) bool {
	cols, err := rows.Columns() // an error is returned again when the rows are read
	return err == nil && len(cols) == 1 && cols[0].Name == planColumn
}

// writePlan writes the lines of a plan, with its tree, instead of one cell.
func writePlan(w io.Writer, rows api.RowReader, o output.Options) (output.Stats, error) {
	var st output.Stats
	for rows.Next() {
		st.Rows++
		text, err := cell.AppendText(nil, rows.Row()[0])
		if err != nil {
			return st, err
		}
		for line := range strings.SplitSeq(strings.TrimRight(string(text), "\n"), "\n") {
			line = string(term.Sanitize(nil, line))
			if o.Color {
				line = planLine(line)
			}
			if _, err := fmt.Fprintln(w, line); err != nil {
				return st, err
			}
		}
	}
	st.Shown = st.Rows
	return st, rows.Err()
}

// planLine colours a line: the branches of the tree faint, the name of a step bold.
func planLine(line string) string {
	step := strings.TrimLeft(line, " │├└─")
	branch := line[:len(line)-len(step)]
	if branch == "" && step == line && !strings.Contains(step, "[") || !strings.HasSuffix(branch, "─ ") &&
		branch != "" {
		return "\x1b[2m" + branch + "\x1b[m" + step
	}
	end := strings.IndexAny(step, "[ ")
	if end < 0 {
		end = len(step)
	}
	return "\x1b[2m" + branch + "\x1b[m\x1b[1m" + step[:end] + "\x1b[m" + step[end:]
}
