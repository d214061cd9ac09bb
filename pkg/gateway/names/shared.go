package names

import (
	"context"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// sharedTable reads a semantic table of another project by running its query there.
type sharedTable struct {
	g     *Service
	owner store.Project
	name  engine.TableName
}

// sharedDepth is the context key of the number of projects that a statement leads through. The engines of these
// projects call each other through engine.Relay, which passes only a context.
type sharedDepth struct{}

// maxShared is the maximum number of projects that a query may lead through: two that share with each other could be
// circular.
const maxShared = 8

// Run implements engine.Relay.
func (s sharedTable) Run(ctx context.Context, columns []string) (engine.Rows, error) {
	depth, _ := ctx.Value(sharedDepth{}).(int)
	if depth >= maxShared {
		return nil, fault.Unknown(engine.KindCycle, "Table '%s' leads through more than %d shared catalogs",
			s.name, maxShared)
	}
	// omissions of the other project cannot be reported here
	ctx = engine.WholeOnly(context.WithValue(ctx, sharedDepth{}, depth+1))
	rows := sql.Rows{Table: s.name, Columns: columns}
	if columns == nil {
		rows.Limit = sql.NoRows
	}
	res, err := s.g.Query(ctx, s.owner, sql.Query{Ask: rows})
	if err != nil {
		return nil, err
	}
	return res.Running, nil
}
