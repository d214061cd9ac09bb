//go:build cgo

package instance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/process"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/udf"
	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/gofrs/flock"
)

// Instance is one DuckDB instance with the project's file attached.
type Instance struct {
	db       bindings.Database
	lock     *sharing.Lock // held by the process that changes the project
	readers  *flock.Flock  // of the file
	tempDir  string
	tempDone func() // removes tempDir, if only this instance uses it
	dir      string
	*Host
	readOnly bool
	Shared   bool        // with other processes
	file     fs.FileInfo // the open file, if it is shared
	opened   fs.FileInfo // the open file, if it may be changed
	state    string      // of the copy that is open instead of the file
	without  bool        // without the data of the project

	Broken   atomic.Bool // by a fatal error: DuckDB rejects every statement until it is opened again
	builds   builds
	refusals udf.Refusals
	pool     pool
	states   states
}

// Bare starts an instance for work on the files of a project, without them. temp is its directory for data that do not
// fit into memory.
func (h *Host) Bare(dir, temp string) (*Instance, error) {
	in := h.newInstance(dir)
	in.tempDir = temp
	if err := in.start(); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// Host is what the instances of an engine have in common.
type Host struct {
	Opts     *engine.Options
	Memory   *process.Watch
	Register func(bindings.Connection, *Instance) error // adds functions to an instance
}

// SpoolDir holds documents that are being received.
const SpoolDir = "incoming"

// PackDir holds a copy of the data file while it is compacted.
const PackDir = "compacting"

// newInstance returns the instance of a project; close ends its use, also if it was not started.
func (h *Host) newInstance(dir string) *Instance {
	h.Memory.Instances.Add(1)
	return &Instance{dir: dir, Host: h}
}

// Open opens a project for every kind of statement.
func Open(ctx context.Context, dir string, h *Host) (_ *Instance, err error) {
	if h.Opts.ReadOnly {
		return openReadOnly(ctx, dir, h)
	}
	recorded, err := Look(ctx, dir, h.Opts)
	if err != nil { // before anything is created, so that the directory can be restored
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	in := h.newInstance(dir)
	defer in.closeAfter(&err)
	if in.tempDir, in.tempDone, err = tempfile.MkdirTempIn(dir, SpillName); err != nil {
		return nil, err
	}
	if err := in.prepare(); err != nil { // before the lock, which others wait for
		return nil, err
	}
	if in.lock, err = sharing.Take(ctx, dir, h.Opts); err != nil {
		return nil, err
	}
	// These files were left by a process that was killed.
	if err := removeAll(dir, "tmp", PackDir, sharing.MovingName); err != nil {
		return nil, err
	}
	_ = removeAll(dir, SpoolDir, snapshotDir) // except for what another process is still receiving or copying
	if !recorded {
		if err := removeUnfinished(dir); err != nil {
			return nil, err
		}
	}
	if in.readers, err = sharing.OwnFile(ctx, dir, h.Opts); err != nil {
		return nil, err
	}
	// A reader that locked the former file may open its replacement for a moment, until it notices the replacement.
	began := time.Now()
	for turn := 0; ; turn++ {
		if turn == 1 {
			defer h.Opts.HasWaited(began)
		}
		err = in.Attach(filepath.Join(dir, sharing.DataFile))
		if !openedElsewhere(err) || time.Since(began) > h.Opts.LockWait {
			break
		}
		if retry.Sleep(ctx, sharing.Poll) != nil {
			return nil, engine.Ended(ctx, nil)
		}
	}
	if err == nil && in.readers == nil { // the file is new
		in.readers, err = sharing.OwnFile(ctx, dir, h.Opts)
	}
	if err == nil {
		in.opened, err = os.Stat(filepath.Join(dir, sharing.DataFile))
	}
	if err == nil && !recorded && h.Opts.Record != nil {
		err = h.Opts.Record.NoteData(ctx, filepath.Base(dir))
	}
	if err != nil {
		return nil, err
	}
	return in, in.harden()
}

// openReadOnly opens a project without changing anything in its directory.
func openReadOnly(ctx context.Context, dir string, h *Host) (_ *Instance, err error) {
	if _, err := Look(ctx, dir, h.Opts); err != nil {
		return nil, err
	}
	data := filepath.Join(dir, sharing.DataFile)
	stored, err := Exists(data)
	if err != nil {
		return nil, err
	}
	locked, err := Exists(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	in := h.newInstance(dir)
	in.readOnly = true
	defer in.closeAfter(&err)
	if stored && locked {
		if in.lock, err = sharing.Take(ctx, dir, h.Opts); err != nil {
			return nil, err
		}
	}
	if in.tempDir, err = tempfile.MkdirPlain("dig-spill-"); err != nil {
		return nil, err
	}
	if !stored {
		data = ""
	}
	if err := in.prepare(); err != nil {
		return nil, err
	}
	if err := in.Attach(data); err != nil {
		return nil, err
	}
	return in, in.harden()
}

// SpillName begins the names of directories for data that do not fit into memory.
const SpillName = "spill-"

// prepare starts DuckDB with everything but the data of the project.
func (in *Instance) prepare() error {
	if err := in.start(); err != nil {
		return err
	}
	return in.With(func(c bindings.Connection) error {
		if err := errors.Join(in.Register(c, in), udf.Register(c, &in.refusals, in.Memory.Room)); err != nil {
			return err
		}
		return Setup(c, append([]string{`ATTACH ':memory:' AS ` + sqltext.Quote(engine.InternalCatalog)},
			udf.Macros...))
	})
}

// Attach opens the data of the project; without a name, an empty file in memory.
func (in *Instance) Attach(data string) error {
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
	err := in.With(func(c bindings.Connection) error {
		if err := Setup(c, list); err != nil || data == "" {
			return err
		}
		return complete(c, data)
	})
	if err != nil {
		_ = in.detach() // it may be attached, and another file may be tried
	}
	return faults.Damage(data, err)
}

func (in *Instance) dataFile() string { return filepath.Join(in.dir, sharing.DataFile) }

func (in *Instance) detach() error {
	return in.With(func(c bindings.Connection) error { return RawExec(c, `DETACH `+sqltext.Quote(naming.Store)) })
}

// harden is the last step of opening.
func (in *Instance) harden() error {
	return in.With(func(c bindings.Connection) error { return Setup(c, in.hardening()) })
}

func Setup(c bindings.Connection, list []string) error {
	for _, s := range list {
		if err := RawExec(c, s); err != nil {
			return faults.Opening(err)
		}
	}
	return nil
}

// With calls a function with a connection of its own.
func (in *Instance) With(fn func(bindings.Connection) error) error {
	var c bindings.Connection
	if bindings.Connect(in.db, &c) == bindings.StateError {
		return errors.New("the engine rejected a connection")
	}
	defer bindings.Disconnect(&c)
	return fn(c)
}

// start creates the in-memory DuckDB instance.
func (in *Instance) start() error {
	var cfg bindings.Config
	if bindings.CreateConfig(&cfg) == bindings.StateError {
		return errors.New("the engine rejected a configuration")
	}
	defer bindings.DestroyConfig(&cfg)
	set := map[string]string{
		"memory_limit":                 fmt.Sprintf("%dB", in.Opts.MemoryLimit),
		"temp_directory":               in.tempDir,
		"autoinstall_known_extensions": "false",
		"autoload_known_extensions":    "false",
		"allow_community_extensions":   "false",
		"allow_persistent_secrets":     "false",
	}
	if in.Opts.Threads > 0 {
		set["threads"] = fmt.Sprint(in.Opts.Threads)
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
func (in *Instance) hardening() []string {
	return []string{
		`SET GLOBAL errors_as_json=true`,
		`SET GLOBAL TimeZone='UTC'`,
		fmt.Sprintf(`SET GLOBAL max_temp_directory_size='%dB'`, in.Opts.TempLimit),
		`SET GLOBAL allowed_directories=[` + sqltext.Literal(in.dir+string(filepath.Separator)) + `, ` +
			sqltext.Literal(in.tempDir+string(filepath.Separator)) + `]`, // for Link
		`SET GLOBAL enable_external_file_cache=false`,
		`SET GLOBAL enable_external_access=false`,
		// the default of 5 keeps 100 MB more in memory while rows are stored
		`SET GLOBAL write_buffer_row_group_count=1`,
		// Conn.TrimCache, the scans of package running, imports, COPY FROM DATABASE; the guard rejects SET of users
		`SET GLOBAL allowed_configs=['memory_limit', 'streaming_buffer_size', 'preserve_insertion_order', ` +
			`'current_transaction_invalidation_policy']`,
		`SET GLOBAL lock_configuration=true`,
	}
}

// checkpoint writes the log into the file and removes it. DuckDB keeps a log that ends within a transaction of a killed
// process, until something is added to it.
func checkpoint(c bindings.Connection, logged func() bool) error {
	write := `CHECKPOINT ` + sqltext.Quote(naming.Store)
	if err := RawExec(c, write); err != nil || !logged() {
		return err
	}
	extra := sqltext.Quote(naming.Store, "~log")
	return errors.Join(RawExec(c, `CREATE SCHEMA IF NOT EXISTS `+extra), RawExec(c, `DROP SCHEMA IF EXISTS `+extra),
		RawExec(c, write))
}

func (in *Instance) logged() bool {
	return in.lock != nil && sharing.Logged(filepath.Dir(in.lock.Path()))
}

// Close writes a checkpoint and releases the file. A failed checkpoint loses nothing: the log is replayed on the next
// opening.
func (in *Instance) Close() error {
	in.Memory.Instances.Add(-1)
	var errs []error
	in.pool.close()
	if in.db.Ptr != nil {
		if !in.readOnly {
			done := in.With(func(c bindings.Connection) error { return checkpoint(c, in.logged) })
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

// closeAfter closes an instance whose opening has failed.
func (in *Instance) closeAfter(err *error) {
	if *err != nil {
		*err = errors.Join(*err, in.Close())
	}
}

// unlock releases the project for other processes.
func (in *Instance) unlock() error {
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
