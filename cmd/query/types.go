package query

import (
	"context"
	"fmt"
	"io"

	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
)

// typesOf fetches the declared types of a result that came without them, by requesting its first row in the wire format
// that has them: in that format the whole result would be several times larger. It returns nil if they are not
// available.
func (q *querying) typesOf(ctx context.Context, st *statement, notes io.Writer) []string {
	types, err := q.firstTypes(ctx, st)
	if err != nil || len(types) == 0 {
		fmt.Fprintln(notes, "(doubles are written as the gateway writes them: the types of the columns are not "+
			"available; --format CELL_TYPED requests them)")
		return nil
	}
	return types
}

func (q *querying) firstTypes(ctx context.Context, st *statement) ([]string, error) {
	one := int64(1)
	form := st.form
	switch f := form.(type) {
	case api.ExecuteByStatement:
		f.Statement, _ = sqlstmt.Limit(f.Statement, one)
		form = f
	case api.ExecuteByName:
		form = api.ExecuteByStatement{Statement: "SELECT * FROM " + sqltext.QuoteDotted(f.QualifiedName) + " LIMIT 1",
			Timeout: f.Timeout}
	case api.ExecuteByID:
		saved, err := q.cl.Queries.Get(ctx, q.project, f.ID)
		if err != nil {
			return nil, err
		}
		form = api.ExecuteByStatement{Statement: "SELECT * FROM " + resolve.QueryTable(saved.Name).Quoted() +
			" LIMIT 1",
			Timeout: f.Timeout}
	case api.ExecuteByBuilder:
		f.Limit = &one
		form = f
	}
	res, err := q.cl.Queries.Execute(q.withFiles(ctx, st), q.project, form, q.options(api.CellTyped))
	if err != nil {
		return nil, err
	}
	defer res.Close()
	cols, err := res.Rows().Columns()
	types := make([]string, len(cols))
	for i, c := range cols {
		types[i] = c.DataType
	}
	return types, err
}
