// Package trino implements the engine contract on a cluster that runs Trino, which nothing was added to.
//
// The rows of a project are in tables of an Iceberg catalog:
//
//	<catalog>.p_<project>_table    internal tables
//	<catalog>.p_<project>_bitable  BI tables
//	<catalog>.p_<project>_mtquery  results of runs, under their ids; and so on for every other schema of results
//
// What the catalog has no place for is in comments, as JSON: the definition of a column in that of the column, the
// types of a stored result, some of which Iceberg lacks, in that of the table. A change of a table is one commit of the
// catalog, or several of which each leaves the table whole.
package trino

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/protocol"
	"github.com/dig-cli/dig/pkg/late"
)

// Options are how a cluster is reached, and where it stores rows.
type Options struct {
	protocol.Options
	Catalog string // of Iceberg
	Prefix  string // of the names of schemas, for gateways that share a catalog; "" for p
	// Stage is a folder in which the gateway writes files of rows; StageLocation is its address for the cluster, such
	// as s3://lake/stage. Without them nothing is imported.
	Stage, StageLocation string
	Catalogs             []engine.Mapping
	Dynamic              bool // make a catalog for each connection of a database that Catalogs does not have
	Guard
}

// Engine is a cluster.
type Engine struct {
	Options
	engine.Warden
	newID  func() string
	lock   func(ctx context.Context, name string) (*engine.Lock, error)
	dir    string
	client *protocol.Client

	mu       sync.Mutex
	projects map[string]*project
	closed   bool
	keeper   keeper
	attached sync.Map // of the catalogs that Attach has returned: name to engine.Database
}

var (
	_ engine.Engine  = (*Engine)(nil)
	_ engine.Keeper  = (*Engine)(nil)
	_ engine.Located = (*Engine)(nil)
	_ engine.Mapper  = (*Engine)(nil)
	_ engine.Project = (*project)(nil)
	_ engine.Orphans = (*Engine)(nil)
	_ engine.Tidier  = (*Engine)(nil)
)

// Open checks the options. Nothing is sent before a statement is.
func Open(o Options, of engine.Options) (engine.Engine, error) {
	c, err := protocol.New(o.Options)
	if err != nil {
		return nil, err
	}
	if (o.Stage == "") != (o.StageLocation == "") {
		return nil, errors.New("the folder for imported rows and its address for the cluster are given together " +
			"or not at all")
	}
	if o.Stage != "" {
		if o.Stage, err = filepath.Abs(o.Stage); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(o.check(), o.checkMappings()); err != nil {
		return nil, err
	}
	return &Engine{Options: o, Warden: of.Warden, newID: of.NewID, lock: of.Lock, dir: of.Dir, client: c,
		projects: map[string]*project{}}, nil
}

// project is the tables of a project.
type project struct {
	e       *Engine
	id      string
	dropped atomic.Bool
	schemas sync.Map   // those that were created
	making  sync.Mutex // of schemas
	writes  sync.Map   // mutexes of changes by their names, for an engine without locks
}

// change has changes of what has a name follow each other, those of all gateways. The context is for them.
func (p *project) change(ctx context.Context, name string) (context.Context, func(), error) {
	if p.e.lock == nil {
		l, _ := p.writes.LoadOrStore(name, new(sync.Mutex))
		l.(*sync.Mutex).Lock()
		return ctx, l.(*sync.Mutex).Unlock, nil
	}
	l, err := p.e.lock(ctx, name)
	if err != nil {
		return nil, nil, fault(ctx, err)
	}
	note := l.Note
	if outer, ok := ctx.Value(noteKey{}).(func(string) error); ok { // each of several locks outlasts the statement
		note = func(statement string) error { return errors.Join(outer(statement), l.Note(statement)) }
	}
	return context.WithValue(l.Context, noteKey{}, note), l.Unlock, nil
}

// changeTables is change for tables, by their full names. Changes of other tables run beside it.
func (p *project) changeTables(ctx context.Context, tables ...string) (context.Context, func(), error) {
	slices.Sort(tables) // nobody waits for one of two while another one waits for the other
	unlock := func() {}
	for _, name := range slices.Compact(tables) {
		inner, give, err := p.change(ctx, "table "+name)
		if err != nil {
			unlock()
			return nil, nil, err
		}
		outer := unlock
		ctx, unlock = inner, func() { give(); outer() }
	}
	return ctx, unlock, nil
}

// noteKey is the key of Lock.Note in the context of a change.
type noteKey struct{}

// EndStatement implements engine.Orphans.
func (e *Engine) EndStatement(ctx context.Context, id string) error { return e.client.End(ctx, id) }

// projectID matches the ids of projects.
var projectID = late.Regexp(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// Project implements engine.Engine.
func (e *Engine) Project(_ context.Context, id string) (engine.Project, error) {
	p, err := e.project(id)
	if err == nil {
		err = p.admit(nil)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (e *Engine) project(id string) (*project, error) {
	if !projectID().MatchString(id) {
		return nil, fmt.Errorf("%q is not a project id", id)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errors.New("the engine is closed")
	}
	p := e.projects[id]
	if p == nil {
		p = &project{e: e, id: id}
		e.projects[id] = p
	}
	return p, nil
}

// DropProject implements engine.Engine. Its running statements end when their tables are gone.
func (e *Engine) DropProject(ctx context.Context, id string) error {
	p, err := e.project(id)
	if err != nil {
		return err
	}
	p.dropped.Store(true)
	var schemas []string
	_, err = p.exec(ctx, "SELECT schema_name FROM "+sqltext.Quote(e.Catalog)+".information_schema.schemata WHERE "+
		"starts_with(schema_name, "+sqltext.Literal(p.schema(""))+")", false, func(v []*string) error {
		if v[0] != nil && !strings.Contains((*v[0])[len(p.schema("")):], "_") {
			schemas = append(schemas, *v[0])
		}
		return nil
	})
	for _, s := range schemas {
		if err == nil {
			_, err = p.exec(ctx, "DROP SCHEMA IF EXISTS "+sqltext.Quote(e.Catalog, s)+" CASCADE", true, nil)
		}
	}
	if err == nil {
		err = e.Detach(ctx, id, nil)
	}
	if err == nil {
		err = e.forget(id)
	}
	if err != nil {
		p.dropped.Store(false)
	}
	return err
}

// Close implements engine.Engine.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	e.client.Close()
	return nil
}

// plainName matches names that the catalog stores as they are. Their files have them in their addresses.
var plainName = late.Regexp(`^[a-z0-9][a-z0-9_]*$`)

// physical is the name that a catalog, which ignores the case of letters, has for one of the gateway's.
func physical(name string) string {
	if plainName().MatchString(name) && !strings.HasPrefix(name, coded) {
		return name
	}
	if len(name) > longest {
		sum := sha256.Sum256([]byte(name))
		name = string(sum[:])
	}
	return coded + hex.EncodeToString([]byte(name))
}

const (
	coded   = "0x" // begins a name that is coded, and no other
	longest = 100  // bytes of a name that is coded as it is
)

// schema is the schema of the project for tables of a kind.
func (p *project) schema(kind string) string {
	return p.e.prefix() + "_" + codeOf(p.id) + "_" + kind
}

// codeOf is the id of a project in a name of the cluster. No two are alike, and none has an underscore.
func codeOf(id string) string {
	if strings.Contains(id, "_") { // the schema of another project could have its name
		return coded + hex.EncodeToString([]byte(id))
	}
	return physical(id)
}

// Places implements engine.Located.
func (e *Engine) Places() []engine.Place {
	return []engine.Place{{Flag: "--trino-lake", Value: e.Catalog}, {Flag: "--trino-prefix", Value: e.prefix()},
		{Flag: "--trino-stage-location", Value: strings.TrimRight(e.StageLocation, "/")},
		{Flag: "--trino-stage", Value: e.Stage, Folder: true}}
}

// prefix begins the names of the gateway's schemas.
func (e *Engine) prefix() string { return cmp.Or(e.Prefix, "p") }

// table is the full name of a table, for a statement.
func (p *project) table(kind, name string) string {
	return sqltext.Quote(p.e.Catalog, p.schema(kind), physical(name))
}

// named is the full name of an internal table, by what a user calls it.
func (p *project) named(kind, name string) string {
	return p.table(kind, strings.ToLower(engine.StoredName(kind, name)))
}

// ready creates a schema. The catalog refuses to create one twice at once, even if that is not an error otherwise.
func (p *project) ready(ctx context.Context, kind string) error {
	p.making.Lock()
	defer p.making.Unlock()
	if _, done := p.schemas.Load(kind); done {
		return nil
	}
	var err error
	for range 2 { // another gateway may create it
		if _, err = p.exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+sqltext.Quote(p.e.Catalog, p.schema(kind)), false,
			nil); err == nil {
			p.schemas.Store(kind, true)
			break
		}
	}
	return err
}
