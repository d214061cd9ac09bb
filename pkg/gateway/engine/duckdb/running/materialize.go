//go:build cgo

package running

import (
	"context"
	"fmt"
	"os"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/projects"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Store runs a statement and stores its rows. They are collected in a table of another name, which gets its own when it
// is complete, so that a slow source blocks no other statement. If other processes use the project, that table is in a
// stage.
func (p Statements) Store(ctx context.Context, schema, table string, x *engine.Statement) (int64, error) {
	if err := p.unstored(ctx, schema, table); err != nil {
		return 0, err
	}
	s, err := p.statement(ctx, x, !p.files.Opts.Shared)
	if err != nil {
		return 0, err
	}
	defer s.close()
	s.natively, s.rewrite = true, s.writeNamed
	if s.t, err = s.writeNamed(ctx, x); err != nil {
		return 0, err
	}
	if _, err := s.connect(ctx); err != nil {
		return 0, err
	}
	s.c.Spend()
	if p.files.Opts.Shared {
		return p.materializeStaged(ctx, s, schema, table)
	}
	build, err := s.c.NewBuild(ctx, schema)
	if err != nil {
		return 0, err
	}
	n, err := s.storeAs(ctx, naming.StoredTable(schema, build))
	if err != nil {
		return 0, s.explain(err)
	}
	if err = noteTypes(ctx, s.c, naming.StoredTable(schema, build), s.t.of.Columns); err == nil {
		err = p.files.InTurn(ctx, func() error {
			_, err := s.c.Exec(ctx, `ALTER TABLE `+naming.StoredTable(schema, build)+` RENAME TO `+sqltext.Quote(table))
			return err
		})
	}
	if err != nil {
		// ctx may have ended, and caused the failure
		_ = instance.RawExec(s.c.Raw, `DROP TABLE IF EXISTS `+naming.StoredTable(schema, build))
		return 0, err
	}
	return n, nil
}

// materializeStaged runs a translated statement concurrently with other processes, and excludes those that change the
// project only while its rows are copied from the stage.
func (p Statements) materializeStaged(ctx context.Context, s *statement, schema, table string) (int64, error) {
	if err := os.MkdirAll(p.files.Dir, 0o700); err != nil {
		return 0, err
	}
	st, err := p.files.NewStage()
	if err != nil {
		return 0, err
	}
	defer st.Done()
	detach, err := st.AttachTo(s.c, "")
	if err != nil {
		return 0, err
	}
	defer func() { detach() }()
	staged := sqltext.Quote(st.Name, "main", "rows")
	n, err := s.storeAs(ctx, staged)
	if err != nil {
		return 0, s.explain(err)
	}
	if err := st.Store(ctx, s.c, st.Name); err != nil {
		return 0, err
	}
	detach()
	detach = func() {}
	s.close()
	return n, p.files.Alone(ctx, []*projects.Stage{st}, func(c *instance.Conn) error {
		return faults.OfTables(c.Tx(ctx, func() error {
			if _, err := c.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+sqltext.Quote(naming.Store, schema)); err != nil {
				return err
			}
			if _, err := c.Exec(ctx, `CREATE TABLE `+naming.StoredTable(schema, table)+` AS SELECT * FROM `+
				staged); err != nil {
				return err
			}
			return noteTypes(ctx, c, naming.StoredTable(schema, table), s.t.of.Columns)
		}))
	})
}

// unstored refuses a name that has rows.
func (p Statements) unstored(ctx context.Context, schema, table string) error {
	c, err := p.files.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	has, err := c.HasStored(ctx, schema, table)
	if has && err == nil {
		err = fmt.Errorf("%s.%s: %w", schema, table, engine.ErrStored)
	}
	return err
}

// storeAs creates a table with the statement's rows and counts them.
func (s *statement) storeAs(ctx context.Context, name string) (n int64, err error) {
	store := func() error {
		n, err = s.storeOnce(ctx, name)
		return err
	}
	if err = s.retried(ctx, store); err != nil && s.retreat(ctx) {
		err = s.retried(ctx, store)
	}
	return n, err
}

func (s *statement) storeOnce(ctx context.Context, name string) (n int64, err error) {
	defer s.c.Rollback()
	stop := s.c.Watch(ctx)
	defer stop()
	n, err = s.execCount(ctx, `CREATE TABLE `+name+` AS `+s.t.text)
	stop()
	if err == nil {
		err = s.still()
	}
	if err == nil {
		done := s.c.Reserve()
		err = s.c.Commit(ctx)
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
		return 0, s.c.Fault(ctx, bindings.ResultErrorType(&res), bindings.ResultError(&res))
	}
	chunk := bindings.FetchChunk(res) // one row, the count
	defer bindings.DestroyDataChunk(&chunk)
	if chunk.Ptr != nil && bindings.DataChunkGetSize(chunk) == 1 {
		n = batch.At[int64](bindings.VectorGetData(bindings.DataChunkGetVector(chunk, 0)), 0)
	}
	return n, s.c.Refused()
}

// DropStored removes a table of Store; it is not an error if it does not exist.
func (p Statements) DropStored(ctx context.Context, schema, table string) error {
	c, err := p.files.Writer(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if has, err := c.HasStored(ctx, schema, table); err != nil || !has {
		return err
	}
	return p.files.InTurn(ctx, func() error {
		_, err := c.Exec(ctx, `DROP TABLE IF EXISTS `+naming.StoredTable(schema, table))
		return err
	})
}

// RowCount counts the rows of a stored table.
func (p Statements) RowCount(ctx context.Context, schema, table string) (int64, error) {
	c, err := p.files.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	has, err := c.HasStored(ctx, schema, table)
	if err != nil {
		return 0, err
	}
	if !has {
		return 0, engine.UnknownTable(engine.TableName{Catalog: engine.InternalCatalog, Schema: schema, Table: table})
	}
	return c.Count(ctx, naming.StoredTable(schema, table))
}
