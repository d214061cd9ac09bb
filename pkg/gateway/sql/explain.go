package sql

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/plan"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// explain implements EXPLAIN: one row with the plan. No rows of tables are read.
func (s *session) explain(ctx context.Context, n *trinosql.Explain) (*engine.Statement, error) {
	refuse := func(format string, args ...any) (*engine.Statement, error) {
		return nil, engine.Placed(n.Pos(), &engine.Error{Kind: engine.KindUnsupported, Message: fmt.Sprintf(format,
			args...) + " is not supported on zone local"})
	}
	switch {
	case n.Analyze:
		return refuse("EXPLAIN ANALYZE")
	case n.Type == "IO":
		return refuse("EXPLAIN (TYPE IO)")
	case n.Format == "GRAPHVIZ":
		return refuse("EXPLAIN (FORMAT GRAPHVIZ)")
	}
	inner, err := s.tree(ctx, n.Statement)
	if err != nil {
		return nil, err
	}
	cols, rows := texts("Query Plan"), [][]any(nil)
	if n.Type == "VALIDATE" {
		cols, rows = []engine.ColumnInfo{{Name: "Valid", Type: "boolean"}}, [][]any{{true}}
	}
	if s.describes {
		return s.answers(ctx, &trinosql.Show{}, cols, nil)
	}
	below, err := s.engine.Plan(ctx, inner)
	if err != nil {
		return nil, err
	}
	if rows != nil {
		return s.answers(ctx, &trinosql.Show{}, cols, rows)
	}
	root := s.output(inner, below)
	text := root.Text()
	if n.Format == "JSON" {
		text = root.JSON()
	}
	return s.answer(ctx, cols[0].Name, text)
}

// output is the last step of a plan: the columns of the result, and which saved queries became a part of the plan.
func (s *session) output(x *engine.Statement, below *plan.Node) *plan.Node {
	out := &plan.Node{Name: "Output", Descriptor: map[string]string{}, Children: []*plan.Node{below}}
	var names []string
	for _, c := range x.Columns {
		names = append(names, c.Name)
		out.Outputs = append(out.Outputs, plan.Column{Symbol: c.Name, Type: c.Type.String()})
	}
	out.Descriptor["columnNames"] = "[" + strings.Join(names, ", ") + "]"
	for _, u := range x.Reads() {
		if u.View != nil {
			out.Details = append(out.Details, "saved query "+u.Name.String()+" is expanded in place")
		}
	}
	return out
}
