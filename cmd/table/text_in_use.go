package table

import (
	"context"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
)

// textInUse reports whether the bare text column of an internal table contains a value, as far as can be determined.
func textInUse(ctx context.Context, cl *api.Client, project, schema, table string) (bool, error) {
	t := sqltext.TableRef{Catalog: api.InternalCatalogName, Schema: schema, Table: table}
	res, err := cl.Queries.Execute(ctx, project, api.ExecuteByStatement{Statement: `SELECT 1 AS n FROM ` + t.Quoted() +
		` WHERE "text" IS NOT NULL LIMIT 1`}, api.ExecuteOptions{Format: api.Compact})
	if err != nil {
		return false, err
	}
	defer res.Close()
	rows := res.Rows()
	return rows.Next(), rows.Err()
}
