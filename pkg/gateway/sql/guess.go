package sql

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// settled are the rows of a statement, or its error, when the guessed columns of its sources are certain. Where all of
// their rows were read for the first row of the result, that is known; else they are read. The error wraps
// engine.ErrOutdated if the columns are others.
func settled(ctx context.Context, x *engine.Statement, guessed []engine.Guesser, rows engine.Rows,
	err error) (engine.Rows, error) {
	begun := &begunRows{Rows: rows}
	if err == nil {
		begun.first, begun.err = rows.Next(ctx)
		if !errors.Is(begun.err, io.EOF) {
			err = begun.err
		}
	}
	columns := mentioned(x)
	for _, g := range guessed {
		if end := engine.Ended(ctx, nil); end != nil {
			err = end
			break
		}
		if wrong := g.Settle(ctx, columns); wrong != nil { // the next try reports what else it says
			err = errors.Join(engine.ErrOutdated, wrong)
			break
		}
	}
	if err == nil {
		return begun, nil
	}
	if rows != nil {
		err = errors.Join(err, rows.Close())
	}
	return nil, err
}

// begunRows are rows of which the first batch, or the end, was already read.
type begunRows struct {
	engine.Rows
	first *batch.Batch
	err   error
}

// Unwrap implements engine.Wrapper.
func (r *begunRows) Unwrap() engine.Rows { return r.Rows }

// Next implements engine.Rows.
func (r *begunRows) Next(ctx context.Context) (*batch.Batch, error) {
	first, err := r.first, r.err
	if r.first = nil; first != nil || err != nil {
		return first, err
	}
	return r.Rows.Next(ctx)
}

// mentioned are the names in a statement, and in the saved queries in it, among them those of all columns whose types
// it depends on; nil if it may depend on columns that it does not name.
func mentioned(x *engine.Statement) []string {
	names, all := []string{}, false
	trinosql.Inspect(x.Query, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.Ident:
			names = append(names, n.Lower())
		case *trinosql.Aliased:
			all = all || len(n.Columns) > 0
		case *trinosql.Join:
			all = all || n.Natural
		case *trinosql.Func:
			all = all || n.Label != nil
		case *trinosql.SelectStar, *trinosql.TableBody, *trinosql.MatchRecognize, *trinosql.TableFunc,
			*trinosql.TableArg:
			all = true
		}
		return !all
	})
	for _, r := range x.Relations {
		if r.View == nil || all {
			continue
		}
		below := mentioned(r.View)
		names, all = append(names, below...), below == nil
	}
	if all {
		return nil
	}
	slices.Sort(names)
	return slices.Compact(names)
}
