//go:build cgo

package duckdb

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/native"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
)

// show answers a statement that lists names, by a SELECT over rows collected here; ok is false when it is none.
func (s *statement) show(ctx context.Context, tokens []native.Token) (text string, ok bool, err error) {
	l, err := native.ReadListing(tokens)
	switch {
	case err != nil || l == nil:
		return "", err != nil, err
	case l.What == "Column":
		text, err = s.columnsText(ctx, engine.FullName(l.Names), l.Like)
		return text, true, native.PlaceName(err, l.At)
	}
	text, err = s.namesText(ctx, l.What, l.Names, l.Like)
	return text, true, err
}

// namesText is a SELECT that lists catalogs, the schemas of a catalog or the tables of a schema.
func (s *statement) namesText(ctx context.Context, what string, from []string, like string) (string, error) {
	scope := engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaTable}
	switch {
	case what == "Schema" && len(from) == 1:
		scope.Catalog = strings.ToLower(from[0])
	case what == "Table" && len(from) == 1:
		scope.Schema = strings.ToLower(from[0])
	case what == "Table" && len(from) == 2:
		scope.Catalog, scope.Schema = strings.ToLower(from[0]), strings.ToLower(from[1])
	case len(from) > 0:
		return "", &engine.Error{Kind: engine.KindSyntax, Message: "mismatched input: too many names"}
	}
	var named []string
	if what != "Catalog" {
		named = []string{scope.Catalog}
	}
	known, err := s.allTables(ctx, named)
	if err != nil {
		return "", err
	}
	names, err := infoschema.Show(what, scope, known)
	if err != nil {
		return "", err
	}
	var rows [][]string
	for _, n := range names {
		rows = append(rows, []string{n})
	}
	return literalRows([]string{what}, rows, like), nil
}

// columnsText is a SELECT that lists the columns of a table.
func (s *statement) columnsText(ctx context.Context, n engine.TableName, like string) (string, error) {
	cols, err := s.columnsOf(ctx, n)
	if err != nil {
		return "", err
	}
	var rows [][]string
	for _, c := range cols {
		rows = append(rows, []string{c.Name, c.Type, "", c.Comment})
	}
	return literalRows([]string{"Column", "Type", "Extra", "Comment"}, rows, like), nil
}

// literalRows is a SELECT that returns the rows; like filters by the first column.
func literalRows(cols []string, rows [][]string, like string) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, c := range cols {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(`CAST("` + c + `" AS VARCHAR) AS "` + c + `"`)
	}
	b.WriteString(" FROM (VALUES ")
	for i, r := range rows {
		if i > 0 {
			b.WriteString(", ")
		}
		for k, v := range r {
			b.WriteString(map[bool]string{true: "(", false: ", "}[k == 0] + sqltext.Literal(v))
		}
		b.WriteString(")")
	}
	if len(rows) == 0 {
		b.WriteString("(" + strings.TrimSuffix(strings.Repeat("NULL, ", len(cols)), ", ") + ")")
	}
	b.WriteString(`) t("` + strings.Join(cols, `", "`) + `") WHERE "` + cols[0] + `" IS NOT NULL`)
	if like != "" {
		b.WriteString(` AND "` + cols[0] + `" LIKE ` + like)
	}
	return b.String()
}
