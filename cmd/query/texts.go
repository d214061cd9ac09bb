package query

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
)

// sqlText is the SQL of one --sql, -f or argument.
type sqlText struct {
	name string // in messages
	sql  string
	file bool // may hold several statements
}

// readTexts reads the SQL that the flags name.
func (f *executeFlags) readTexts(e *cli.Env, given string) error {
	if given == "--file" {
		if first := slices.Index(f.file, "-"); first >= 0 && slices.Contains(f.file[first+1:], "-") {
			return exitcode.Usagef("standard input can be read only once: use -f - once")
		}
		for _, path := range f.file {
			raw, err := e.ReadText("-f", path)
			if err != nil {
				return err
			}
			name := path
			if path == "-" {
				name = "stdin"
			}
			f.texts = append(f.texts, sqlText{name, string(raw), true})
		}
	} else {
		for i, sql := range f.sql {
			name := given
			if len(f.sql) > 1 {
				name = fmt.Sprintf("%s %d", given, i+1)
			}
			f.texts = append(f.texts, sqlText{name, sql, false})
		}
	}
	for _, t := range f.texts {
		if strings.TrimSpace(t.sql) == "" {
			return exitcode.Usagef("%s: the statement is empty", t.name)
		}
	}
	return nil
}

// placedPart is one of several statements, with its name in messages.
type placedPart struct {
	sqltext.Part
	where string
}

// split returns the statements of all texts in order. A text without a statement counts as one if it is the only one,
// so that the gateway reports the problem.
func split(texts []sqlText) []placedPart {
	var all []placedPart
	for _, t := range texts {
		if !t.file {
			all = append(all, placedPart{sqltext.Part{Text: t.sql}, t.name})
			continue
		}
		for i, p := range sqlstmt.Split(t.sql) {
			all = append(all, placedPart{p, fmt.Sprintf("statement %d of %s", i+1, t.name)})
		}
	}
	return all
}

// partsOf yields the statements of several texts.
func partsOf(e *cli.Env, f *executeFlags, parts []placedPart) func() (*statement, error) {
	n := 0
	return func() (*statement, error) {
		if n == len(parts) {
			return nil, io.EOF
		}
		p := parts[n]
		n++
		st := f.statement(e, p.Text, f.bind)
		st.line, st.col, st.where = p.Line, p.Col, p.where
		return st, nil
	}
}
