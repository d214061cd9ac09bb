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
	"path/filepath"
	"sync"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/projects"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/running"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/tables"
	"github.com/dig-cli/dig/pkg/late"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// projectID matches ids that are valid names of directories.
var projectID = late.Regexp(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// duck is the engine: the registry of the open projects of one directory.
type duck struct {
	mu       sync.Mutex
	projects map[string]*project
	closed   bool

	files      *projects.Common
	statements running.Common
}

// project is the files of a project, its tables and the statements that are run in it.
type project struct {
	files *projects.Project
	tables.Tables
	running.Statements
}

var (
	_ engine.Project   = (*project)(nil)
	_ engine.Engine    = (*duck)(nil)
	_ engine.Checker   = (*duck)(nil)
	_ engine.Compacter = (*duck)(nil)
	_ engine.Backer    = (*duck)(nil)
)

// Available reports whether the build has an engine.
const Available = true

// Open creates the directory of an engine (mode 0700) and returns the engine. No data file is opened before it is
// needed.
func Open(o engine.Options) (engine.Engine, error) {
	d := &duck{projects: map[string]*project{}}
	var err error
	if d.files, err = projects.New(o, func(c bindings.Connection, in *instance.Instance) error {
		return errors.Join(d.statements.Register(c, in), tables.Register(c))
	}); err != nil {
		return nil, err
	}
	return d, nil
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
		files := projects.NewProject(id, filepath.Join(d.files.Opts.Dir, id), d.files)
		p = &project{files: files, Tables: tables.Of(files), Statements: d.statements.Of(files)}
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
	return p, p.files.Known()
}

// DropProject ends the running statements of a project and removes its directory. Dropping a project that does not
// exist is not an error. A dropped project stays known, so that a request that still has its id cannot create its
// directory again.
func (d *duck) DropProject(ctx context.Context, id string) error {
	p, err := d.lookup(id)
	if err != nil {
		return err
	}
	if err = p.files.Drop(ctx); err == nil {
		return nil
	}
	open := p.files.Known() == nil // a second project of this id could not open its files
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
		errs = append(errs, p.files.Close())
	}
	return errors.Join(errs...)
}

// Compact rewrites the data of a project.
func (d *duck) Compact(ctx context.Context, id string) (engine.Compaction, error) {
	if d.files.Opts.ReadOnly {
		return engine.Compaction{}, errors.New("the data is open for reading only")
	}
	p, err := d.lookup(id)
	if err != nil {
		return engine.Compaction{}, err
	}
	return p.files.Compact(ctx)
}

// Hold implements engine.Backer.
func (d *duck) Hold(ctx context.Context, id string) (engine.Held, error) {
	if d.files.Opts.ReadOnly {
		return nil, errors.New("the data is open for reading only")
	}
	p, err := d.lookup(id)
	if err != nil {
		return nil, err
	}
	return p.files.Hold(ctx)
}

// Look implements engine.Checker.
func (d *duck) Look(ctx context.Context, id string) error {
	p, err := d.lookup(id)
	if err != nil {
		return err
	}
	return p.files.Look(ctx)
}

// Users implements engine.Checker.
func (d *duck) Users(id string) ([]engine.User, error) {
	p, err := d.lookup(id)
	if err != nil {
		return nil, err
	}
	return sharing.Users(p.files.Dir)
}

// Check implements engine.Checker.
func (d *duck) Check(ctx context.Context, id string, rows bool, results ...engine.TableName) ([]engine.TableName,
	error) {
	p, err := d.lookup(id)
	if err != nil {
		return nil, err
	}
	return p.files.Check(ctx, rows, results)
}
