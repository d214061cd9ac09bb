//go:build cgo

package projects

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
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Stage is a data file of its own in which rows are prepared, while other statements and processes use the file of the
// project. Only moving its rows into that file excludes them. Its directory is removed with the other temporary
// directories of a process that has ended.
type Stage struct {
	p    *Project
	path string
	Name string // of the file in an instance of the project
	Done func() // removes the directory
}

// stages numbers the stages of this process: two may be attached to one instance.
var stages atomic.Int64

// NewStage creates the directory. It fails with ErrDropped if that of the project does not exist.
func (p *Project) NewStage() (*Stage, error) {
	dir, done, err := tempfile.MkdirTempIn(p.Dir, instance.SpillName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, engine.ErrDropped
	}
	if err != nil {
		if faults.NoSpace(err.Error()) {
			err = faults.DiskFull(err)
		}
		return nil, err
	}
	return &Stage{p: p, path: filepath.Join(dir, sharing.DataFile), Name: fmt.Sprintf("~stage-%d", stages.Add(1)),
		Done: done}, nil
}

// Open opens the file in an instance that has nothing else, as its naming.Store. done closes it.
func (s *Stage) Open() (c *instance.Conn, done func(), err error) {
	p := s.p
	bare, err := p.Bare(p.Dir, filepath.Join(filepath.Dir(s.path), "tmp"))
	if err != nil {
		return nil, nil, err
	}
	in := &active{Instance: bare, conns: map[*instance.Conn]struct{}{}, refs: 1}
	defer func() {
		if err != nil {
			err = errors.Join(err, in.Close())
		}
	}()
	if err := in.With(func(c bindings.Connection) error {
		return errors.Join(p.Register(c, bare), instance.Setup(c, []string{`SET GLOBAL errors_as_json=true`,
			`SET GLOBAL TimeZone='UTC'`, `SET GLOBAL write_buffer_row_group_count=1`}))
	}); err != nil {
		return nil, nil, err
	}
	if err := in.Attach(s.path); err != nil {
		return nil, nil, faults.OfTables(err)
	}
	if c, err = in.Connect(); err != nil {
		return nil, nil, err
	}
	c.Alone = func(f func()) { f() }
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone != nil {
		c.Close()
		return nil, nil, p.gone
	}
	in.conns[c] = struct{}{}
	p.past[in] = struct{}{} // so that shut ends its work and waits for it
	return c, func() {
		c.Close()
		p.closePast(in)
	}, nil
}

// AttachTo attaches the file to the instance of a connection; how is "" or " (READ_ONLY)". detach may be called more
// than once.
func (s *Stage) AttachTo(c *instance.Conn, how string) (detach func(), err error) {
	if err := instance.RawExec(c.Raw, `ATTACH `+sqltext.Literal(s.path)+` AS `+sqltext.Quote(s.Name)+how); err != nil {
		return nil, faults.OfTables(err)
	}
	return func() {
		c.Rollback()
		_ = c.Instance.With(func(k bindings.Connection) error {
			return instance.RawExec(k, `DETACH DATABASE IF EXISTS `+sqltext.Quote(s.Name))
		})
	}, nil
}

// there fails if the project does not exist any more: its deletion by another process removes the directory.
func (s *Stage) there() error {
	_, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return engine.ErrDropped
	}
	return err
}

// Store writes the log of the stage into its file. name is the name of the stage's database on the connection.
func (s *Stage) Store(ctx context.Context, c *instance.Conn, name string) error {
	_, err := c.Exec(ctx, `CHECKPOINT `+sqltext.Quote(name))
	return faults.OfTables(err)
}
