package trino

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
)

// retype writes a table again with column i as in now.
func (p *project) retype(ctx context.Context, was, now *tabledef.Table, i int) error {
	if err := p.checkValues(ctx, was, now.Columns[i], i); err != nil {
		return err
	}
	list := columnsOf(was)
	list[i] = convert(was.Columns[i], now.Columns[i].Type)
	return p.rewrite(ctx, was, now, list)
}

// columnsOf are the columns of a table as expressions.
func columnsOf(t *tabledef.Table) []string {
	list := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		list[i] = quoted(c)
	}
	return list
}

// rewrite writes a table again, with the values of a list for its columns, in one commit of the catalog. The table's
// comment has the definitions, from which they are read until the columns have their comments.
func (p *project) rewrite(ctx context.Context, was, now *tabledef.Table, list []string) error {
	all := make([]definition, len(now.Columns))
	for k, c := range now.Columns {
		list[k] += " AS " + quoted(c)
		all[k] = definitionOf(now, k, "")
	}
	about, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if _, err := p.exec(ctx, "CREATE OR REPLACE TABLE "+p.at(now)+" COMMENT "+sqltext.Literal(string(about))+
		" AS SELECT "+strings.Join(list, ", ")+" FROM "+p.at(was), true, nil); err != nil {
		return err
	}
	for k, c := range now.Columns {
		if _, err := p.exec(ctx, "COMMENT ON COLUMN "+p.at(now)+"."+quoted(c)+" IS "+comment(now, k), true,
			nil); err != nil {
			return err
		}
	}
	return nil
}

// free writes a table again if one of its files of imports may have values under a name that a column is to get: the
// catalog finds the columns of those files by all names that they have had.
func (p *project) free(ctx context.Context, t *tabledef.Table, names ...string) error {
	mapping := ""
	_, err := p.exec(ctx, "SELECT value FROM "+sqltext.Quote(p.e.Catalog, p.schema(t.Kind),
		physical(strings.ToLower(t.Name))+"$properties")+" WHERE key = 'schema.name-mapping.default'", false,
		func(v []*string) error { mapping = *v[0]; return nil })
	if err != nil || mapping == "" {
		return err
	}
	var fields []struct{ Names []string }
	if err := json.Unmarshal([]byte(mapping), &fields); err != nil {
		return fmt.Errorf("the names of the columns in files: %w", err)
	}
	for _, f := range fields {
		if slices.ContainsFunc(names, func(n string) bool { return slices.Contains(f.Names, strings.ToLower(n)) }) {
			return p.rewrite(ctx, t, t, columnsOf(t))
		}
	}
	return nil
}

// definitions reads those of a table in its comment, by the names of the columns in the catalog.
func (p *project) definitions(ctx context.Context, kind, stored string) (map[string]definition, error) {
	out := map[string]definition{}
	_, err := p.exec(ctx, "SELECT comment FROM system.metadata.table_comments WHERE catalog_name = "+
		sqltext.Literal(p.e.Catalog)+" AND schema_name = "+sqltext.Literal(p.schema(kind))+" AND table_name = "+
		sqltext.Literal(stored), false, func(v []*string) error {
		var all []definition
		if v[0] == nil {
			return nil
		}
		if err := json.Unmarshal([]byte(*v[0]), &all); err != nil {
			return err
		}
		for _, d := range all {
			out[strings.ToLower(d.Name)] = d
		}
		return nil
	})
	return out, err
}

// asText is the text of a column's values by which the rules of imports read them without a loss where the new type can
// hold them: 12.0000000000 is 12 and midnight is its date.
func asText(col engine.Column, to string) string {
	text := "CAST(" + quoted(col) + " AS varchar)"
	switch {
	case strings.HasPrefix(col.Type, "decimal") && to == "bigint" && !strings.HasSuffix(col.Type, ",0)"):
		return "trim(TRAILING '.' FROM trim(TRAILING '0' FROM " + text + "))"
	case col.Type == "timestamp" && to == "date":
		return "CASE WHEN CAST(" + quoted(col) + " AS time(6)) = TIME '00:00:00' THEN CAST(CAST(" + quoted(col) +
			" AS date) AS varchar) ELSE " + text + " END"
	}
	return text
}

// convert is an expression for the values of a column in another type, NULL for those that it cannot hold.
func convert(col engine.Column, to string) string {
	return "TRY_CAST(" + asText(col, to) + " AS " + columnType(to) + ")"
}

// checkValues rejects values that the new type of column i cannot hold by the rules of imports, and those that the
// cluster reads otherwise.
func (p *project) checkValues(ctx context.Context, t *tabledef.Table, col engine.Column, i int) error {
	parse := cells.ParserOf(col.Type)
	if parse == nil {
		return nil
	}
	old := t.Columns[i]
	var bad, least int64
	var reason string
	_, err := p.exec(ctx, "SELECT CAST(_id AS varchar), "+asText(old, col.Type)+", CAST("+convert(old, col.Type)+
		" AS varchar) FROM "+p.at(t)+" WHERE "+quoted(old)+" IS NOT NULL", false, func(v []*string) error {
		fault := ""
		if _, f := parse([]byte(*v[1])); f != cells.None {
			fault = f.Reason(col.Type, *v[1])
		} else if v[2] == nil || *v[2] != plainText(col.Type, []byte(*v[1])) {
			fault = fmt.Sprintf("the cluster does not read %q as %s", *v[1], col.Type)
		}
		if fault == "" {
			return nil
		}
		id, err := strconv.ParseInt(*v[0], 10, 64)
		if bad++; bad == 1 || id < least {
			least, reason = id, fault
		}
		return err
	})
	if err != nil || bad == 0 {
		return err
	}
	rows, err := p.count(ctx, p.at(t))
	if err != nil {
		return err
	}
	return &engine.Error{Kind: engine.KindValue, Message: fmt.Sprintf("column %q cannot become %s: %d of %d rows do "+
		"not fit; the first in the row with _id %d: %s", old.Name, col.Type, bad, rows, least, reason)}
}
