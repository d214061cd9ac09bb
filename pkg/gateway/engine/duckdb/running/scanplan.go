//go:build cgo

package running

import (
	"cmp"
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
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sample"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/gateway/engine/plan"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// Plan describes how DuckDB would run a statement.
func (p Statements) Plan(ctx context.Context, x *engine.Statement) (*plan.Node, error) {
	s, err := p.statement(ctx, x, false)
	if err != nil {
		return nil, err
	}
	defer s.close()
	t, err := s.write(ctx, x)
	if err != nil {
		return nil, err
	}
	if s.scans != nil {
		for _, name := range slices.Sorted(maps.Keys(s.scans.tables)) {
			s.scans.shown = append(s.scans.shown, s.scans.tables[name])
		}
	}
	c, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	var told string
	err = c.Query(ctx, "EXPLAIN (FORMAT json) "+t.text, nil, func(v []*string) error {
		if len(v) > 1 && v[1] != nil {
			told = *v[1]
		}
		return nil
	})
	if err != nil {
		return nil, faults.Translated(err)
	}
	out, err := plan.FromDuckDB(told, plan.Names{Column: func(n string) string { return t.names[n] },
		Plain: s.sampleNames(), Stored: s.planStored, Scan: s.planScan})
	if err != nil {
		return nil, engine.Defect(err.Error())
	}
	return out, nil
}

// planStored is the table of a name in DuckDB's plan.
func (s *statement) planStored(name string) plan.Table {
	for _, r := range s.of.Reads() {
		if r.Base != nil && r.Base.Name.Catalog == "" &&
			strings.EqualFold(strings.Join([]string{naming.Store, r.Base.Name.Schema, r.Base.Name.Table}, "."), name) {
			return plan.Table{Name: r.Name.String(), Types: typesOf(r.Table),
				Details: []string{"reads: " + storedAs(r)}}
		}
	}
	return plan.Table{Name: naming.HideStore(name)}
}

// storedAs describes why the rows of a table are in the project's file.
func storedAs(r *engine.Relation) string {
	switch {
	case r.Name.Catalog != engine.InternalCatalog:
		return "the cache of the table; the source is not asked"
	case r.Name.Schema == engine.SchemaMtQuery || r.Base.Name.Schema == engine.SchemaMtQuery:
		return "the stored rows of a materialized query"
	}
	return "an internal table"
}

// typesOf are the types of the columns of a table by their names in lower case.
func typesOf(t *analyze.Table) map[string]string {
	out := map[string]string{}
	for _, c := range t.Columns {
		out[strings.ToLower(c.Name)] = c.Type.String()
	}
	return out
}

// samplesUsed are the tables of the built-in catalog that a statement reads.
func (s *statement) samplesUsed() (names []string) {
	for _, r := range s.of.Reads() {
		if r.Base != nil && r.Base.Name.Catalog == engine.SampleCatalog {
			names = append(names, r.Name.String())
		}
	}
	return names
}

// sampleNames renames the row numbers of these tables. It is nil if another table is read too, since that may have a
// column of such a name.
func (s *statement) sampleNames() func(string) string {
	if n := len(s.samplesUsed()); n == 0 || n < len(s.of.Reads()) {
		return nil
	}
	columns := sample.Columns()
	return func(name string) string { return cmp.Or(columns[name], name) }
}

// columnName is the name under which DuckDB knows a column of a scan. While a plan is explained it identifies its scan:
// the plan shows the columns of a scan, and not what it reads.
func (s *scanSet) columnName(t *scanTable, name string) string {
	if i := slices.Index(s.shown, t); i >= 0 {
		return "~t" + strconv.Itoa(i) + "." + name
	}
	return name
}

// planScan is the table of a step that reads external rows, or computes them.
func (s *statement) planScan(function string, columns []string, rows int64) (plan.Table, []string) {
	if samples := s.samplesUsed(); function == "range" && len(samples) > 0 {
		return plan.Table{Name: sample.Of(samples, rows),
			Details: []string{"reads: rows that are computed from their numbers"}}, nil
	}
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
	for i, c := range t.cols {
		out.Types[strings.ToLower(c.Name)] = t.trino[i].String()
	}
	if _, ok := t.src.(*infoschema.Rows); ok {
		out.Details = append(out.Details, "reads: the gateway's own lists")
		return out, names
	}
	from := "an external source"
	if d, ok := t.src.(engine.Described); ok {
		from = d.Describe()
	}
	out.Details = append(out.Details, "reads: "+from)
	if r, ok := t.src.(*relay); ok {
		out.Types = typesOf(r.table)
		return out, names
	}
	if f := t.pushed(); f != "" {
		out.Details = append(out.Details, "asked of the source: "+f)
	}
	return out, names
}

// pushed formats the conditions and the limit that are pushed down to the source.
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
