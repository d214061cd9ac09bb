package trino

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/plan"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// explain implements EXPLAIN: one row with the plan. No rows of tables are read.
func (s *Session) explain(ctx context.Context, n *trinosql.Explain) (*Text, error) {
	refuse := func(format string, args ...any) (*Text, error) {
		return nil, PlacedAt(n.Pos(), &engine.Error{Kind: engine.KindUnsupported, Message: fmt.Sprintf(format, args...) + " is not supported on zone local"})
	}
	switch {
	case n.Analyze:
		return refuse("EXPLAIN ANALYZE")
	case n.Type == "IO":
		return refuse("EXPLAIN (TYPE IO)")
	case n.Format == "GRAPHVIZ":
		return refuse("EXPLAIN (FORMAT GRAPHVIZ)")
	}
	inner, err := s.translateTree(ctx, n.Statement)
	if err != nil {
		return nil, err
	}
	if n.Type == "VALIDATE" {
		return answerOf(n, "Valid", types.Of(types.Boolean), "SELECT true"), nil
	}
	root, err := s.planOf(ctx, inner)
	if err != nil {
		return nil, err
	}
	text := root.Text()
	if n.Format == "JSON" {
		text = root.JSON()
	}
	return answerOf(n, "Query Plan", types.NewVarchar(len([]rune(text))), "SELECT "+sqltext.Literal(text)), nil
}

// answerOf is a generated statement with one result column.
func answerOf(tree trinosql.Statement, column string, t *types.Type, sql string) *Text {
	return &Text{SQL: sql, Origins: make([]engine.TableName, 1), Columns: []analyze.Column{{Name: column, Type: t}}}
}

// planOf returns DuckDB's plan of a translated statement.
func (s *Session) planOf(ctx context.Context, x *Text) (*plan.Node, error) {
	told, err := s.Store.Plan(ctx, x.SQL)
	if err != nil {
		return nil, faults.Translated(err)
	}
	made := map[string]string{}
	if x.Printed != nil {
		made = x.Printed.Names()
	}
	below, err := plan.FromDuckDB(told, plan.Names{Column: func(n string) string { return made[n] }, Plain: s.sampleNames(), Stored: s.planStored, Scan: s.planScan})
	if err != nil {
		return nil, faults.Internal(err.Error())
	}
	out := &plan.Node{Name: "Output", Descriptor: map[string]string{}, Children: []*plan.Node{below}}
	var names []string
	for _, c := range x.Columns {
		names = append(names, c.Name)
		out.Outputs = append(out.Outputs, plan.Column{Symbol: c.Name, Type: c.Type.String()})
	}
	out.Descriptor["columnNames"] = "[" + strings.Join(names, ", ") + "]"
	for _, u := range s.usesInOrder() {
		if u.saved != nil {
			out.Details = append(out.Details, "saved query "+u.name.String()+" is expanded in place")
		}
	}
	return out, nil
}

func (s *Session) usesInOrder() []*Used {
	return slices.SortedFunc(maps.Values(s.uses), func(a, b *Used) int { return a.name.Compare(b.name) })
}

// planStored is the table of a name in DuckDB's plan.
func (s *Session) planStored(name string) plan.Table {
	for _, u := range s.usesInOrder() {
		if u.Kept != nil && strings.EqualFold(strings.Join([]string{u.Kept.Catalog, u.Kept.Schema, u.Kept.Table}, "."), name) {
			return plan.Table{Name: u.name.String(), Types: typesOf(u), Details: []string{"reads: " + keptAs(u)}}
		}
	}
	return plan.Table{Name: naming.HideStore(name)}
}

// planScan is the table of a step that reads external rows, or computes them.
func (s *Session) planScan(function string, columns []string, rows int64) (plan.Table, []string) {
	if samples := s.samplesUsed(); function == "range" && len(samples) > 0 {
		return plan.Table{Name: sampleOf(samples, rows), Details: []string{"reads: rows that are computed from their numbers"}}, nil
	}
	return s.Store.PlanScan(function, columns)
}

// samplesUsed are the tables of the built-in catalog that a statement reads.
func (s *Session) samplesUsed() []string {
	var names []string
	for _, u := range s.usesInOrder() {
		if u.name.Catalog == engine.SampleCatalog && u.name.Schema == SampleSchema {
			names = append(names, u.name.String())
		}
	}
	return names
}

// sampleOf determines by the number of rows which of the tables a step computes.
func sampleOf(names []string, rows int64) string {
	made := map[int64][]string{sampleCustomers: {"customers"}, sampleProducts: {"products"}, sampleOrders: {"orders", "order_items"}, 4: {"order_items"}}
	var may []string
	for _, n := range names {
		if slices.Contains(made[rows], n[strings.LastIndex(n, ".")+1:]) {
			may = append(may, n)
		}
	}
	if len(may) == 0 {
		may = names
	}
	return strings.Join(may, " or ")
}

// sampleNames maps the row numbers of these tables, by their names in the tables' texts, to the columns they become. It is nil
// if a table of another catalog is read too, since that may have a column of such a name.
func (s *Session) sampleNames() func(string) string {
	if n := len(s.samplesUsed()); n == 0 || n < len(s.uses) {
		return nil
	}
	columns := map[string]string{"i": "id", "o": "order_id", "n": "line_no"}
	return func(name string) string { return cmp.Or(columns[name], name) }
}

// keptAs describes why the rows of a table are in the project's file.
func keptAs(u *Used) string {
	switch {
	case u.name.Catalog != engine.InternalCatalog:
		return "the cache of the table; the source is not asked"
	case u.name.Schema == engine.SchemaMtQuery || u.Kept.Schema == engine.SchemaMtQuery:
		return "the stored rows of a materialized query"
	}
	return "an internal table"
}

// typesOf are the types of the columns of a table by their names in lower case.
func typesOf(u *Used) map[string]string {
	out := map[string]string{}
	for _, c := range u.Table.Columns {
		out[strings.ToLower(c.Name)] = c.Type.String()
	}
	return out
}
