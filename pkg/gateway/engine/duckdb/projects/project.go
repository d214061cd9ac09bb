//go:build cgo

package projects

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/process"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Project is one project's data. Its DuckDB instance exists while it is used and for some time after.
type Project struct {
	ID  string
	Dir string
	*Common

	turn  chan struct{} // of capacity 1: held while an instance is created or closed
	write chan struct{} // of capacity 1: held while the internal tables are changed

	mu    sync.Mutex
	inst  *active
	past  map[*active]struct{} // instances that were replaced while statements used them
	next  *opening             // of an instance that is being created
	freed chan struct{}        // closed and replaced each time a connection is returned
	gone  error                // why no statement is accepted: dropped, or the engine was closed
	idle  *time.Timer
	pack  *packing  // the running compaction
	later time.Time // the idle file is not rewritten again before this time
}

// active is the instance of a project, with its users.
type active struct {
	*instance.Instance
	took  time.Duration               // to open
	refs  int                         // guarded by Project.mu
	conns map[*instance.Conn]struct{} // guarded by Project.mu
}

// Common is what the projects of an engine have in common.
type Common struct {
	instance.Host
	unused unused
}

const (
	defaultMemory   = 1 << 30               // bytes for each project's instance
	defaultTemp     = 16 << 30              // bytes of temporary files of each
	defaultLockWait = 10 * time.Second      // for another process to release a project
	defaultIdle     = 30 * time.Second      // after which an unused instance is closed
	sharedIdle      = 40 * time.Millisecond // so that the next statement of a command need not open it again
	// the same after a command that changes it, because others wait for the lock
)

// New creates the directory of an engine (mode 0700). register adds functions to each instance.
func New(o engine.Options, register func(bindings.Connection, *instance.Instance) error) (*Common, error) {
	if o.Dir == "" {
		return nil, errors.New("an engine needs a directory")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	o.Dir = dir
	if !o.ReadOnly {
		if err := os.MkdirAll(o.Dir, 0o700); errors.Is(err, syscall.ENOTDIR) {
			return nil, faults.NoFolder(o.Dir)
		} else if err != nil {
			return nil, err
		}
	}
	if o.MemoryLimit <= 0 {
		o.MemoryLimit = defaultMemory
	}
	if o.TempLimit <= 0 {
		o.TempLimit = defaultTemp
	}
	if o.LockWait <= 0 {
		o.LockWait = defaultLockWait
	}
	if o.IdleClose == 0 {
		if o.IdleClose = defaultIdle; o.Shared {
			o.IdleClose = sharedIdle
		}
	}
	o.Shared = o.Shared && !o.ReadOnly
	if o.AbortCode != 0 {
		process.OnAbort(o.AbortCode)
	}
	return &Common{Host: instance.Host{Opts: &o, Memory: process.NewWatch(&o), Register: register}}, nil
}

func NewProject(id, dir string, all *Common) *Project {
	return &Project{ID: id, Dir: dir, Common: all, freed: make(chan struct{}), past: map[*active]struct{}{},
		turn: make(chan struct{}, 1), write: make(chan struct{}, 1)}
}

var (
	errGone   = errors.New("the project is closed")
	errClosed = &engine.Error{Kind: engine.KindInternal,
		Message: "the statement was ended, because the engine had to open the project again"}
)

func (p *Project) Drop(ctx context.Context) error {
	if err := p.shut(engine.ErrDropped); err != nil {
		p.mu.Lock()
		// a statement did not end: the project continues to work
		if errors.Is(p.gone, engine.ErrDropped) && p.inst != nil {
			p.gone = nil
		}
		p.mu.Unlock()
		return err
	}
	if _, err := os.Stat(p.Dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	l, err := sharing.Take(ctx, p.Dir, p.Opts)
	if err != nil {
		return err
	}
	// The data is removed first, the lock file last, so that no process opens half a project.
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		_ = l.Close()
		return err
	}
	for _, e := range entries {
		if e.Name() != "lock" {
			if err := os.RemoveAll(filepath.Join(p.Dir, e.Name())); err != nil {
				_ = l.Close()
				return err
			}
		}
	}
	if err := l.Close(); err != nil {
		return err
	}
	return os.RemoveAll(p.Dir)
}

// Conn opens a connection for statements that read; close it. Names without catalog are looked up in "peaka"."table";
// Trino's functions shadow DuckDB's only on connections made by Query.
func (p *Project) Conn(ctx context.Context) (*instance.Conn, error) { return p.ConnFor(ctx, Reading) }

// Writer opens a connection for statements that change the stored tables.
func (p *Project) Writer(ctx context.Context) (*instance.Conn, error) { return p.ConnFor(ctx, Writing) }

// Use is what a connection is used for.
type Use int

// The uses. A statement without stored tables does not wait for them, nor for what opening them takes.
const (
	Computing Use = iota // reads no stored table
	Reading
	Writing
)

func (p *Project) ConnFor(ctx context.Context, use Use) (*instance.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, engine.Ended(ctx, nil)
	}
	in, err := p.acquire(ctx, use)
	if err != nil {
		return nil, err
	}
	c, err := in.Connect()
	if err != nil {
		p.release(in, nil)
		return nil, err
	}
	if use == Writing {
		c.Changes()
	}
	c.Done = func() { p.release(in, c) }
	c.Alone = func(f func()) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if in.refs <= 1 {
			f()
		}
	}
	p.mu.Lock()
	in.conns[c] = struct{}{}
	p.mu.Unlock()
	return c, nil
}

// Alone calls fn as the only writer, with stages attached for reading.
func (p *Project) Alone(ctx context.Context, from []*Stage, fn func(c *instance.Conn) error) error {
	for _, s := range from {
		if err := s.there(); err != nil {
			return err
		}
	}
	c, err := p.Writer(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	done, err := p.startWrite(ctx)
	if err != nil {
		return err
	}
	defer done()
	defer p.Memory.Enter(ctx, &c.Client, "")()
	for _, s := range from {
		detach, err := s.AttachTo(c, ` (READ_ONLY)`)
		if err != nil {
			return err
		}
		defer detach()
	}
	return fn(c)
}

// Apart reports whether no other process has the data open.
func (p *Project) Apart() bool {
	others, err := sharing.Users(p.Dir)
	return err == nil && len(others) == 0
}

// InTurn calls fn while no other writer runs; fn has a connection of Writer.
func (p *Project) InTurn(ctx context.Context, fn func() error) error {
	done, err := p.startWrite(ctx)
	if err != nil {
		return err
	}
	defer done()
	return fn()
}

// startWrite waits until there is no other writer; done ends the write.
func (p *Project) startWrite(ctx context.Context) (done func(), err error) {
	select {
	case p.write <- struct{}{}:
		return func() { <-p.write }, nil
	case <-ctx.Done():
		return nil, engine.Ended(ctx, nil)
	}
}

// Known fails if the project takes no statements any more.
func (p *Project) Known() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone
}
