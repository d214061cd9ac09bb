//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// look fails if the data file of a project is lost. recorded reports whether the project has one: without it the file
// may be missing, or unfinished because its creation was interrupted.
func look(ctx context.Context, dir string, o *engine.Options) (recorded bool, err error) {
	if o.Record == nil {
		return true, nil
	}
	if recorded, err = o.Record.HasData(ctx, filepath.Base(dir)); err != nil || !recorded {
		return recorded, err
	}
	path := filepath.Join(dir, sharing.DataFile)
	switch st, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return true, faults.Lost(path)
	case err != nil:
		return true, err
	case !st.Mode().IsRegular():
		return true, faults.NoFile(path)
	case st.Size() == 0:
		return true, faults.Empty(path)
	case st.Size() < headers:
		return true, faults.Short(path)
	}
	return true, nil
}

// removeUnfinished removes a data file whose creation was interrupted, so that no rows can be in it. The caller holds
// the project's lock.
func removeUnfinished(dir string) error {
	path := filepath.Join(dir, sharing.DataFile)
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && st.Size() >= headers {
		return nil
	}
	return errors.Join(err, removeAll(dir, sharing.DataFile, sharing.DataFile+".wal"))
}

// complete fails if a data file that has been attached is shorter than its blocks that are in use. DuckDB would notice
// that only when it reads what is missing. The number of all blocks in the headers is no measure: DuckDB cuts off
// unused ones after it has written it.
func complete(c bindings.Connection, path string) error {
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	used := `SELECT used_blocks::BIGINT * block_size::BIGINT FROM pragma_database_size() WHERE database_name = ` +
		sqltext.Literal(naming.Store)
	if bindings.Query(c, used, &res) == bindings.StateError {
		return faults.Parse(bindings.ResultError(&res), false)
	}
	chunk := bindings.FetchChunk(res)
	defer bindings.DestroyDataChunk(&chunk)
	if chunk.Ptr == nil || bindings.DataChunkGetSize(chunk) != 1 {
		return engine.Internal("the engine does not tell the size of a data file")
	}
	need := headers + batch.At[int64](bindings.VectorGetData(bindings.DataChunkGetVector(chunk, 0)), 0)
	if st, err := os.Stat(path); err != nil || st.Size() < need {
		return errors.Join(err, faults.Short(path))
	}
	return nil
}

// present reports whether the file that was opened to be changed still has its name: what is written to one that was
// removed is lost.
func (in *instance) present(dir string) bool {
	if in.opened == nil {
		return true
	}
	st, err := os.Stat(filepath.Join(dir, sharing.DataFile))
	return err == nil && os.SameFile(st, in.opened)
}

// Look implements engine.Checker.
func (d *duck) Look(ctx context.Context, id string) error {
	p, err := d.lookup(id)
	if err == nil {
		_, err = look(ctx, p.dir, d.opts)
	}
	return err
}

// Users implements engine.Checker.
func (d *duck) Users(id string) ([]engine.User, error) {
	p, err := d.lookup(id)
	if err != nil {
		return nil, err
	}
	return sharing.Users(p.dir)
}

// Check implements engine.Checker. A log that a killed process has left is read, but not written into the file.
func (d *duck) Check(ctx context.Context, id string, rows bool) error {
	p, err := d.lookup(id)
	if err != nil {
		return err
	}
	if _, err := look(ctx, p.dir, d.opts); err != nil {
		return err
	}
	if there, err := exists(filepath.Join(p.dir, sharing.DataFile)); err != nil || !there {
		return err
	}
	in, err := openChecked(ctx, p, rows)
	if errors.Is(err, errBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.close()
	if !rows {
		return nil
	}
	c := &conn{p: p, in: in}
	if bindings.Connect(in.db, &c.c) == bindings.StateError {
		return errors.New("the engine rejected a connection")
	}
	defer bindings.Disconnect(&c.c)
	var tables []string
	err = c.query(ctx, `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ?`,
		[]any{naming.Store}, func(v []*string) error {
			tables = append(tables, sqltext.Quote(naming.Store, *v[0], *v[1]))
			return nil
		})
	for _, t := range tables {
		if err == nil {
			_, err = c.fingerprint(ctx, t)
		}
	}
	return err
}

// openChecked opens a project for reading. While another process changes it, a copy is opened, or with !wait errBusy
// returned.
func openChecked(ctx context.Context, p *project, wait bool) (_ *instance, err error) {
	in := &instance{conns: map[*conn]struct{}{}, memory: p.memory, readOnly: true, shared: true}
	p.memory.instances.Add(1)
	defer func() {
		if err != nil {
			err = errors.Join(err, in.close())
		}
	}()
	if in.tempDir, in.tempDone, err = spillDir(p.dir); err != nil {
		return nil, err
	}
	if err := in.prepare(p.opts); err != nil {
		return nil, err
	}
	if wait {
		err = in.find(ctx, p.dir, p.opts, true)
	} else {
		err = in.readFile(p.dir, true)
	}
	if err != nil {
		return nil, err
	}
	return in, in.harden(p.dir, p.opts)
}

// removeAll removes files and directories in a directory.
func removeAll(dir string, names ...string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, os.RemoveAll(filepath.Join(dir, name)))
	}
	return errors.Join(errs...)
}

func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return true, err
}
