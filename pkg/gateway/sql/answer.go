package sql

import (
	"context"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// texts are columns of texts.
func texts(names ...string) []engine.ColumnInfo {
	out := make([]engine.ColumnInfo, len(names))
	for i, n := range names {
		out[i] = engine.ColumnInfo{Name: n, Type: "varchar"}
	}
	return out
}

// answer is a query whose result is one text.
func (s *session) answer(ctx context.Context, column, text string) (*engine.Statement, error) {
	cols := texts(column)
	cols[0].Type = fmt.Sprintf("varchar(%d)", utf8.RuneCountInString(text))
	return s.answers(ctx, &trinosql.Show{}, cols, [][]any{{text}})
}

// answers is a query over rows, of which the first column is compared with the pattern of a SHOW.
func (s *session) answers(ctx context.Context, n *trinosql.Show, cols []engine.ColumnInfo,
	rows [][]any) (*engine.Statement, error) {
	// No statement of a user can name it. Saved queries may have answers too, so each has a name of its own.
	name := engine.TableName{Catalog: "~gateway", Schema: "~answer", Table: strconv.Itoa(len(s.relations))}
	r := &relation{Relation: &engine.Relation{Name: name, Shown: engine.TableName{Table: "(the answer)"},
		Table: tableOf(cols),
		Infos: cols, Scan: &infoschema.Rows{Cols: cols, Data: rows}, Limit: -1}}
	r.Table.Name = analyze.Name(name)
	s.relations[name] = r
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	text := "SELECT " + sqltext.List(names) + " FROM " + name.Quoted()
	if n.Like != nil {
		text += " WHERE " + sqltext.Quote(cols[0].Name) + " LIKE " + sqltext.Literal(n.Like.Value)
		if n.Escape != nil {
			text += " ESCAPE " + sqltext.Literal(n.Escape.Value)
		}
	}
	own := *s
	own.Query.Bindings, own.Query.Props, own.untyped = nil, nil, false
	x, err := own.read(ctx, text)
	if err == nil {
		clear(x.Origins)
	}
	return x, err
}
