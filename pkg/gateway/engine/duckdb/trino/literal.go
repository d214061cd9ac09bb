package trino

import (
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

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
