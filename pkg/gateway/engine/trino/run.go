package trino

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/plan"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/pages"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/protocol"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Calls implements engine.Project: a cluster has all functions.
func (p *project) Calls(*functions.Function) bool { return true }

// asked is a statement of a user: the rights of the project count.
func (p *project) asked(ctx context.Context, text string) protocol.Request {
	r := p.request(ctx, text)
	r.User = p.e.userOf(p.id)
	return r
}

// timeLimit is the property of a session that ends its statements.
const timeLimit = "query_max_execution_time"

// request is a statement of the gateway in this project.
func (p *project) request(ctx context.Context, text string) protocol.Request {
	r := protocol.Request{SQL: text, Tags: []string{"dig", "project=" + p.id}, Session: map[string]string{}}
	if end, ok := ctx.Deadline(); ok {
		// The gateway ends the statement at its limit; this is for one whose gateway has died.
		r.Session[timeLimit] = strconv.Itoa(int(time.Until(end).Seconds())+10) + "s"
	}
	return r
}

// Run implements engine.Project.
func (p *project) Run(ctx context.Context, x *engine.Statement) (engine.Rows, error) {
	if err := p.admit(x); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &rows{ctx: ctx, cancel: cancel}
	begun := false
	defer func() {
		if !begun {
			_ = r.Close()
		}
	}()
	var err error
	if r.w, err = p.write(ctx, x); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		err = r.begin(p)
		// Nobody has seen a row yet, so a statement that was lost with its coordinator is sent again.
		if !errors.As(err, new(*protocol.LostError)) || try == tries {
			break
		}
	}
	if err != nil {
		return nil, r.w.explain(ctx, err)
	}
	begun = true
	return r, nil
}

// tries is how often a statement is sent whose coordinator forgets it.
const tries = 3

// admit refuses the statements of a project that was dropped.
func (p *project) admit(x *engine.Statement) error {
	if p.dropped.Load() {
		return engine.ErrDropped
	}
	if p.e.Warden != nil && x != nil {
		return p.e.Warden.Admit(p.id, x.Text)
	}
	return nil
}

// rows are the rows of a statement. They are read from the cluster page by page, when they are asked for.
type rows struct {
	w       *written
	ctx     context.Context
	cancel  context.CancelFunc
	q       *protocol.Query
	stop    func() bool
	columns []engine.RowColumn
	decode  []*pages.Decoder
	page    *protocol.Page // was read already
}

// begin sends the statement, and reads pages until its columns are known.
func (r *rows) begin(p *project) error {
	var err error
	if r.q, err = p.e.client.Start(r.ctx, p.asked(r.ctx, r.w.text)); err != nil {
		return err
	}
	q := r.q
	r.stop = safely.AfterContext(r.ctx, q.Close)
	for len(q.Agreed) == 0 {
		if r.page, err = q.Next(r.ctx); err != nil {
			break
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		return engine.Defect("the cluster described no columns")
	case err != nil:
		return err
	case len(q.Agreed) != len(r.w.of.Columns):
		return engine.Defect(fmt.Sprintf("the cluster returns %d columns where %d were expected", len(q.Agreed),
			len(r.w.of.Columns)))
	}
	for i, c := range q.Agreed {
		t, err := types.Parse(c.Type)
		if err != nil {
			t = types.NewOpaque(c.Type)
		}
		d := pages.New(t)
		r.decode = append(r.decode, d)
		r.columns = append(r.columns, engine.RowColumn{TableColumn: analyze.TableColumn{Name: r.w.of.Columns[i].Name,
			Type: t},
			Layout: d.Layout})
	}
	return nil
}

// Columns implements engine.Rows.
func (r *rows) Columns() []engine.RowColumn { return r.columns }

// Context implements engine.Rows.
func (r *rows) Context() context.Context { return r.ctx }

// Next implements engine.Rows.
func (r *rows) Next(ctx context.Context) (*batch.Batch, error) {
	defer safely.AfterContext(ctx, r.q.Close)()
	for {
		page := r.page
		r.page = nil
		if page == nil {
			var err error
			page, err = r.q.Next(r.ctx)
			if end := errors.Join(engine.Ended(ctx, nil), engine.Ended(r.ctx, nil)); end != nil {
				return nil, end
			}
			if err != nil {
				if errors.Is(err, io.EOF) {
					return nil, err
				}
				return nil, r.w.explain(r.ctx, err)
			}
		}
		if page.Data == nil {
			continue
		}
		if b, err := pages.Rows(page.Data, r.decode); err != nil || b.Len > 0 {
			return b, fault(r.ctx, err)
		}
	}
}

// Close implements engine.Rows.
func (r *rows) Close() error {
	if r.q != nil {
		if r.stop() {
			r.q.Close()
		}
	}
	r.cancel()
	return nil
}

// exec runs a statement of the engine itself, and calls row with the texts of each of its rows. It returns the number
// of rows that it has changed, -1 for none. One that changes something is sent once.
func (p *project) exec(ctx context.Context, text string, once bool, row func(v []*string) error) (int64, error) {
	n, err := p.e.exec(ctx, p.request(ctx, text), once, row)
	return n, fault(ctx, err)
}

func (e *Engine) exec(ctx context.Context, req protocol.Request, once bool, row func(v []*string) error) (int64,
	error) {
	req.Once = once
	q, err := e.client.Start(ctx, req)
	if err != nil {
		return -1, err
	}
	defer q.Close()
	// The cluster begins with a statement when its first page is asked for.
	if note, ok := ctx.Value(noteKey{}).(func(string) error); ok && once {
		if err := note(q.ID); err != nil {
			return -1, err
		}
	}
	count := int64(-1)
	for {
		page, err := q.Next(ctx)
		if errors.Is(err, io.EOF) {
			return count, nil
		}
		if err != nil {
			return count, err
		}
		count = max(count, page.Count)
		if page.Data == nil || row == nil {
			continue
		}
		var data [][]*json.RawMessage
		if err := json.Unmarshal(page.Data, &data); err != nil {
			return count, &protocol.UnreachableError{Err: err}
		}
		for _, cells := range data {
			v := make([]*string, len(cells))
			for i, c := range cells {
				if c == nil {
					continue
				}
				var s string
				if json.Unmarshal(*c, &s) != nil {
					s = string(*c)
				}
				v[i] = &s
			}
			if err := row(v); err != nil {
				return count, err
			}
		}
	}
}

// Check implements engine.Project.
func (p *project) Check(ctx context.Context, x *engine.Statement) error {
	if err := p.admit(x); err != nil {
		return err
	}
	w, err := p.write(ctx, x)
	if err != nil {
		return err
	}
	return p.ahead(ctx, w, "EXPLAIN (TYPE VALIDATE) ", nil)
}

// Plan implements engine.Project.
func (p *project) Plan(ctx context.Context, x *engine.Statement) (*plan.Node, error) {
	if err := p.admit(x); err != nil {
		return nil, err
	}
	w, err := p.write(ctx, x)
	if err != nil {
		return nil, err
	}
	top := &step{}
	err = p.ahead(ctx, w, "EXPLAIN (TYPE LOGICAL, FORMAT JSON) ", func(v []*string) error {
		return json.Unmarshal([]byte(*v[0]), top)
	})
	if err != nil {
		return nil, err
	}
	// The root is the output, which the gateway describes itself.
	if top.Name == "Output" && len(top.Children) == 1 {
		top = top.Children[0]
	}
	return top.node(), nil
}

// step is a step of a plan as the cluster describes it.
type step struct {
	Name       string
	Descriptor map[string]string
	Outputs    []struct{ Name, Type string }
	Details    []string
	Estimates  []struct{ OutputRowCount any }
	Children   []*step
}

func (s *step) node() *plan.Node {
	out := &plan.Node{Name: s.Name, Descriptor: s.Descriptor, Details: s.Details}
	for _, c := range s.Outputs {
		out.Outputs = append(out.Outputs, plan.Column{Symbol: c.Name, Type: c.Type})
	}
	for _, e := range s.Estimates[:min(len(s.Estimates), 1)] {
		if rows, ok := e.OutputRowCount.(float64); ok { // else NaN, as a text
			out.Estimates = append(out.Estimates, plan.Estimate{Rows: rows})
		}
	}
	for _, c := range s.Children {
		out.Children = append(out.Children, c.node())
	}
	return out
}

// ahead runs an EXPLAIN of a statement.
func (p *project) ahead(ctx context.Context, w *written, explain string, row func(v []*string) error) error {
	w = w.between(explain, "")
	_, err := p.e.exec(ctx, p.asked(ctx, w.text), false, row)
	return w.explain(ctx, err)
}
