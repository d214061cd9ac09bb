package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

// sqlText is the SQL of one --sql, -f or argument.
type sqlText struct {
	name string // in messages
	sql  string
	file bool // may hold several statements
}

// readTexts collects what the flag given names.
func (f *executeFlags) readTexts(e *Env, given string) error {
	if given == "--file" {
		if first := slices.Index(f.file, "-"); first >= 0 && slices.Contains(f.file[first+1:], "-") {
			return usagef("standard input can be read once: only one -f may be -")
		}
		for _, path := range f.file {
			raw, err := e.readFile("-f", path)
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
			return usagef("%s: the statement is empty", t.name)
		}
	}
	return nil
}

// placedPart is one statement of several, and how messages name it.
type placedPart struct {
	sqltext.Part
	where string
}

// split lists the statements of all texts in their order. A text with nothing to run in it is one statement still where it is the
// only one: the gateway says what is wrong with it.
func (e *Env) split(texts []sqlText) []placedPart {
	var all []placedPart
	for _, t := range texts {
		if !t.file {
			all = append(all, placedPart{sqltext.Part{Text: t.sql}, t.name})
			continue
		}
		for i, p := range sqltext.Split(t.sql, e.nestedComments()) {
			all = append(all, placedPart{p, fmt.Sprintf("statement %d of %s", i+1, t.name)})
		}
	}
	return all
}

// parts yields the statements of several texts.
func (e *Env) parts(f *executeFlags, parts []placedPart) func() (*statement, error) {
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
