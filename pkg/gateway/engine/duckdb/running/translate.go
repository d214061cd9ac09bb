//go:build cgo

package running

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/ducktype"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/translate"
)

// A statement is written for DuckDB with generated names: nothing that a user wrote reaches DuckDB except the values of
// literals.

// translation is a statement ready for DuckDB.
type translation struct {
	of    *engine.Statement
	text  string            // what DuckDB runs
	zones []string          // the time zones in which the instants of the columns are displayed, nil if all are UTC
	names map[string]string // from generated names of columns to those of the user
}

// zone is the time zone of a column, "" for UTC.
func (t *translation) zone(i int) string {
	if t.zones == nil {
		return ""
	}
	return t.zones[i]
}

// writeNamed writes a statement so that the columns of the text have the names and types of the result, as a stored
// table needs it.
func (s *statement) writeNamed(ctx context.Context, x *engine.Statement) (*translation, error) {
	t, err := s.write(ctx, x)
	if err != nil {
		return nil, err
	}
	if err := t.keepsZones(); err != nil {
		return nil, err
	}
	t.text, err = t.named()
	return t, err
}

// write writes a statement and the saved queries in it.
func (s *statement) write(ctx context.Context, x *engine.Statement) (*translation, error) {
	for _, r := range x.Named() { // before the statement: the zones of their columns decide how it is written
		if r.View == nil || s.views[r] != nil {
			continue
		}
		v, err := s.write(ctx, r.View)
		if err != nil {
			return nil, x.InRelation(r, err)
		}
		for i := range r.Table.Columns {
			r.Table.Columns[i].Zone = v.zone(i)
		}
		s.views[r] = v
	}
	o := translate.Options{
		Table:   func(t *analyze.Table) (string, error) { return s.from(ctx, x, x.Relations[t]) },
		Param:   func(i int) string { return values.Literal(x.Params[i]) },
		Catalog: x.Catalog, Schema: x.Schema, User: x.User,
	}
	out, err := translate.Query(x.Query, x.Analysis, o)
	if err == nil {
		var more bool
		if more, err = s.choose(ctx, x, out); more {
			out, err = translate.Query(x.Query, x.Analysis, o)
		}
	}
	var refused *trinosql.Unsupported
	if errors.As(err, &refused) {
		return nil, engine.Placed(refused.At, &engine.Error{Kind: engine.KindUnsupported, Message: refused.Msg,
			Err: engine.ErrNotSupported})
	}
	if err != nil {
		return nil, engine.Fault(err)
	}
	return &translation{of: x, text: out.SQL, zones: out.Zones, names: out.Names()}, nil
}

// from is the text of a table in FROM.
func (s *statement) from(ctx context.Context, x *engine.Statement, r *engine.Relation) (string, error) {
	switch {
	case r == nil:
		return "", engine.Defect("the statement reads a table that was not resolved")
	case r.View != nil:
		return "(" + s.views[r].text + ")", nil
	case r.Base != nil:
		if k, ok := r.Base.Private.(*values.Kept); ok {
			return k.Text, nil
		}
		return "", engine.Defect("a table of another engine")
	}
	if !s.scanned[r] {
		if err := s.addScan(ctx, r); err != nil {
			return "", x.InRelation(r, err)
		}
		s.scanned[r] = true
	}
	if s.chosen[nativeUse{x, r}] {
		return s.natives[r].text(), nil
	}
	return scanCall(r.Name), nil
}

// Calls reports whether there is a translation of a function.
func (p Statements) Calls(f *functions.Function) bool { return translate.Has(f) }

// keepsZones rejects a result whose times would lose their zone when stored.
func (t *translation) keepsZones() error {
	for i, zone := range t.zones {
		if zone != "" {
			return &engine.Error{Kind: engine.KindUnsupported, Message: fmt.Sprintf("column '%s' has times in zone "+
				"'%s', and a stored result keeps no zone on zone local: cast it to timestamp or varchar",
				t.of.Columns[i].Name, zone)}
		}
	}
	return nil
}

// named is a text whose rows have the column names of the result, with rows as structs with field names, as a stored
// table needs it.
func (t *translation) named() (string, error) {
	var b strings.Builder
	b.WriteString("SELECT ")
	alias := make([]string, len(t.of.Columns))
	seen := map[string]bool{}
	for i, c := range t.of.Columns {
		if seen[strings.ToLower(c.Name)] {
			return "", &engine.Error{Kind: engine.KindValue, Message: "Column name '" + c.Name +
				"' specified more than once"}
		}
		seen[strings.ToLower(c.Name)] = true
		if i > 0 {
			b.WriteString(", ")
		}
		alias[i] = fmt.Sprintf(`"~o%d"`, i+1)
		b.WriteString(ducktype.Outward(alias[i], c.Type) + " AS " + sqltext.Quote(c.Name))
	}
	b.WriteString(" FROM (" + t.text + `) AS "~o"(` + strings.Join(alias, ", ") + ")")
	return b.String(), nil
}
