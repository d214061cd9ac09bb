//go:build cgo

package duckdb

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// look fails if the data file of a project is lost. recorded reports whether the project has one: without it the file may be missing, or
// unfinished because its creation was interrupted.
func look(ctx context.Context, dir string, o *engine.Options) (recorded bool, err error) {
	if o.Record == nil {
		return true, nil
	}
	if recorded, err = o.Record.HasData(ctx, filepath.Base(dir)); err != nil || !recorded {
		return recorded, err
	}
	path := filepath.Join(dir, sharing.DataFile)
	switch st, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return true, faults.Lost(path)
	case err != nil:
		return true, err
	case st.Size() == 0:
		return true, faults.Empty(path)
	}
	return true, whole(path)
}

// removeUnfinished removes a data file whose creation was interrupted, so that no rows can be in it. The caller holds the project's lock.
func removeUnfinished(dir string) error {
	path := filepath.Join(dir, sharing.DataFile)
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && st.Size() >= headers {
		return nil
	}
	return errors.Join(err, removeAll(dir, sharing.DataFile, sharing.DataFile+".wal"))
}

// whole fails if a data file is shorter than its headers say. DuckDB would notice that only when it reads what is missing. Another process
// may be writing to the file: it grows before a header is written, and shrinks after one, so the length belongs to the headers that
// are the same before and after it was looked up.
func whole(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	before, after := make([]byte, headers), make([]byte, headers)
	if _, err := f.ReadAt(before, 0); err != nil {
		return faults.Short(path)
	}
	for {
		st, err := f.Stat()
		if err != nil {
			return err
		}
		if st.Size() >= declared(before) {
			return nil
		}
		if _, err := f.ReadAt(after, 0); err != nil || bytes.Equal(before, after) {
			return faults.Short(path)
		}
		before, after = after, before
	}
}

// declared is the length of a data file with these headers, 0 if they are damaged: DuckDB checks their sums when it opens the file.
func declared(raw []byte) int64 {
	var iteration, blocks, size uint64
	for _, at := range []int{headers / 3, 2 * headers / 3} { // each: a checksum and five numbers
		field := func(i int) uint64 { return binary.LittleEndian.Uint64(raw[at+8*i:]) }
		if field(1) >= iteration {
			iteration, blocks, size = field(1), field(4), field(5)
		}
	}
	if size >= 1<<30 || blocks >= 1<<30 {
		return 0
	}
	return int64(headers + blocks*size)
}

// present reports whether the file that was opened to be changed still has its name: what is written to one that was removed is lost.
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
		_, err = look(ctx, p.dir, &d.opts)
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
	if _, err := look(ctx, p.dir, &d.opts); err != nil {
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
	err = c.query(ctx, `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ?`, []any{naming.Store}, func(v []*string) error {
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

// openChecked opens a project for reading. While another process changes it, a copy is opened, or with !wait errBusy returned.
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
