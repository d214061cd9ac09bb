package names

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// parametricRows returns the rows of a name if it is a parametric table, else nil.
func (e *External) parametricRows(ctx context.Context, n engine.TableName) (sql.Ask, error) {
	made, err := e.Parametric(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range made {
		if !strings.EqualFold(m.ToSchema, n.Schema) || !strings.EqualFold(m.ToTable, n.Table) {
			continue
		}
		var params []api.ParametricTableColumn
		if err := json.Unmarshal([]byte(m.Values), &params); err != nil {
			return nil, err
		}
		rows := sql.Rows{Table: engine.TableName{Catalog: n.Catalog, Schema: m.FromSchema, Table: m.FromTable}}
		for _, p := range params {
			f, err := paramFilter(p, e.G.Now())
			if err != nil {
				return nil, fault.Unknown(engine.KindValue, "parametric table %s: %v", n.String(), err)
			}
			rows.Filters = append(rows.Filters, f)
		}
		return rows, nil
	}
	return nil, nil
}
