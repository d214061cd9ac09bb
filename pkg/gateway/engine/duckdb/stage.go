//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// stage is a data file of its own in which rows are prepared, while other statements and processes use the file of the
// project. Only moving its rows into that file excludes them. Its directory is removed with the other temporary
// directories of a process that has ended.
type stage struct {
	p    *project
	path string
	name string // of the file in an instance of the project
	done func() // removes the directory
}

// stages numbers the stages of this process: two may be attached to one instance.
var stages atomic.Int64

// newStage creates the directory. It fails with ErrDropped if that of the project does not exist.
func (p *project) newStage() (*stage, error) {
	dir, done, err := tempfile.MkdirTempIn(p.dir, spillName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, engine.ErrDropped
	}
	if err != nil {
		if faults.NoSpace(err.Error()) {
			err = faults.DiskFull(err)
		}
		return nil, err
	}
	return &stage{p: p, path: filepath.Join(dir, sharing.DataFile), name: fmt.Sprintf("~stage-%d", stages.Add(1)),
		done: done}, nil
}

// open opens the file in an instance that has nothing else, as its naming.Store. done closes it.
func (s *stage) open() (c *conn, done func(), err error) {
	p := s.p
	in := &instance{conns: map[*conn]struct{}{}, memory: p.memory, tempDir: filepath.Join(filepath.Dir(s.path), "tmp"),
		refs: 1}
	in.memory.instances.Add(1)
	defer func() {
		if err != nil {
			err = errors.Join(err, in.close())
		}
	}()
	if err := in.start(p.opts); err != nil {
		return nil, nil, err
	}
	if err := in.with(func(c bindings.Connection) error {
		return setup(c, []string{`SET GLOBAL errors_as_json=true`, `SET GLOBAL TimeZone='UTC'`,
			`SET GLOBAL write_buffer_row_group_count=1`})
	}); err != nil {
		return nil, nil, err
	}
	if err := in.attach(s.path); err != nil {
		return nil, nil, tableError(err)
	}
	c = &conn{p: p, in: in}
	if bindings.Connect(in.db, &c.c) == bindings.StateError {
		return nil, nil, errors.New("the engine rejected a connection")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone != nil {
		bindings.Disconnect(&c.c)
		return nil, nil, p.gone
	}
	in.conns[c] = struct{}{}
	p.past[in] = struct{}{} // so that shut ends its work and waits for it
	return c, func() {
		bindings.Disconnect(&c.c)
		p.closePast(in)
	}, nil
}

// attachTo attaches the file to the instance of a connection; how is "" or " (READ_ONLY)". detach may be called more
// than once.
func (s *stage) attachTo(c *conn, how string) (detach func(), err error) {
	if err := rawExec(c.c, `ATTACH `+sqltext.Literal(s.path)+` AS `+sqltext.Quote(s.name)+how); err != nil {
		return nil, tableError(err)
	}
	return func() {
		c.rollback()
		_ = c.in.with(func(k bindings.Connection) error {
			return rawExec(k, `DETACH DATABASE IF EXISTS `+sqltext.Quote(s.name))
		})
	}, nil
}

// there fails if the project does not exist any more: its deletion by another process removes the directory.
func (s *stage) there() error {
	_, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return engine.ErrDropped
	}
	return err
}

// store writes the log of the stage into its file. name is the name of the stage's database on the connection.
func (s *stage) store(ctx context.Context, c *conn, name string) error {
	_, err := c.exec(ctx, `CHECKPOINT `+sqltext.Quote(name))
	return tableError(err)
}
