package names

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"strings"

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

// sharedDepth counts the projects of one statement. The engines of these projects call each other through
// engine.Scanner, which passes on nothing but a context.
type sharedDepth struct{}

// maxShared is the maximum number of projects that a query may lead through: two that share with each other could be
// circular.
const maxShared = 8

func (s sharedScan) query(ctx context.Context, rows engine.Rows) (engine.Result, error) {
	depth, _ := ctx.Value(sharedDepth{}).(int)
	if depth >= maxShared {
		return nil, fault.Unknown(engine.KindCycle, "Table '%s' leads through more than %d shared catalogs", s.name, maxShared)
	}
	ctx = engine.WholeOnly(context.WithValue(ctx, sharedDepth{}, depth+1)) // missing parts of the other project are not reported here
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
	ctx, cancel := context.WithCancel(ctx)
	res, err := s.query(ctx, engine.Rows{Columns: append([]string{}, req.Columns...)})
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
	b := &sharedBatches{batches: make(chan [][]any, 1), cancel: cancel, done: make(chan struct{})}
	safely.Go(func() { b.run(ctx, res, binary) })
	return b, nil
}

// sharedBatches returns the rows of a running statement in batches.
type sharedBatches struct {
	batches chan [][]any
	cancel  context.CancelFunc
	done    chan struct{}
	err     error // read after batches is closed
}

func (b *sharedBatches) run(ctx context.Context, res engine.Result, binary []bool) {
	defer close(b.done)
	defer close(b.batches)
	defer res.Close()
	const size = 2048
	var batch [][]any
	send := func() error {
		select {
		case b.batches <- batch:
			batch = nil
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	b.err = errors.New("reading was aborted") // also after a panic
	_, b.err = res.Rows(ctx, func(row [][]byte) error {
		out := make([]any, len(binary))
		for i := range out {
			if row[i] == nil {
				continue
			}
			if !binary[i] {
				out[i] = string(row[i]) // the engine parses the text of any type
				continue
			}
			raw, err := hex.DecodeString(strings.NewReplacer(" ", "", "\n", "").Replace(string(row[i])))
			if err != nil {
				return err
			}
			out[i] = raw
		}
		if batch = append(batch, out); len(batch) == size {
			return send()
		}
		return nil
	})
	if b.err == nil && len(batch) > 0 {
		b.err = send()
	}
}

// Next implements engine.Batches.
func (b *sharedBatches) Next(ctx context.Context) ([][]any, error) {
	select {
	case batch, ok := <-b.batches:
		if ok {
			return batch, nil
		}
		if b.err != nil {
			return nil, b.err
		}
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends the statement and waits for it.
func (b *sharedBatches) Close() error {
	b.cancel()
	for range b.batches { // release the writer
	}
	<-b.done
	return nil
}
