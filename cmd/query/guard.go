package query

import (
	"context"

	"github.com/dig-cli/dig/cmd/internal/trust"
)

// distrust rejects, for --strict, a statement over a table whose scan ends at exactly 100 rows or whose cache is being
// filled for the first time: its sums and counts would be based on a part of the rows. Tables that cannot be checked
// are rejected too.
func (q *querying) distrust(ctx context.Context, st *statement) error {
	if !q.f.strict || !q.e.MayDropRows() {
		return nil
	}
	g := &trust.Guard{Cl: q.cl, Project: q.project}
	tables, err := g.Tables(ctx, st.form)
	if err != nil {
		return trust.Undetermined("of the statement", err)
	}
	return g.Refuse(ctx, tables)
}
