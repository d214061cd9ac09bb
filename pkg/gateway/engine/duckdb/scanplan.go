//go:build cgo

package duckdb

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/trino"
	"github.com/dig-cli/dig/pkg/gateway/engine/plan"
)

// Plan asks DuckDB for the plan of a translated statement.
func (s *statement) Plan(ctx context.Context, sql string) (told string, err error) {
	if s.scans != nil {
		for _, name := range slices.Sorted(maps.Keys(s.scans.tables)) {
			s.scans.shown = append(s.scans.shown, s.scans.tables[name])
		}
	}
	err = s.c.query(ctx, "EXPLAIN (FORMAT json) "+sql, nil, func(v []*string) error {
		if len(v) > 1 && v[1] != nil {
			told = *v[1]
		}
		return nil
	})
	return told, err
}

// columnName is the name under which DuckDB knows a column of a scan. While a plan is explained it identifies its scan: the plan
// shows the columns of a scan, and not what it reads.
func (s *scanSet) columnName(t *scanTable, name string) string {
	if i := slices.Index(s.shown, t); i >= 0 {
		return "~t" + strconv.Itoa(i) + "." + name
	}
	return name
}

// PlanScan is the table of a step that reads rows from elsewhere.
func (s *statement) PlanScan(function string, columns []string) (plan.Table, []string) {
	if function != trino.ScanFunction || s.scans == nil {
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
		out.Types[strings.ToLower(c.Name)] = trino.InfoType(c.Type).String()
	}
	if catalog, ok := strings.CutPrefix(t.name.Catalog, naming.InfoCatalog); ok {
		out.Name = engine.TableName{Catalog: catalog, Schema: t.name.Schema, Table: t.name.Table}.String()
		out.Details = append(out.Details, "reads: the gateway's own lists")
		return out, names
	}
	if path, err := hex.DecodeString(t.name.Schema); err == nil && s.Q.Files != "" && t.name.Catalog == s.Q.Files {
		out.Name = sqltext.Literal(string(path)) // as it is typed
	}
	from := "an external source"
	if d, ok := t.src.(engine.Described); ok {
		from = d.Describe()
	}
	out.Details = append(out.Details, "reads: "+from)
	if r, ok := t.src.(*relay); ok {
		for _, c := range r.table.Columns {
			out.Types[strings.ToLower(c.Name)] = c.Type.String()
		}
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
