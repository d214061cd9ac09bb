package query

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/repl"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/zone"
	"github.com/dig-cli/dig/pkg/outcome"
	"github.com/dig-cli/dig/pkg/trinosql/friendly"
)

// rewrites reports whether the setting is on. Settings that are not valid fail elsewhere.
func rewrites(e *cli.Env) bool {
	s, err := e.Settings()
	return err == nil && s.RewritesSQL()
}

// rewrite rewrites the SQL of a statement to Trino's if it is not.
func (q *querying) rewrite(ctx context.Context, st *statement) error {
	form, ok := st.form.(api.ExecuteByStatement)
	if !ok || st.sql == "" || !q.f.friendly {
		return nil
	}
	last := q.rewrote.Load()
	if last == nil || last.sql != st.sql {
		text, err := q.rewritten(ctx, st, st.sql, q.askColumns)
		if err != nil {
			return err
		}
		last = &rewriting{st.sql, text}
		q.rewrote.Store(last)
	}
	if last.text != nil {
		q.f.send(q.e, st, last.text.String(), form.Bindings)
		st.position = last.text.Position
	}
	return nil
}

// rewriting is what became of a statement; nil if it stays as it is.
type rewriting struct {
	sql  string
	text *sqltext.Text
}

// rewritten rewrites the SQL of a statement, whose columns are those of its text. It returns nil if it stays as it is.
func (q *querying) rewritten(ctx context.Context, st *statement, sql string, columns repl.Columns) (*sqltext.Text,
	error) {
	text, err := friendly.Rewrite(ctx, sql, friendly.Options{Files: q.fileCatalog(), Columns: columns,
		Hidden: systemColumns})
	at := &statement{text: st.text, line: st.line, col: st.col}
	var asked *friendly.ColumnsError
	var wrong *friendly.Error
	switch {
	case errors.As(err, &asked):
		at.position = asked.Query.Position
		return nil, pointAt(q.e, at, asked.Err)
	case errors.As(err, &wrong):
		err = pointAt(q.e, at, &api.Error{Kind: api.KindInvalid, Message: wrong.Error(), Outcome: outcome.NotSent})
		if f := (*exitcode.Failure)(nil); wrong.Hint != "" && errors.As(err, &f) {
			f.Hint, f.Mended = wrong.Hint, repl.Mended(st.text, wrong.Fault.At.Line, wrong.Fault.At.Col, wrong.Hint)
		}
		return nil, err
	}
	return text, err
}

// systemColumns are the columns that every internal table has besides its own, and the one that counts as its own if it
// has values.
func systemColumns(list []friendly.Column) (hidden []string, empty string) {
	if !rowset.Internal(list, func(c friendly.Column) string { return c.Name }) {
		return nil, ""
	}
	for _, c := range list {
		if rowset.SystemColumn(c.Name) && c.Name != rowset.BareText {
			hidden = append(hidden, c.Name)
		}
	}
	return hidden, rowset.BareText
}

// fileCatalog is the catalog of files in statements; "" where they are not tables.
func (q *querying) fileCatalog() string {
	if q.e.Local() {
		return "files"
	}
	return ""
}

// askColumns asks the gateway for the columns of a query that selects no rows. A dry run asks too.
func (q *querying) askColumns(ctx context.Context, sql string, types bool) ([]friendly.Column, error) {
	ctx = cli.LookUp(zone.WithFiles(ctx, q.e.StatementFiles(nil)))
	found, err := q.describe(ctx, sql, api.Compact)
	if err != nil {
		return nil, err
	}
	if types && len(found) > 0 && found[0].DataType == "" {
		// where only rows have types: one of NULLs
		typed, err := q.describe(ctx, "SELECT described.* FROM (VALUES 1) AS one (x) LEFT JOIN (\n"+sql+
			"\n) AS described ON false", api.CellTyped)
		if err != nil {
			return nil, err
		}
		if len(typed) != len(found) {
			return nil, errors.New("the gateway does not report the types of the columns")
		}
		found = typed
	}
	list := make([]friendly.Column, len(found))
	for i, c := range found {
		list[i] = friendly.Column{Name: c.Name, Type: c.DataType}
	}
	return list, nil
}

func (q *querying) describe(ctx context.Context, sql string, format api.Format) ([]api.ResultColumn, error) {
	res, err := q.cl.Queries.Execute(ctx, q.project, api.ExecuteByStatement{Statement: sql,
		Timeout: api.ExecuteTimeout(q.e.TimeLimit())}, q.options(format))
	if err != nil {
		return nil, err
	}
	defer res.Close()
	return res.Rows().Columns()
}
