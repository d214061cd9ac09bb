//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/gofrs/flock"
)

// spoolDir holds documents that are being received.
const spoolDir = "incoming"

// storeDB is the alias under which the project's own file is attached. Users cannot name it.
const storeDB = "~data"

// project is one project's data. Its DuckDB instance exists while it is used and a while after.
type project struct {
	id   string
	dir  string
	opts *engine.Options

	functions functions
	templates sync.Map      // text of a template: its tree
	open      sync.Mutex    // held while an instance is made or closed
	storing   sync.Mutex    // held while a stored result takes the place of the one before
	write     chan struct{} // has one place: taken by whoever changes the internal tables

	mu    sync.Mutex
	inst  *instance
	freed chan struct{} // closed and replaced each time a connection is given back
	gone  error         // why nothing runs any more: dropped, or the engine was closed
	idle  *time.Timer
}

// instance is one DuckDB instance with the project's file attached.
type instance struct {
	db      bindings.Database
	lock    *flock.Flock
	tempDir string

	refs   int                // guarded by project.mu
	conns  map[*conn]struct{} // guarded by project.mu
	broken bool               // guarded by project.mu; a fatal error: DuckDB refuses everything until it is opened again

	names  nameSpace
	builds builds
	scans  sync.Map // connection id (uint64): *scanSet of the statement it runs
	notes  sync.Map // connection id (uint64): *notes of the statement that is being planned
}

func newProject(id, dir string, o *engine.Options) *project {
	allowed, refused := functionSets()
	return &project{id: id, dir: dir, opts: o, freed: make(chan struct{}), write: make(chan struct{}, 1), functions: functions{allowed, refused}}
}

var errGone = errors.New("the project is closed")

// acquire returns the instance with one more reference, opening it when there is none.
func (p *project) acquire(ctx context.Context) (*instance, error) {
	for {
		p.mu.Lock()
		if gone := p.gone; gone != nil {
			p.mu.Unlock()
			return nil, gone
		}
		if in := p.inst; in != nil && !in.broken {
			in.refs++
			p.mu.Unlock()
			return in, nil
		}
		p.mu.Unlock()
		if err := p.reopen(ctx); err != nil {
			return nil, err
		}
	}
}

// reopen makes an instance where there is none, and replaces a broken one after its last connection was given back: two
// instances of one process must never have the same file attached.
func (p *project) reopen(ctx context.Context) error {
	p.open.Lock()
	defer p.open.Unlock()
	for {
		p.mu.Lock()
		in, gone, freed := p.inst, p.gone, p.freed
		switch {
		case gone != nil:
			p.mu.Unlock()
			return gone
		case in != nil && !in.broken:
			p.mu.Unlock()
			return nil
		case in != nil && in.refs > 0:
			p.mu.Unlock()
			select {
			case <-freed:
			case <-ctx.Done():
				return ctxError(ctx, nil)
			}
			continue
		}
		p.inst = nil
		p.mu.Unlock()
		if in != nil {
			_ = in.close()
		}
		break
	}
	fresh, err := openInstance(ctx, p.dir, p.opts)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inst = fresh
	return nil
}

// release gives a reference back and, after the last one, starts the clock that closes the instance.
func (p *project) release(in *instance, c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	in.refs--
	delete(in.conns, c)
	close(p.freed)
	p.freed = make(chan struct{})
	if in.refs > 0 || p.opts.IdleClose < 0 || p.gone != nil {
		return
	}
	if p.idle == nil {
		p.idle = time.AfterFunc(p.opts.IdleClose, p.closeIdle)
	} else {
		p.idle.Reset(p.opts.IdleClose)
	}
}

func (p *project) closeIdle() {
	p.open.Lock()
	defer p.open.Unlock()
	p.mu.Lock()
	in := p.inst
	if in == nil || in.refs > 0 || p.gone != nil {
		p.mu.Unlock()
		return
	}
	p.inst = nil
	p.mu.Unlock()
	_ = in.close()
}

// shut ends the running statements, waits for them and closes the instance for good. They, and whoever comes later, are told why.
func (p *project) shut(why error) error {
	p.mu.Lock()
	p.gone = why
	if p.idle != nil {
		p.idle.Stop()
	}
	p.mu.Unlock()
	p.open.Lock()
	defer p.open.Unlock()
	patience := time.After(10 * time.Second)
	for {
		p.mu.Lock()
		in, freed := p.inst, p.freed
		if in == nil {
			p.mu.Unlock()
			return nil
		}
		if in.refs == 0 {
			p.inst = nil
			p.mu.Unlock()
			return in.close()
		}
		for c := range in.conns {
			c.kill(why)
		}
		p.mu.Unlock()
		select {
		case <-freed:
		case <-time.After(10 * time.Millisecond): // interrupt again: a statement may have started since
		case <-patience:
			// Acknowledged rows are safe in the log; the lock goes with the process.
			return fmt.Errorf("project %s: a statement does not end", p.id)
		}
	}
}

func (p *project) drop(ctx context.Context) error {
	if err := p.shut(engine.ErrDropped); err != nil {
		return err
	}
	if _, err := os.Stat(p.dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	l, err := takeLock(ctx, p.dir, p.opts.LockWait)
	if err != nil {
		return err
	}
	// The data goes first, the lock file last, so that nobody opens half a project.
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		_ = l.Close()
		return err
	}
	for _, e := range entries {
		if e.Name() != "lock" {
			if err := os.RemoveAll(filepath.Join(p.dir, e.Name())); err != nil {
				_ = l.Close()
				return err
			}
		}
	}
	if err := l.Close(); err != nil {
		return err
	}
	return os.RemoveAll(p.dir)
}

func openInstance(ctx context.Context, dir string, o *engine.Options) (_ *instance, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	l, err := takeLock(ctx, dir, o.LockWait)
	if err != nil {
		return nil, err
	}
	in := &instance{lock: l, conns: map[*conn]struct{}{}, tempDir: filepath.Join(dir, "tmp")}
	defer func() {
		if err != nil {
			_ = in.close()
		}
	}()
	// We hold the lock, so whatever lies there was left by a process that died.
	if err := os.RemoveAll(in.tempDir); err != nil {
		return nil, err
	}
	_ = os.RemoveAll(filepath.Join(dir, spoolDir)) // but for documents that another process is still receiving
	if err := in.start(o); err != nil {
		return nil, err
	}
	var c bindings.Connection
	if bindings.Connect(in.db, &c) == bindings.StateError {
		return nil, errors.New("the engine refused a connection")
	}
	defer bindings.Disconnect(&c)
	if err := errors.Join(registerScan(c, in), registerFunctions(c, in)); err != nil {
		return nil, err
	}
	setup := []string{
		`ATTACH ` + quoteText(filepath.Join(dir, "data.duckdb")) + ` AS ` + quoteName(storeDB),
		`ATTACH ':memory:' AS ` + quoteName(engine.InternalCatalog),
	}
	for _, s := range []string{engine.SchemaTable, engine.SchemaBI, engine.SchemaMtQuery} {
		setup = append(setup, `CREATE SCHEMA IF NOT EXISTS `+quoteName(storeDB)+`.`+quoteName(s))
	}
	setup = append(setup, capMacros...)
	setup = append(setup, in.hardening(dir, o)...)
	for _, s := range setup {
		if err := rawExec(c, s); err != nil {
			return nil, fmt.Errorf("opening the data of the project: %w", err)
		}
	}
	in.names.init()
	return in, nil
}

// start creates the in-memory DuckDB instance.
func (in *instance) start(o *engine.Options) error {
	var cfg bindings.Config
	if bindings.CreateConfig(&cfg) == bindings.StateError {
		return errors.New("the engine refused a configuration")
	}
	defer bindings.DestroyConfig(&cfg)
	set := map[string]string{
		"memory_limit":                 fmt.Sprintf("%dB", o.MemoryLimit),
		"temp_directory":               in.tempDir,
		"autoinstall_known_extensions": "false",
		"autoload_known_extensions":    "false",
		"allow_community_extensions":   "false",
		"allow_persistent_secrets":     "false",
	}
	if o.Threads > 0 {
		set["threads"] = fmt.Sprint(o.Threads)
	}
	for k, v := range set {
		if bindings.SetConfig(cfg, k, v) == bindings.StateError {
			return fmt.Errorf("the engine does not know the setting %s", k)
		}
	}
	var msg string
	if bindings.OpenExt(":memory:", &in.db, cfg, &msg) == bindings.StateError {
		return fmt.Errorf("opening the engine: %s", msg)
	}
	return nil
}

// hardening is run last: files outside the project's directory, the network, extensions and settings are then out of reach
// even for a statement that slipped past the guard.
func (in *instance) hardening(dir string, o *engine.Options) []string {
	return []string{
		`SET GLOBAL errors_as_json=true`,
		`SET GLOBAL TimeZone='UTC'`,
		`SET GLOBAL allowed_directories=[` + quoteText(dir+string(filepath.Separator)) + `]`,
		`SET GLOBAL enable_external_access=false`,
		`SET GLOBAL write_buffer_row_group_count=1`,                            // the default of 5 keeps 100 MB more in memory while rows are stored
		`SET GLOBAL allowed_configs=['memory_limit', 'streaming_buffer_size']`, // trimCache, addScan; the guard lets no SET of a user through
		`SET GLOBAL lock_configuration=true`,
	}
}

// close writes a checkpoint and gives the file up. A failed checkpoint loses nothing: the log is replayed on the next opening.
func (in *instance) close() error {
	if in.db.Ptr != nil {
		var c bindings.Connection
		if bindings.Connect(in.db, &c) == bindings.StateSuccess {
			_ = rawExec(c, `CHECKPOINT `+quoteName(storeDB))
			bindings.Disconnect(&c)
		}
		bindings.Close(&in.db)
	}
	err := os.RemoveAll(in.tempDir)
	return errors.Join(err, in.lock.Close())
}
