//go:build cgo

// Package duckdb implements the engine contract on embedded DuckDB.
//
// Layout of one project's instance:
//
//	<Dir>/<projectId>/data.duckdb   attached as "~data": the stored tables, in schemas table, bitable, mtquery, ...
//	<Dir>/<projectId>/compacting    a copy of that file that will replace it
//	<Dir>/<projectId>/lock          held while this process has the file open to change it
//	<Dir>/<projectId>/readers.N     shared by the processes that read the file
//	<Dir>/<projectId>/snapshots     copies of the file, for processes that read while another one changes it
//	peaka, sample, <catalogs>       in-memory databases under the names users write; they hold only views, created when
//	                                a statement names them
//	memory.main                     macros that compute Trino's results where DuckDB's differ
//
// Users cannot refer to names that start with "~": the guard accepts only names that the gateway knows.
package duckdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/late"
)

const (
	defaultMemory   = 1 << 30               // bytes for each project's instance
	defaultTemp     = 16 << 30              // bytes of temporary files of each
	defaultLockWait = 10 * time.Second      // for another process to release a project
	defaultIdle     = 30 * time.Second      // after which an unused instance is closed
	sharedIdle      = 40 * time.Millisecond // so that the next statement of a command need not open it again
	// the same after a command that changes it, because others wait for the lock
	changedIdle = 5 * time.Millisecond
)

// projectID matches ids that are valid names of directories.
var projectID = late.Regexp(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// duck is the engine: the registry of the open projects of one directory.
type duck struct {
	mu       sync.Mutex
	projects map[string]*project
	closed   bool

	common
}

// common is what the projects of an engine have in common.
type common struct {
	opts    *engine.Options
	memory  *memoryWatch
	samples sync.Map // tables of the built-in catalog by name: *kept
	unused  unused
}

var _ engine.Engine = (*duck)(nil)

// Available reports whether the build has an engine.
const Available = true

// Open creates the directory of an engine (mode 0700) and returns the engine. No data file is opened before it is
// needed.
func Open(o engine.Options) (engine.Engine, error) {
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
		onAbort(o.AbortCode)
	}
	return &duck{common: common{opts: &o, memory: newMemoryWatch(&o)}, projects: map[string]*project{}}, nil
}

func (d *duck) lookup(id string) (*project, error) {
	if !projectID().MatchString(id) {
		return nil, fmt.Errorf("%q is not a project id", id)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errors.New("the engine is closed")
	}
	p := d.projects[id]
	if p == nil {
		p = newProject(id, filepath.Join(d.opts.Dir, id), &d.common)
		d.projects[id] = p
	}
	return p, nil
}

// Project returns a project. Its data are opened, and created, by the first statement that needs them.
func (d *duck) Project(_ context.Context, id string) (engine.Project, error) {
	p, err := d.lookup(id)
	if err != nil {
		return nil, err
	}
	return p, p.known()
}

// known fails if the project takes no statements any more.
func (p *project) known() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone
}

// DropProject ends the running statements of a project and removes its directory. Dropping a project that does not
// exist is not an error. A dropped project stays known, so that a request that still has its id cannot create its
// directory again.
func (d *duck) DropProject(ctx context.Context, id string) error {
	p, err := d.lookup(id)
	if err != nil {
		return err
	}
	if err = p.drop(ctx); err == nil {
		return nil
	}
	p.mu.Lock()
	open := p.gone == nil // a second project of this id could not open its files
	p.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	if !open && d.projects[id] == p {
		delete(d.projects, id)
	}
	return err
}

// Close ends all running statements, writes checkpoints and releases every file.
func (d *duck) Close() error {
	d.mu.Lock()
	d.closed = true
	all := d.projects
	d.projects = map[string]*project{}
	d.mu.Unlock()
	var errs []error
	for _, p := range all {
		errs = append(errs, p.shut(errGone))
	}
	return errors.Join(errs...)
}
