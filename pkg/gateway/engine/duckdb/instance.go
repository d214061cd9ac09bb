//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/gofrs/flock"
)

// spoolDir holds documents that are being received.
const spoolDir = "incoming"

// project is one project's data. Its DuckDB instance exists while it is used and for some time after.
type project struct {
	id  string
	dir string
	*common

	turn    chan struct{} // of capacity 1: held while an instance is created or closed
	storing sync.Mutex    // held while a stored result replaces the previous one
	write   chan struct{} // of capacity 1: held while the internal tables are changed

	mu    sync.Mutex
	inst  *instance
	past  map[*instance]struct{} // instances that were replaced while statements used them
	next  *opening               // of an instance that is being created
	freed chan struct{}          // closed and replaced each time a connection is returned
	gone  error                  // why no statement is accepted: dropped, or the engine was closed
	idle  *time.Timer
	pack  *packing  // the running compaction
	later time.Time // the idle file is not rewritten again before this time
}

// instance is one DuckDB instance with the project's file attached.
type instance struct {
	db       bindings.Database
	lock     *sharing.Lock // held by the process that changes the project
	readers  *flock.Flock  // of the file
	tempDir  string
	tempDone func() // removes tempDir, if only this instance uses it
	memory   *memoryWatch
	readOnly bool
	shared   bool        // with other processes
	file     fs.FileInfo // the open file, if it is shared
	opened   fs.FileInfo // the open file, if it may be changed
	state    string      // of the copy that is open instead of the file

	refs  int                // guarded by project.mu
	conns map[*conn]struct{} // guarded by project.mu
	// guarded by project.mu; a fatal error: DuckDB rejects every statement until it is opened again
	broken bool

	builds   builds
	refusals refused
	scans    sync.Map // connection id (uint64): *scanSet of the statement it runs
}

func newProject(id, dir string, all *common) *project {
	return &project{id: id, dir: dir, common: all, freed: make(chan struct{}), past: map[*instance]struct{}{},
		turn: make(chan struct{}, 1), write: make(chan struct{}, 1)}
}

var (
	errGone   = errors.New("the project is closed")
	errClosed = &engine.Error{Kind: engine.KindInternal,
		Message: "the statement was ended, because the engine had to open the project again"}
)

func (p *project) drop(ctx context.Context) error {
	if err := p.shut(engine.ErrDropped); err != nil {
		p.mu.Lock()
		// a statement did not end: the project continues to work
		if errors.Is(p.gone, engine.ErrDropped) && p.inst != nil {
			p.gone = nil
		}
		p.mu.Unlock()
		return err
	}
	if _, err := os.Stat(p.dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	l, err := sharing.Take(ctx, p.dir, p.opts)
	if err != nil {
		return err
	}
	// The data is removed first, the lock file last, so that no process opens half a project.
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

// openInstance opens a project for every kind of statement.
func openInstance(ctx context.Context, dir string, o *engine.Options, w *memoryWatch) (_ *instance, err error) {
	if o.ReadOnly {
		return openReadOnly(ctx, dir, o, w)
	}
	recorded, err := look(ctx, dir, o)
	if err != nil { // before anything is created, so that the directory can be restored
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	in := &instance{conns: map[*conn]struct{}{}, memory: w}
	w.instances.Add(1)
	defer func() {
		if err != nil {
			err = errors.Join(err, in.close())
		}
	}()
	if in.tempDir, in.tempDone, err = tempfile.MkdirTempIn(dir, spillName); err != nil {
		return nil, err
	}
	if err := in.prepare(o); err != nil { // before the lock, which others wait for
		return nil, err
	}
	if in.lock, err = sharing.Take(ctx, dir, o); err != nil {
		return nil, err
	}
	// These files were left by a process that was killed.
	if err := removeAll(dir, "tmp", packDir, sharing.MovingName); err != nil {
		return nil, err
	}
	_ = removeAll(dir, spoolDir, snapshotDir) // except for what another process is still receiving or copying
	if !recorded {
		if err := removeUnfinished(dir); err != nil {
			return nil, err
		}
	}
	if in.readers, err = sharing.OwnFile(ctx, dir, o); err != nil {
		return nil, err
	}
	// A reader that locked the former file may open its replacement for a moment, until it notices the replacement.
	began := time.Now()
	for turn := 0; ; turn++ {
		if turn == 1 {
			defer o.HasWaited(began)
		}
		err = in.attach(filepath.Join(dir, sharing.DataFile))
		if !openedElsewhere(err) || time.Since(began) > o.LockWait {
			break
		}
		if retry.Sleep(ctx, sharing.Poll) != nil {
			return nil, engine.Ended(ctx, nil)
		}
	}
	if err == nil && in.readers == nil { // the file is new
		in.readers, err = sharing.OwnFile(ctx, dir, o)
	}
	if err == nil {
		in.opened, err = os.Stat(filepath.Join(dir, sharing.DataFile))
	}
	if err == nil && !recorded && o.Record != nil {
		err = o.Record.NoteData(ctx, filepath.Base(dir))
	}
	if err != nil {
		return nil, err
	}
	return in, in.harden(dir, o)
}

// openReadOnly opens a project without changing anything in its directory.
func openReadOnly(ctx context.Context, dir string, o *engine.Options, w *memoryWatch) (_ *instance, err error) {
	if _, err := look(ctx, dir, o); err != nil {
		return nil, err
	}
	data := filepath.Join(dir, sharing.DataFile)
	stored, err := exists(data)
	if err != nil {
		return nil, err
	}
	locked, err := exists(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	in := &instance{conns: map[*conn]struct{}{}, memory: w, readOnly: true}
	w.instances.Add(1)
	defer func() {
		if err != nil {
			err = errors.Join(err, in.close())
		}
	}()
	if stored && locked {
		if in.lock, err = sharing.Take(ctx, dir, o); err != nil {
			return nil, err
		}
	}
	if in.tempDir, err = tempfile.MkdirPlain("dig-spill-"); err != nil {
		return nil, err
	}
	if !stored {
		data = ""
	}
	if err := in.prepare(o); err != nil {
		return nil, err
	}
	if err := in.attach(data); err != nil {
		return nil, err
	}
	return in, in.harden(dir, o)
}

// spillName begins the names of directories for data that do not fit into memory.
const spillName = "spill-"

// prepare starts DuckDB with everything but the data of the project.
func (in *instance) prepare(o *engine.Options) error {
	if err := in.start(o); err != nil {
		return err
	}
	return in.with(func(c bindings.Connection) error {
		if err := errors.Join(registerScan(c, in), registerFunctions(c, in), registerRoom(c, in.memory)); err != nil {
			return err
		}
		return setup(c, append([]string{`ATTACH ':memory:' AS ` + sqltext.Quote(engine.InternalCatalog)}, capMacros...))
	})
}

// attach opens the data of the project; without a name, an empty file in memory.
func (in *instance) attach(data string) error {
	how, name := "", data
	if data == "" {
		name = `:memory:`
	} else if in.readOnly {
		how = ` (READ_ONLY)`
	}
	list := []string{`ATTACH ` + sqltext.Literal(name) + ` AS ` + sqltext.Quote(naming.Store) + how}
	for _, s := range []string{engine.SchemaTable, engine.SchemaBI, engine.SchemaMtQuery} {
		if how == "" {
			list = append(list, `CREATE SCHEMA IF NOT EXISTS `+sqltext.Quote(naming.Store, s))
		}
	}
	err := in.with(func(c bindings.Connection) error {
		if err := setup(c, list); err != nil || data == "" {
			return err
		}
		return complete(c, data)
	})
	if err != nil {
		_ = in.detach() // it may be attached, and another file may be tried
	}
	return faults.Damage(data, err)
}

func (in *instance) detach() error {
	return in.with(func(c bindings.Connection) error { return rawExec(c, `DETACH `+sqltext.Quote(naming.Store)) })
}

// harden is the last step of opening.
func (in *instance) harden(dir string, o *engine.Options) error {
	return in.with(func(c bindings.Connection) error { return setup(c, in.hardening(dir, o)) })
}

func setup(c bindings.Connection, list []string) error {
	for _, s := range list {
		if err := rawExec(c, s); err != nil {
			return faults.Opening(err)
		}
	}
	return nil
}

// with calls a function with a connection of its own.
func (in *instance) with(fn func(bindings.Connection) error) error {
	var c bindings.Connection
	if bindings.Connect(in.db, &c) == bindings.StateError {
		return errors.New("the engine rejected a connection")
	}
	defer bindings.Disconnect(&c)
	return fn(c)
}

// start creates the in-memory DuckDB instance.
func (in *instance) start(o *engine.Options) error {
	var cfg bindings.Config
	if bindings.CreateConfig(&cfg) == bindings.StateError {
		return errors.New("the engine rejected a configuration")
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
		return faults.Opening(faults.Parse(msg, false))
	}
	return nil
}

// hardening is run last: it disables access to files outside the project's directory, the network, extensions and
// settings, even for a statement that the guard should have rejected.
func (in *instance) hardening(dir string, o *engine.Options) []string {
	return []string{
		`SET GLOBAL errors_as_json=true`,
		`SET GLOBAL TimeZone='UTC'`,
		fmt.Sprintf(`SET GLOBAL max_temp_directory_size='%dB'`, o.TempLimit),
		`SET GLOBAL allowed_directories=[` + sqltext.Literal(dir+string(filepath.Separator)) + `]`,
		`SET GLOBAL enable_external_access=false`,
		// the default of 5 keeps 100 MB more in memory while rows are stored
		`SET GLOBAL write_buffer_row_group_count=1`,
		// trimCache, addScan; the guard rejects SET statements of users
		`SET GLOBAL allowed_configs=['memory_limit', 'streaming_buffer_size']`,
		`SET GLOBAL lock_configuration=true`,
	}
}

// checkpoint writes the log into the file and removes it. DuckDB keeps a log that ends within a transaction of a killed
// process, until something is added to it.
func checkpoint(c bindings.Connection, logged func() bool) error {
	write := `CHECKPOINT ` + sqltext.Quote(naming.Store)
	if err := rawExec(c, write); err != nil || !logged() {
		return err
	}
	extra := sqltext.Quote(naming.Store, "~log")
	return errors.Join(rawExec(c, `CREATE SCHEMA IF NOT EXISTS `+extra), rawExec(c, `DROP SCHEMA IF EXISTS `+extra),
		rawExec(c, write))
}

func (in *instance) logged() bool {
	return in.lock != nil && sharing.Logged(filepath.Dir(in.lock.Path()))
}

// close writes a checkpoint and releases the file. A failed checkpoint loses nothing: the log is replayed on the next
// opening.
func (in *instance) close() error {
	in.memory.instances.Add(-1)
	var errs []error
	if in.db.Ptr != nil {
		if !in.readOnly {
			done := in.with(func(c bindings.Connection) error { return checkpoint(c, in.logged) })
			if done == nil && in.detach() == nil {
				errs = append(errs, in.unlock()) // other processes need not wait for the rest
			}
		}
		bindings.Close(&in.db)
	}
	if in.tempDone != nil {
		in.tempDone()
	} else if in.tempDir != "" {
		errs = append(errs, os.RemoveAll(in.tempDir))
	}
	return errors.Join(append(errs, in.unlock())...)
}

// unlock releases the project for other processes.
func (in *instance) unlock() error {
	if in.lock != nil && !in.readOnly {
		// the next writer removes it if a process is still creating a copy
		_ = os.RemoveAll(filepath.Join(filepath.Dir(in.lock.Path()), snapshotDir))
	}
	var errs []error
	if in.readers != nil {
		errs = append(errs, in.readers.Close())
	}
	if in.lock != nil {
		errs = append(errs, in.lock.Close())
	}
	in.readers, in.lock = nil, nil
	return errors.Join(errs...)
}
