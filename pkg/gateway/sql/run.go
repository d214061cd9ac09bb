package sql

import (
	"context"
	"errors"
	"fmt"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/wire"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// tries is how often a statement is read and run for tables that change in between.
const tries = 4

// Run reads one SELECT and starts it. The result must be closed. Errors of the statement itself are *engine.Error.
func Run(ctx context.Context, p engine.Project, q Query) (*wire.Result, error) {
	ctx, cancel := deadline(ctx, q)
	begun := false
	defer func() {
		if !begun { // an error, or a panic of a source
			cancel()
		}
	}()
	var res *wire.Result
	err := retried(ctx, p, q, true, func(x *engine.Statement, guessed []engine.Guesser) error {
		rows, err := p.Run(ctx, x)
		if len(guessed) > 0 {
			rows, err = settled(ctx, x, guessed, rows, err)
		}
		if err == nil {
			res = wire.NewResult(running{rows, cancel}, x.Origins)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	begun = true
	return res, nil
}

// running are rows whose time limit ends with them.
type running struct {
	engine.Rows
	cancel context.CancelFunc
}

// Unwrap implements engine.Wrapper.
func (r running) Unwrap() engine.Rows { return r.Rows }

// Close ends the statement.
func (r running) Close() error {
	err := r.Rows.Close()
	r.cancel()
	return err
}

// Check returns the error with which Run would reject a SELECT before it plans it.
func Check(ctx context.Context, p engine.Project, q Query) error {
	ctx, cancel := deadline(ctx, q)
	defer cancel()
	x, err := Read(ctx, p, q)
	if err != nil {
		return err
	}
	return p.Check(ctx, x)
}

// Describe returns the columns of a SELECT that Run would start, without planning it. If it is all of a saved query,
// origins are those of its columns, else nil.
func Describe(ctx context.Context, p engine.Project, q Query) (columns []analyze.Column,
	origins []engine.ColumnOrigin, err error) {
	ctx, cancel := deadline(ctx, q)
	defer cancel()
	err = retried(ctx, p, q, false, func(x *engine.Statement, _ []engine.Guesser) error {
		columns, origins = x.Columns, nil
		_, all := q.Ask.(Rows)
		for _, r := range x.Relations {
			if all && r.View != nil && r.View.Query != nil {
				origins = originsIn(r.View.Query, r.View.Analysis, r.Text)
			}
		}
		return p.Check(ctx, x)
	})
	return columns, origins, err
}

// Store runs a SELECT and stores its rows, see engine.Project.
func Store(ctx context.Context, p engine.Project, schema, table string, q Query) (n int64, err error) {
	ctx, cancel := deadline(ctx, q)
	defer cancel()
	err = retried(ctx, p, q, false, func(x *engine.Statement, _ []engine.Guesser) (err error) {
		n, err = p.Store(ctx, schema, table, x)
		return err
	})
	return n, err
}

// retried reads a statement and has it run, again if a table has changed in between. With guesses it does so first with
// columns of sources that may be guessed.
func retried(ctx context.Context, p engine.Project, q Query, guesses bool,
	run func(*engine.Statement, []engine.Guesser) error) error {
	q, err := asked(q)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		s := newSession(q, p)
		s.guesses = guesses
		x, err := s.read(ctx, q.SQL)
		switch {
		case err == nil:
			err = run(x, s.guessed)
		case len(s.guessed) > 0 && ctx.Err() == nil: // with certain columns it may be another error, or none
			err = errors.Join(engine.ErrOutdated, err)
		}
		if err == nil || !errors.Is(err, engine.ErrOutdated) || try == tries {
			return err
		}
		guesses = false
	}
}

// Read parses and analyses a SELECT and resolves its names.
func Read(ctx context.Context, p engine.Project, q Query) (*engine.Statement, error) {
	q, err := asked(q)
	if err != nil {
		return nil, err
	}
	return newSession(q, p).read(ctx, q.SQL)
}

// deadline applies the time limit of a statement.
func deadline(ctx context.Context, q Query) (context.Context, context.CancelFunc) {
	if q.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, q.Timeout, &engine.Error{
		Kind:    engine.KindTimeout,
		Message: fmt.Sprintf("Query exceeded the maximum run time limit of %.2fs", q.Timeout.Seconds()),
		Err:     context.DeadlineExceeded,
	})
}
