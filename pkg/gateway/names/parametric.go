package names

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
)

// ParametricSQL is what a name stands for if it is a parametric table, else "".
func (e ExternalCatalog) ParametricSQL(ctx context.Context, n engine.TableName) (string, error) {
	made, err := e.Parametric(ctx)
	if err != nil {
		return "", err
	}
	for _, m := range made {
		if !strings.EqualFold(m.ToSchema, n.Schema) || !strings.EqualFold(m.ToTable, n.Table) {
			continue
		}
		var params []api.ParametricTableColumn
		if err := json.Unmarshal([]byte(m.Values), &params); err != nil {
			return "", err
		}
		var where []string
		for _, p := range params {
			c, err := paramCondition(p, e.G.Now())
			if err != nil {
				return "", fault.Unknown(engine.KindValue, "parametric table %s: %v", n.String(), err)
			}
			where = append(where, c)
		}
		from := engine.TableName{Catalog: n.Catalog, Schema: m.FromSchema, Table: m.FromTable}
		return "SELECT * FROM " + from.Quoted() + " WHERE " + strings.Join(where, " AND "), nil
	}
	return "", nil
}
