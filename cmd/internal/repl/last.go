package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/internal/suggest"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/wire"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// The last result is the table _. An engine of the session reads it. On zone local a statement may also read other
// tables, through the gateway.

// lastName is the name of the last result in a statement.
const lastName = "_"

// Catalogs of the session's engine: for the last result, and for tables that are read through the gateway.
const (
	catalogLast    = "last"
	catalogGateway = "gateway"
)

// tables returns the names of the tables of a statement; none if it does not parse, which the gateway will report.
// describesLast reports whether it asks for the columns of the last result.
func tables(text string) (found [][]*trinosql.Ident, describesLast bool) {
	st, err := trinosql.Parse(text)
	if err != nil {
		return nil, false
	}
	if show, ok := st.(*trinosql.Show); ok && show.What == "COLUMNS" && show.Like == nil && isLast(show.Name) {
		return nil, true
	}
	found = trinosql.Tables(st)
	slices.SortFunc(found, func(a, b []*trinosql.Ident) int { return a[0].Pos().Offset - b[0].Pos().Offset })
	return found, false
}

func isLast(name []*trinosql.Ident) bool {
	return len(name) == 1 && name[0].Name == lastName && !name[0].Quoted
}

// span returns the position of a name in the text.
func span(text string, name []*trinosql.Ident) (from, to int) {
	from = name[0].Pos().Offset
	last := name[len(name)-1]
	to = last.Pos().Offset + len(last.Name)
	if last.Quoted {
		to = last.Pos().Offset + 2 + len(last.Name) + strings.Count(last.Name, `"`)
	}
	return from, min(to, len(text))
}

// readsLast reports whether a statement reads the last result.
func readsLast(found [][]*trinosql.Ident) bool {
	return slices.ContainsFunc(found, isLast)
}

// qualified returns the edits that add the schema in use to names of its tables.
func (s *shell) qualified(found [][]*trinosql.Ident) (edits []sqltext.Edit) {
	if s.here.Schema == "" {
		return nil
	}
	known := s.known.Load()
	for _, name := range found {
		prefix := ""
		switch {
		case len(name) == 1 && known.Find(s.here.Catalog, s.here.Schema, name[0].Name) != nil:
			prefix = suggest.Name(s.here.Catalog) + "." + suggest.Name(s.here.Schema) + "."
		case len(name) == 2 && known.Find(s.here.Catalog, name[0].Name, name[1].Name) != nil:
			prefix = suggest.Name(s.here.Catalog) + "."
		}
		if prefix != "" {
			at := name[0].Pos().Offset
			edits = append(edits, sqltext.Words(at, at, prefix))
		}
	}
	return edits
}

// queryLast runs a statement that reads the last result. text is the statement as typed.
func (s *shell) queryLast(ctx context.Context, text string, sent *sqltext.Text, values []string,
	found [][]*trinosql.Ident) error {
	res, sent, err := s.openLast(ctx, sent, values, found)
	if err != nil {
		return s.engineError(text, sent, err)
	}
	s.spent()
	k := newKept()
	err = s.showResult(ctx, res, k, text)
	if cerr := res.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return errors.Join(s.engineError(text, sent, err), k.close())
	}
	return s.keep(k, text)
}

// keep makes the result of a statement the last one.
func (s *shell) keep(k *kept, text string) error {
	k.text = text
	closing := s.last.close()
	s.last = k
	return closing
}

// openLast runs a statement that reads the last result. It returns its text as the engine reads it, too.
func (s *shell) openLast(ctx context.Context, text *sqltext.Text, values []string,
	found [][]*trinosql.Ident) (*wire.Result, *sqltext.Text, error) {
	if s.last == nil {
		return nil, text, noLast()
	}
	local, sent := s.e.Local(), text.String()
	c := &sessionCatalogs{s: s, others: map[string]string{}}
	var edits []sqltext.Edit
	for i, name := range found {
		from, to := span(sent, name)
		if isLast(name) {
			edits = append(edits, sqltext.Words(from, to, `"`+catalogLast+`"."result"."`+lastName+`"`))
			continue
		}
		if !local {
			return nil, text, exitcode.Usagef("%s cannot be joined with %s on %s: its tables cannot be read as a whole",
				lastName, sent[from:to], s.e.Run.Settings.Where()).
				WithHint(`join them in one statement, or \export the last result and import it as a table`)
		}
		schema := "t" + strconv.Itoa(i)
		last := suggest.Name(name[len(name)-1].Name)
		c.others[schema] = sent[from:to]
		edits = append(edits, sqltext.Words(from, to, catalogGateway+"."+schema+"."+last))
	}
	text = text.Edit(edits...)
	p, err := s.engine(ctx)
	if err != nil {
		return nil, text, err
	}
	res, err := sql.Run(ctx, p, sql.Query{SQL: text.String(), Bindings: values, Catalogs: c, Timeout: s.e.TimeLimit()})
	return res, text, err
}

func noLast() error {
	return exitcode.Usagef("there is no last result, so %s is not a table yet", lastName).
		WithHint("run a statement first")
}

// scanLast reads the last result as a table.
func (s *shell) scanLast() *scanner {
	return &scanner{last: s.last, notes: s.e.Err, open: func(context.Context, engine.ScanRequest) (*api.Result,
		error) {
		return s.last.open()
	}}
}

// showResult shows the rows of a result of the session's engine as they arrive, and stores them.
func (s *shell) showResult(ctx context.Context, res *wire.Result, k *kept, text string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, w := io.Pipe()
	encoded := make(chan error, 1)
	go func() {
		_, err := res.Encode(ctx, w, api.Compact, func() {})
		_ = w.CloseWithError(err)
		encoded <- err
	}()
	body := &api.Result{Format: api.Compact, Body: k.keep(r, api.Compact)}
	st := s.shown(Statement{Text: text, Out: s.outFile(), Format: s.format})
	err := s.deliver(st, func(st Statement) error { return s.run.Show(ctx, body.Rows(), st, output.Chart{}) })
	_ = r.Close()
	cancel()
	if failed := <-encoded; failed != nil && !errors.Is(failed, io.ErrClosedPipe) &&
		!errors.Is(failed, context.Canceled) {
		return failed
	}
	if err == nil {
		s.wrote()
	}
	return err
}

// engineError converts an error of the engine: its position is that in the statement as typed.
func (s *shell) engineError(text string, sent *sqltext.Text, err error) error {
	var ee *engine.Error
	if !errors.As(err, &ee) {
		return err
	}
	f := &exitcode.Failure{Exit: exitcode.Failed, Code: string(api.KindInvalid), Msg: ee.Message, Hint: ee.Hint,
		Err: err}
	if ee.Line > 0 {
		line, col := sent.Position(ee.Line, ee.Col)
		f.Msg = fmt.Sprintf("line %d:%d: %s", line, col, strings.TrimPrefix(ee.Message, fmt.Sprintf("line %d:%d: ",
			ee.Line, ee.Col)))
		f.Mended = Mended(text, line, col, ee.Hint)
		if at := output.Caret(text, line, col, s.e.Width); at != "" {
			f.Msg += "\n" + at
		}
	}
	return f
}

// sessionCatalogs resolves the names of a statement over the last result.
type sessionCatalogs struct {
	sql.Own
	s *shell
	// names as typed of tables that are read through the gateway, by the schema that replaces them
	others map[string]string
}

var _ sql.Catalogs = (*sessionCatalogs)(nil)

// Lookup implements sql.Catalogs.
func (c *sessionCatalogs) Lookup(ctx context.Context, n engine.TableName) (sql.Source, error) {
	switch n.Catalog {
	case catalogLast:
		return sql.Source{Scan: c.s.scanLast()}, nil
	case catalogGateway:
		if name, ok := c.others[n.Schema]; ok {
			return sql.Source{Scan: &scanner{open: func(ctx context.Context, req engine.ScanRequest) (*api.Result,
				error) {
				sql := "SELECT * FROM " + name
				if req.Limit == 0 {
					sql += " LIMIT 0"
				}
				return c.s.cl.Queries.Execute(ctx, c.s.project, api.ExecuteByStatement{Statement: sql},
					api.ExecuteOptions{Format: api.Compact})
			}}}, nil
		}
	}
	return c.Own.Lookup(ctx, n)
}

// List implements sql.Catalogs.
func (c *sessionCatalogs) List(ctx context.Context, catalogs []string) ([]engine.TableName, error) {
	own, err := c.Own.List(ctx, catalogs)
	return append(own, engine.TableName{Catalog: catalogLast, Schema: "result", Table: lastName}), err
}

// engine opens the engine of the session.
func (s *shell) engine(ctx context.Context) (engine.Project, error) {
	if s.scratch != nil {
		return s.scratch, nil
	}
	p, done, err := scratchEngine(context.WithoutCancel(ctx), s.e)
	if errors.Is(err, engine.ErrNoEngine) {
		return nil, &exitcode.Failure{Exit: exitcode.Failed, Code: "no-local-engine",
			Msg:  "this build of dig has no engine (it was built without cgo), so that " + lastName + " cannot be read",
			Hint: `\\export writes the last result to a file`, Err: err}
	}
	if err != nil {
		return nil, err
	}
	s.scratch, s.scratchDone = p, done
	return p, nil
}
