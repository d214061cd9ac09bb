//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/gateway/engine/plan"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// explainTrino answers EXPLAIN: one row with the plan. No row of a table is read for it.
func (s *statement) explainTrino(ctx context.Context, n *trinosql.Explain) (*trinoText, error) {
	refuse := func(format string, args ...any) (*trinoText, error) {
		return nil, placedAt(n.Pos(), &engine.Error{Kind: engine.KindUnsupported, Message: fmt.Sprintf(format, args...) + " is not supported on zone local"})
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

// answerOf is a statement of ours with one column.
func answerOf(tree trinosql.Statement, column string, t *types.Type, sql string) *trinoText {
	return &trinoText{sql: sql, tree: tree, origins: make([]engine.TableName, 1), columns: []analyze.Column{{Name: column, Type: t}}}
}

// planOf asks DuckDB for the plan of a translated statement.
func (s *statement) planOf(ctx context.Context, x *trinoText) (*plan.Node, error) {
	if s.scans != nil {
		for _, name := range slices.Sorted(maps.Keys(s.scans.tables)) {
			s.scans.shown = append(s.scans.shown, s.scans.tables[name])
		}
	}
	var told string
	err := s.c.query(ctx, "EXPLAIN (FORMAT json) "+x.sql, nil, func(v []*string) error {
		if len(v) > 1 && v[1] != nil {
			told = *v[1]
		}
		return nil
	})
	if err != nil {
		return nil, faults.Translated(err)
	}
	made := map[string]string{}
	if x.printed != nil {
		made = x.printed.Names()
	}
	below, err := plan.FromDuckDB(told, plan.Names{Column: func(n string) string { return made[n] }, Stored: s.planStored, Scan: s.planScan})
	if err != nil {
		return nil, faults.Internal(err.Error())
	}
	out := &plan.Node{Name: "Output", Descriptor: map[string]string{}, Children: []*plan.Node{below}}
	var names []string
	for _, c := range x.columns {
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

func (s *statement) usesInOrder() []*used {
	return slices.SortedFunc(maps.Values(s.uses), func(a, b *used) int { return strings.Compare(a.name.String(), b.name.String()) })
}

// planStored is the table behind a name in DuckDB's plan.
func (s *statement) planStored(name string) plan.Table {
	for _, u := range s.usesInOrder() {
		if u.kept != nil && strings.EqualFold(strings.Join([]string{u.kept.Catalog, u.kept.Schema, u.kept.Table}, "."), name) {
			return plan.Table{Name: u.name.String(), Types: typesOf(u), Details: []string{"reads: " + keptAs(u)}}
		}
	}
	return plan.Table{Name: naming.HideStore(name)}
}

// keptAs says why the project's file has the rows of a table.
func keptAs(u *used) string {
	switch {
	case u.name.Catalog != engine.InternalCatalog:
		return "the cache of the table; the source is not asked"
	case u.name.Schema == engine.SchemaMtQuery || u.kept.Schema == engine.SchemaMtQuery:
		return "the stored rows of a materialized query"
	}
	return "an internal table"
}

// typesOf are the types of the columns of a table by their names in lower case.
func typesOf(u *used) map[string]string {
	out := map[string]string{}
	for _, c := range u.table.Columns {
		out[strings.ToLower(c.Name)] = c.Type.String()
	}
	return out
}

// columnName is the name under which DuckDB knows a column of a scan. While a plan is explained it tells which scan it belongs to: the plan
// shows the columns of a scan, and not what it reads.
func (s *scanSet) columnName(t *scanTable, name string) string {
	if i := slices.Index(s.shown, t); i >= 0 {
		return "~t" + strconv.Itoa(i) + "." + name
	}
	return name
}

// planScan is the table of a step that reads rows from elsewhere.
func (s *statement) planScan(function string, columns []string) (plan.Table, []string) {
	if function != scanFunction || s.scans == nil {
		return plan.Table{}, columns
	}
	var names []string
	var t *scanTable
	for _, c := range columns {
		head, name, _ := strings.Cut(strings.Trim(c, `"`), ".")
		if i, err := strconv.Atoi(strings.TrimPrefix(head, "~t")); err == nil && i < len(s.scans.shown) {
			t, names = s.scans.shown[i], append(names, name)
		}
	}
	if t == nil && len(s.scans.shown) == 1 { // its rows are only counted
		t = s.scans.shown[0]
	}
	if t == nil {
		return plan.Table{Name: "(a table of which only the rows are counted)"}, names
	}
	out := plan.Table{Name: t.name.String(), Types: map[string]string{}}
	for _, c := range t.cols {
		out.Types[strings.ToLower(c.Name)] = infoType(c.Type).String()
	}
	if t.name.Catalog == naming.InfoCatalog {
		out.Name = engine.TableName{Catalog: t.name.Schema, Schema: infoschema.Schema, Table: t.name.Table}.String()
		out.Details = append(out.Details, "reads: the gateway's own lists")
		return out, names
	}
	from := "an external source"
	if d, ok := t.src.(engine.Described); ok {
		from = d.Describe()
	}
	out.Details = append(out.Details, "reads: "+from)
	if f := t.pushed(); f != "" {
		out.Details = append(out.Details, "asked of the source: "+f)
	}
	return out, names
}

// pushed words the conditions and the limit that the source is told.
func (t *scanTable) pushed() string {
	var parts []string
	for _, f := range t.filters {
		values := make([]string, len(f.Values))
		for i, v := range f.Values {
			switch v := v.(type) {
			case string:
				values[i] = sqltext.Literal(v)
			case time.Time:
				values[i] = strings.TrimSuffix(v.Format("2006-01-02 15:04:05.999999"), " 00:00:00")
			default:
				values[i] = fmt.Sprint(v)
			}
		}
		text := f.Column + " " + f.Op
		switch {
		case strings.HasSuffix(f.Op, "in"):
			text += " (" + strings.Join(values, ", ") + ")"
		case len(values) > 0:
			text += " " + values[0]
		}
		parts = append(parts, text)
	}
	text := ""
	if len(parts) > 0 {
		text = "where " + strings.Join(parts, " and ")
	}
	if t.limit >= 0 {
		text = strings.TrimSpace(text + " limit " + strconv.FormatInt(t.limit, 10))
	}
	if t.count {
		text = strings.TrimSpace(text + " (the number of rows only)")
	}
	return text
}
