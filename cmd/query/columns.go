package query

import (
	"context"
	"io"

	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/pkg/api"
)

func (q *querying) columns() *trust.SavedColumns {
	return &trust.SavedColumns{Env: q.e, Cl: q.cl, Project: q.project, Accept: q.f.acceptColumns}
}

// distrustColumns rejects, for --strict, saved queries whose columns have changed.
func (q *querying) distrustColumns(ctx context.Context, st *statement) error {
	if !q.f.strict {
		return nil
	}
	return q.columns().Refuse(ctx, st.form)
}

// warnColumns warns after a run that the columns of a saved query have changed.
func (q *querying) warnColumns(ctx context.Context, r trust.SavedRef, cols []api.ResultColumn, notes io.Writer) {
	q.columns().Warn(ctx, r, cols, notes)
}
