//go:build cgo

package duckdb

import (
	"context"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// showTrino answers the statements that list names.
func (s *statement) showTrino(ctx context.Context, n *trinosql.Show) (*wayText, error) {
	var name []string
	for _, p := range n.Name {
		name = append(name, p.Lower())
	}
	like := ""
	if n.Like != nil {
		if like = sqltext.Literal(n.Like.Value); n.Escape != nil {
			like += " ESCAPE " + sqltext.Literal(n.Escape.Value)
		}
	}
	var sql string
	var err error
	columns := []string{""}
	switch n.What {
	case "CATALOGS":
		columns[0] = "Catalog"
		sql, err = s.namesText(ctx, columns[0], nil, like)
	case "SCHEMAS":
		columns[0] = "Schema"
		sql, err = s.namesText(ctx, columns[0], name, like)
	case "TABLES":
		columns[0] = "Table"
		sql, err = s.namesText(ctx, columns[0], name, like)
	case "COLUMNS":
		columns = []string{"Column", "Type", "Extra", "Comment"}
		sql, err = s.columnsText(ctx, fullName(name), like)
	default:
		return nil, placedAt(n.Pos(), &engine.Error{Kind: engine.KindNotAllowed, Message: "Statement type 'Show' is not allowed"})
	}
	if err != nil {
		at := n.Pos()
		if len(n.Name) > 0 {
			at = n.Name[0].Pos()
		}
		return nil, replaceAt(err, at)
	}
	x := &wayText{sql: sql, tree: n, origins: make([]engine.TableName, len(columns))}
	for _, c := range columns {
		x.columns = append(x.columns, analyze.Column{Name: c, Type: types.Of(types.Varchar)})
	}
	return x, nil
}
