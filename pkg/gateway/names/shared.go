package names

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// sharedScan reads a semantic table of another project by running its query there.
type sharedScan struct {
	g     *Service
	owner store.Project
	name  engine.TableName
}

// sharedDepth is the context key of the number of projects that a statement leads through. The engines of these projects call
// each other through engine.Scanner, which passes only a context.
type sharedDepth struct{}

// maxShared is the maximum number of projects that a query may lead through: two that share with each other could be
// circular.
const maxShared = 8

func (s sharedScan) query(ctx context.Context, rows engine.Rows) (engine.Result, error) {
	depth, _ := ctx.Value(sharedDepth{}).(int)
	if depth >= maxShared {
		return nil, fault.Unknown(engine.KindCycle, "Table '%s' leads through more than %d shared catalogs", s.name, maxShared)
	}
	ctx = engine.WholeOnly(context.WithValue(ctx, sharedDepth{}, depth+1)) // omissions of the other project cannot be reported here
	rows.Table = s.name
	return s.g.Query(ctx, s.owner, engine.Query{Ask: rows})
}

// Columns implements engine.Scanner.
func (s sharedScan) Columns(ctx context.Context) ([]engine.ColumnInfo, error) {
	res, err := s.query(ctx, engine.Rows{Limit: engine.NoRows})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	cols := res.Columns()
	out := make([]engine.ColumnInfo, len(cols))
	for i, c := range cols {
		out[i] = engine.ColumnInfo{Name: c.Name, Type: c.DataType, Nullable: true}
	}
	return out, nil
}

// Scan implements engine.Scanner. It leaves the filters, and thus the limit, to the engine.
func (s sharedScan) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	statement, cancel := context.WithCancel(ctx) // the statement has its own context, because the last rows are sent after the statement has ended
	res, err := s.query(statement, engine.Rows{Columns: append([]string{}, req.Columns...)})
	if err != nil {
		cancel()
		return nil, err
	}
	binary := make([]bool, len(req.Columns))
	for i, c := range res.Columns() {
		if i < len(binary) {
			binary[i] = c.DataType == "varbinary"
		}
	}
	return connector.Pushed(ctx, func(ctx context.Context, push func([]any) error) error {
		defer cancel()
		defer safely.AfterContext(ctx, cancel)() // closing the batches ends the statement
		defer res.Close()
		_, err := res.Rows(ctx, func(row [][]byte) error {
			cells, err := sharedRow(row, binary)
			if err != nil {
				return err
			}
			return push(cells)
		})
		return err
	}), nil
}

// sharedRow converts the texts of a row: the engine parses those of any type but varbinary.
func sharedRow(row [][]byte, binary []bool) ([]any, error) {
	out := make([]any, len(binary))
	for i, isBinary := range binary {
		if row[i] == nil {
			continue
		}
		if !isBinary {
			out[i] = string(row[i])
			continue
		}
		raw, err := hex.DecodeString(strings.NewReplacer(" ", "", "\n", "").Replace(string(row[i])))
		if err != nil {
			return nil, err
		}
		out[i] = raw
	}
	return out, nil
}
