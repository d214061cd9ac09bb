// Package gateway is zone local: the service's HTTP API implemented in the binary. Control-plane state is in the store,
// rows are in the engine, and handlers are typed functions registered by operation.
package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/backups"
	"github.com/dig-cli/dig/pkg/gateway/caches"
	"github.com/dig-cli/dig/pkg/gateway/catalogs"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/connector/types"
	"github.com/dig-cli/dig/pkg/gateway/diskspace"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/exports"
	"github.com/dig-cli/dig/pkg/gateway/exports/files"
	"github.com/dig-cli/dig/pkg/gateway/hosted"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/metadata"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/projects"
	"github.com/dig-cli/dig/pkg/gateway/queries"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/statements"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/stored"
	"github.com/dig-cli/dig/pkg/gateway/tables"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// Options configure a gateway.
type Options struct {
	Dir      string          // the data directory, created with mode 0700 on first use
	Postgres *store.Postgres // where the state is; nil for a file in Dir
	// a folder for what all gateways have that share the state: files of exports, secret.key; "" for Dir
	SharedDir  string
	Bucket     *files.Bucket // for the files of exports; nil for SharedDir
	Moved      bool          // rows or files were moved to other places than the state has
	OpenEngine func(engine.Options) (engine.Engine, error)
	EngineName string           // of one that has the rows of the directory elsewhere; "" for the embedded one
	Engine     engine.Options   // Dir and NewID are filled in
	Now        func() time.Time // nil: time.Now
	Log        *slog.Logger     // one line per request; nil: none
	Version    string
	// change nothing in Dir: the state is a temporary copy, and no rows are stored
	ReadOnly bool
	Observe  func(web.Call) // called after every request; nil for none
	Metrics  http.Handler   // of the metrics; nil for none
	Limits   web.Limits
	Spool    int64             // maximum bytes on the disk of the unread part of each reply of Transport; 0 for none
	Quirks   *hosted.Quirks    // faults of the hosted zones to reproduce; nil for none
	Inject   *hosted.Injection // faults to inject; nil for none

	Drain       time.Duration     // for which a served gateway answers calls after it was told to stop
	Origins     web.Origins       // of web pages that may call
	Certificate *Certificate      // of the TCP address of a served gateway; nil without TLS
	KeepOut     []string          // directories besides Dir that connections must not read
	Configs     []string          // directories with YAML files and keys that connections must not read
	Reach       connector.Network // of connections that were created with a project key
}

// Gateway serves the API over one data directory. Its parts are exported for tests of single parts that need the whole
// gateway.
type Gateway struct {
	Options Options // as completed by Open
	Store   *store.Store
	Engine  engine.Engine
	Now     func() time.Time
	log     *slog.Logger
	files   files.Files // of exports

	Jobs       *jobs.Service
	Web        *web.Mux
	Sources    *sources.Service
	Names      *names.Service
	Projects   *projects.Service
	Tables     *tables.Service
	Queries    *queries.Service
	Catalogs   *catalogs.Service
	Caches     *caches.Service
	Metadata   *metadata.Service
	Statements *statements.Service
	Exports    *exports.Service
	DiskSpace  *diskspace.Service
	Backups    *backups.Service
}

// Open opens the data directory, and creates it on first use. It does not open the rows of any project.
func Open(o Options) (*Gateway, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	openStore := store.Open
	if o.Postgres != nil {
		openStore = func(dir string, now func() time.Time) (*store.Store, error) {
			return store.OpenPostgres(context.Background(), *o.Postgres, dir, now)
		}
	} else if o.ReadOnly {
		openStore = store.OpenCopy
		if err := finished(o.Dir); err != nil {
			return nil, err
		}
	}
	if !o.ReadOnly {
		if err := recoverDir(o.Dir); err != nil {
			return nil, err
		}
	}
	st, err := openStore(o.Dir, o.Now)
	if err != nil {
		return nil, err
	}
	o.Engine.ReadOnly = o.ReadOnly
	o.Engine.Dir = filepath.Join(o.Dir, "projects")
	o.Engine.NewID = st.NewID
	o.Engine.Record = st
	if o.Engine.Compacted == nil {
		o.Engine.Compacted = func(project string, c engine.Compaction, err error) {
			diskspace.TellCompacted(o.Log,
				project, c, err)
		}
	}
	g := &Gateway{Options: o, Store: st, Now: o.Now, log: o.Log}
	if err = checkEngine(o); err == nil {
		err = g.openEngine()
	}
	if err == nil {
		if err = checkPlaces(context.Background(), o, st, g.Engine); err == nil {
			g.files, err = exportFiles(context.Background(), o, st)
		}
		if err != nil {
			err = errors.Join(err, g.Engine.Close())
		}
	}
	if err != nil {
		st.Close()
		return nil, err
	}
	g.wire()
	err = errors.Join(checkMapped(st, g.Engine, o.Log), g.Projects.Keep(context.Background()))
	if err == nil {
		err = g.detach(context.Background())
	}
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	g.misbehave()
	g.Jobs.OnTick(g.tellLate()) // before those that start what is due
	g.routes()
	g.Web.Handler = g.Web.Middleware(g.Web.Router())
	return g, nil
}

// checkMapped rejects connections that the engine cannot read by itself, and reports those that are not there, which a
// user may have deleted.
func checkMapped(st *store.Store, e engine.Engine, log *slog.Logger) error {
	m, ok := e.(engine.Mapper)
	if !ok {
		return nil
	}
	for _, m := range m.Mappings() {
		c, err := st.Connection(context.Background(), m.Project, m.Connection)
		switch {
		case errors.Is(err, store.ErrNotFound):
			log.Warn("a catalog of the engine is for a connection that there is not", "catalog", m.Catalog,
				"project", m.Project, "connection", m.Connection)
		case err != nil:
			return err
		case c.Type != "POSTGRES" && c.Type != "MYSQL":
			return fmt.Errorf("catalog %s of the engine is for connection %s of type %s: only those of type POSTGRES "+
				"and MYSQL are read by the engine itself", m.Catalog, c.Name, c.Type)
		}
	}
	return nil
}

// detach has the engine forget databases that no connection has any more. It fails if the engine cannot be given any.
func (g *Gateway) detach(ctx context.Context) error {
	err := g.Sources.Detach(ctx, "")
	var e *engine.Error
	if err == nil || errors.As(err, &e) && e.Kind == engine.KindUnsupported {
		return err
	}
	g.Sources.TellAttached(err)
	return nil
}

// openEngine opens the engine, with the locks of the processes that may change its rows.
func (g *Gateway) openEngine() (err error) {
	o := &g.Options
	runners := jobs.Files(filepath.Join(o.Dir, "runners"), o.ReadOnly)
	if g.Store.HasLeases() {
		runners = jobs.Leases(g.Store, g.log)
	}
	g.Jobs = jobs.New(g.Now, g.log, runners)
	if g.Store.HasLeases() {
		o.Engine.Lock = g.Jobs.Lock
	}
	if g.Engine, err = o.OpenEngine(o.Engine); err != nil {
		return err
	}
	if left, ok := g.Engine.(engine.Orphans); ok {
		g.Jobs.EndLeft(left.EndStatement)
	}
	return nil
}

// shared is the folder for what all gateways have that share the state.
func (o Options) shared() string { return cmp.Or(o.SharedDir, o.Dir) }

// wire creates the services and their dependencies.
func (g *Gateway) wire() {
	o, st, eng, now, log := g.Options, g.Store, g.Engine, g.Now, g.log
	g.Web = &web.Mux{Store: st, Engine: eng, Now: now, Log: log, Limits: o.Limits, Observe: o.Observe,
		Metrics: o.Metrics,
		Origins: o.Origins,
		Routes:  map[string]web.Route{}, Files: map[string]http.HandlerFunc{}}
	g.Sources = &sources.Service{Store: st, Engine: eng, Dir: o.Dir, ReadOnly: o.ReadOnly, Network: o.Reach,
		Vault: sources.NewVault(o.shared(), st), Types: types.All(), Own: ownFiles(o), Log: log}
	g.Sources.Vault.ReadOnly = o.ReadOnly
	g.Names = &names.Service{Store: st, Engine: eng, Now: now, Log: log, Sources: g.Sources}
	g.Projects = &projects.Service{Store: st, Engine: eng, Now: now, Jobs: g.Jobs, Sources: g.Sources}
	g.Tables = &tables.Service{Store: st, Now: now, Log: log, Dir: o.Dir, Limits: o.Limits,
		Query: g.Names.Query}
	results := &stored.Service{Store: st, Engine: eng, Now: now, Log: log, Jobs: g.Jobs}
	results.Watch()
	g.Queries = &queries.Service{Store: st, Engine: eng, Now: now, Log: log, Jobs: g.Jobs, Names: g.Names,
		Results: results}
	g.Catalogs = &catalogs.Service{Store: st, Engine: eng, Now: now, Log: log, Names: g.Names, Queries: g.Queries,
		Sources: g.Sources}
	g.Caches = &caches.Service{Store: st, Engine: eng, Now: now, Log: log, Jobs: g.Jobs, Names: g.Names,
		Catalogs: g.Catalogs, Results: results}
	g.Catalogs.Caches = g.Caches
	g.Metadata = &metadata.Service{Store: st, Engine: eng, Now: now, Log: log, Jobs: g.Jobs, Names: g.Names,
		Sources: g.Sources, Catalogs: g.Catalogs,
		Sampling: metadata.SampleTime}
	g.Statements = &statements.Service{Engine: eng, Web: g.Web, Names: g.Names, Queries: g.Queries,
		Catalogs: g.Catalogs}
	g.Exports = &exports.Service{Store: st, Now: now, Log: log, Web: g.Web, Jobs: g.Jobs, Names: g.Names,
		Sources: g.Sources,
		Queries: g.Queries, Catalogs: g.Catalogs, Files: g.files, ReadOnly: o.ReadOnly, Limits: o.Limits}
	g.Backups = &backups.Service{Store: st, Engine: eng, Now: now, Dir: o.Dir, EngineName: o.EngineName,
		ReadOnly: o.ReadOnly}
	g.DiskSpace = &diskspace.Service{Store: st, Engine: eng, Now: now, Web: g.Web, Jobs: g.Jobs, ReadOnly: o.ReadOnly,
		Log: g.log}
}

// routes registers every handler.
func (g *Gateway) routes() {
	g.Projects.Routes(g.Web)
	g.Tables.Routes(g.Web)
	g.Catalogs.Routes(g.Web)
	g.Statements.Routes(g.Web)
	g.Sources.Routes(g.Web)
	g.Queries.Routes(g.Web)
	g.Exports.Routes(g.Web)
	g.Caches.Routes(g.Web)
	g.Metadata.Routes(g.Web)
	g.agentRoutes(g.Web)
	g.driverRoutes(g.Web)
	g.embeddedRoutes(g.Web)
	g.DiskSpace.Routes(g.Web)
	if _, ok := g.Engine.(engine.Mapper); ok {
		g.Jobs.OnTick(jobs.Duty{Name: "catalogs of connections", Every: time.Hour,
			Run: func(context.Context, time.Time) error {
				g.Jobs.Beside(func(ctx context.Context) {
					if err := g.Sources.Detach(ctx, ""); err != nil {
						g.Sources.TellAttached(err)
					}
				})
				return nil
			}})
	}
	g.Backups.Routes(g.Web)
}

// Interrupt cancels the background work. Each run ends as failed, because the gateway stopped.
func (g *Gateway) Interrupt() { g.Jobs.Interrupt() }

// Close waits for background work, then closes rows and state. After Interrupt it waits only briefly.
func (g *Gateway) Close() error {
	g.Jobs.Settle()
	g.Options.Inject.Release()
	g.Options.Quirks.Release()
	g.Jobs.Close()
	return errors.Join(g.Engine.Close(), g.Sources.Sources.Close(), g.Store.Close())
}

// ownFiles are the files that connections must not read.
func ownFiles(o Options) *connector.Own {
	rest := slices.DeleteFunc(slices.Clone(o.KeepOut), func(dir string) bool { return dir == o.Dir })
	return connector.NewOwn(append([]string{o.Dir, o.SharedDir}, rest...), o.Configs, store.ApplicationID)
}
