//go:build cgo

package duckdb

import (
	"context"
	"os"
	"strconv"
	"sync"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// buildMark is the prefix of tables that are being filled. Those that exist when the first one is created were left by
// a process that died.
const buildMark = "~build-"

// builds generates the names of the tables that are being filled in an instance.
type builds struct {
	mu    sync.Mutex
	swept bool
	last  int
}

// Store runs a statement and stores its rows. They are collected in a table of another name, which replaces the old one
// when it is complete, so that a slow source blocks no other statement. If other processes use the project, that table
// is in a stage.
func (p *project) Store(ctx context.Context, schema, table string, x *engine.Statement) (int64, error) {
	s, err := p.statement(ctx, x, !p.opts.Shared)
	if err != nil {
		return 0, err
	}
	defer s.close()
	if s.t, err = s.writeNamed(ctx, x); err != nil {
		return 0, err
	}
	if _, err := s.connect(ctx); err != nil {
		return 0, err
	}
	if p.opts.Shared {
		return p.materializeStaged(ctx, s, schema, table)
	}
	build, err := p.newBuild(ctx, s.c, schema)
	if err != nil {
		return 0, err
	}
	n, err := s.storeAs(ctx, naming.StoredTable(schema, build))
	if err != nil {
		return 0, s.explain(err)
	}
	if err := s.c.noteTypes(ctx, naming.StoredTable(schema, build), s.t.of.Columns); err != nil {
		return 0, err
	}
	p.storing.Lock()
	defer p.storing.Unlock()
	err = s.c.tx(ctx, func() error {
		if _, err := s.c.exec(ctx, `DROP TABLE IF EXISTS `+naming.StoredTable(schema, table)); err != nil {
			return err
		}
		_, err := s.c.exec(ctx, `ALTER TABLE `+naming.StoredTable(schema, build)+` RENAME TO `+sqltext.Quote(table))
		return err
	})
	if err != nil {
		// ctx may have ended, and caused the failure
		_ = rawExec(s.c.c, `DROP TABLE IF EXISTS `+naming.StoredTable(schema, build))
		return 0, err
	}
	return n, nil
}

// materializeStaged runs a translated statement concurrently with other processes, and excludes those that change the
// project only while its rows replace the old ones.
func (p *project) materializeStaged(ctx context.Context, s *statement, schema, table string) (int64, error) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return 0, err
	}
	st, err := p.newStage()
	if err != nil {
		return 0, err
	}
	defer st.done()
	detach, err := st.attachTo(s.c, "")
	if err != nil {
		return 0, err
	}
	defer func() { detach() }()
	staged := sqltext.Quote(st.name, "main", "rows")
	n, err := s.storeAs(ctx, staged)
	if err != nil {
		return 0, s.explain(err)
	}
	if err := st.store(ctx, s.c, st.name); err != nil {
		return 0, err
	}
	detach()
	detach = func() {}
	s.close()
	return n, p.alone(ctx, []*stage{st}, func(c *conn) error {
		return tableError(c.tx(ctx, func() error {
			if _, err := c.exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+sqltext.Quote(naming.Store, schema)); err != nil {
				return err
			}
			if _, err := c.exec(ctx, `CREATE OR REPLACE TABLE `+naming.StoredTable(schema, table)+` AS SELECT * FROM `+
				staged); err != nil {
				return err
			}
			return c.noteTypes(ctx, naming.StoredTable(schema, table), s.t.of.Columns)
		}))
	})
}

// newBuild generates the name of a table to fill and creates its schema.
func (p *project) newBuild(ctx context.Context, c *conn, schema string) (string, error) {
	b := &c.in.builds
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.swept {
		if err := c.dropBuilds(ctx); err != nil {
			return "", err
		}
		b.swept = true
	}
	if _, err := c.exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+sqltext.Quote(naming.Store, schema)); err != nil {
		return "", err
	}
	b.last++
	return buildMark + strconv.Itoa(b.last), nil
}

// dropBuilds drops tables left by a process that died while filling them.
func (c *conn) dropBuilds(ctx context.Context) error {
	var left []string
	err := c.query(ctx,
		`SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ? AND starts_with(table_name, ?)`,
		[]any{naming.Store, buildMark},
		func(v []*string) error {
			left = append(left, naming.StoredTable(*v[0], *v[1]))
			return nil
		})
	for _, name := range left {
		if err == nil {
			_, err = c.exec(ctx, `DROP TABLE `+name)
		}
	}
	return err
}

// storeAs creates a table with the statement's rows and counts them.
func (s *statement) storeAs(ctx context.Context, name string) (n int64, err error) {
	err = s.retried(ctx, func() error {
		n, err = s.storeOnce(ctx, name)
		return err
	})
	return n, err
}

func (s *statement) storeOnce(ctx context.Context, name string) (n int64, err error) {
	defer s.c.rollback()
	stop := s.c.watch(ctx)
	defer stop()
	n, err = s.execCount(ctx, `CREATE TABLE `+name+` AS `+s.t.text)
	stop()
	if err == nil {
		done := s.c.reserve()
		err = s.c.commit(ctx)
		done()
	}
	return n, err
}

// execCount runs a text that stores rows, in a transaction, and returns their number.
func (s *statement) execCount(ctx context.Context, text string) (n int64, err error) {
	var ps bindings.PreparedStatement
	defer bindings.DestroyPrepare(&ps)
	if err := s.prepareInTx(ctx, text, &ps); err != nil {
		return 0, err
	}
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if bindings.ExecutePrepared(ps, &res) == bindings.StateError {
		return 0, s.c.fault(ctx, bindings.ResultErrorType(&res), bindings.ResultError(&res))
	}
	chunk := bindings.FetchChunk(res) // one row, the count
	defer bindings.DestroyDataChunk(&chunk)
	if chunk.Ptr != nil && bindings.DataChunkGetSize(chunk) == 1 {
		n = batch.At[int64](bindings.VectorGetData(bindings.DataChunkGetVector(chunk, 0)), 0)
	}
	return n, s.c.refused()
}
