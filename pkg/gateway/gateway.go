// Package gateway is zone local: the service's HTTP API implemented in the binary. Control-plane state is in the store,
// rows are in the engine, and handlers are typed functions registered by operation.
package gateway

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"sort"
	"time"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/caches"
	"github.com/dig-cli/dig/pkg/gateway/catalogs"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/diskspace"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/exports"
	"github.com/dig-cli/dig/pkg/gateway/hosted"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/metadata"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/projects"
	"github.com/dig-cli/dig/pkg/gateway/queries"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/statements"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/tables"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// Options configure a gateway.
type Options struct {
	Dir        string // the data directory, created with mode 0700 on first use
	OpenEngine func(engine.Options) (engine.Engine, error)
	Engine     engine.Options   // Dir and NewID are filled in
	Now        func() time.Time // nil: time.Now
	Log        *slog.Logger     // one line per request; nil: none
	Version    string
	ReadOnly   bool                         // change nothing in Dir: the state is a temporary copy, and no rows are stored
	Observe    func(op spec.Op, status int) // called after every routed request; nil for none
	Limits     web.Limits
	Quirks     *hosted.Quirks    // faults of the hosted zones to reproduce; nil for none
	Inject     *hosted.Injection // faults to inject; nil for none

	KeepOut []string          // directories besides Dir that connections must not read
	Configs []string          // directories with YAML files and keys that connections must not read
	Reach   connector.Network // of connections that were created with a project key
}

// Gateway serves the API over one data directory.
type Gateway struct {
	options Options
	store   *store.Store
	engine  engine.Engine
	now     func() time.Time
	log     *slog.Logger

	jobs       *jobs.Service
	web        *web.Mux
	sources    *sources.Service
	names      *names.Service
	projects   *projects.Service
	tables     *tables.Service
	queries    *queries.Service
	catalogs   *catalogs.Service
	caches     *caches.Service
	metadata   *metadata.Service
	statements *statements.Service
	exports    *exports.Service
	room       *diskspace.Service
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
	if o.ReadOnly {
		openStore = store.OpenCopy
	} else if err := recoverDir(o.Dir); err != nil {
		return nil, err
	}
	st, err := openStore(o.Dir, o.Now)
	if err != nil {
		return nil, err
	}
	o.Engine.ReadOnly = o.ReadOnly
	o.Engine.Dir = filepath.Join(o.Dir, "projects")
	o.Engine.NewID = st.NewID
	if o.Engine.Compacted == nil {
		o.Engine.Compacted = func(project string, c engine.Compaction, err error) { diskspace.TellCompacted(o.Log, project, c, err) }
	}
	eng, err := o.OpenEngine(o.Engine)
	if err != nil {
		st.Close()
		return nil, err
	}
	g := &Gateway{options: o, store: st, engine: eng, now: o.Now, log: o.Log}
	g.wire()
	g.misbehave()
	g.routes()
	g.web.Handler = g.web.Middleware(g.web.Router())
	return g, nil
}

// wire creates the services and their dependencies.
func (g *Gateway) wire() {
	o, st, eng, now, log := g.options, g.store, g.engine, g.now, g.log
	g.jobs = jobs.New(now, log, filepath.Join(o.Dir, "runners"), o.ReadOnly)
	g.web = &web.Mux{Store: st, Engine: eng, Now: now, Log: log, Limits: o.Limits, Observe: o.Observe,
		Routes: map[string]web.Route{}, Files: map[string]http.HandlerFunc{}}
	g.sources = &sources.Service{Store: st, Dir: o.Dir, ReadOnly: o.ReadOnly, Network: o.Reach,
		Vault: sources.NewVault(o.Dir), Types: sources.ConnectorTypes(), Own: ownFiles(o)}
	g.sources.Vault.ReadOnly = o.ReadOnly
	g.names = &names.Service{Store: st, Engine: eng, Now: now, Log: log, Sources: g.sources}
	g.projects = &projects.Service{Store: st, Engine: eng, Now: now, Sources: g.sources}
	g.tables = &tables.Service{Store: st, Now: now, Dir: o.Dir, Limits: o.Limits}
	g.queries = &queries.Service{Store: st, Engine: eng, Now: now, Log: log, Jobs: g.jobs, Names: g.names}
	g.catalogs = &catalogs.Service{Store: st, Engine: eng, Now: now, Log: log, Names: g.names, Queries: g.queries, Sources: g.sources}
	g.caches = &caches.Service{Store: st, Engine: eng, Now: now, Log: log, Jobs: g.jobs, Names: g.names, Catalogs: g.catalogs}
	g.catalogs.Caches = g.caches
	g.metadata = &metadata.Service{Store: st, Engine: eng, Now: now, Log: log, Jobs: g.jobs, Names: g.names, Sources: g.sources, Catalogs: g.catalogs,
		Sampling: metadata.SampleTime}
	g.statements = &statements.Service{Engine: eng, Web: g.web, Names: g.names, Queries: g.queries}
	g.exports = &exports.Service{Store: st, Now: now, Log: log, Web: g.web, Jobs: g.jobs, Names: g.names, Sources: g.sources,
		Queries: g.queries, Catalogs: g.catalogs, Dir: o.Dir, ReadOnly: o.ReadOnly, Limits: o.Limits,
		SyncDir: tempfile.SyncDir}
	g.room = &diskspace.Service{Store: st, Engine: eng, Now: now, Web: g.web, Jobs: g.jobs, ReadOnly: o.ReadOnly}
}

// routes registers every handler.
func (g *Gateway) routes() {
	g.projects.Routes(g.web)
	g.tables.Routes(g.web)
	g.catalogs.Routes(g.web)
	g.statements.Routes(g.web)
	g.sources.Routes(g.web)
	g.queries.Routes(g.web)
	g.exports.Routes(g.web)
	g.caches.Routes(g.web)
	g.metadata.Routes(g.web)
	g.agentRoutes(g.web)
	g.miscRoutes(g.web)
	g.room.Routes(g.web)
}

// Operations lists the identifiers of the operations that have a route.
func (g *Gateway) Operations() []string {
	ids := make([]string, 0, len(g.web.Routes))
	for id := range g.web.Routes {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}

// Handler returns the API under /api/v1, without a listener.
func (g *Gateway) Handler() http.Handler { return g.web.Handler }

// Interrupt cancels the background work. Each run ends as failed, because the gateway stopped.
func (g *Gateway) Interrupt() { g.jobs.Interrupt() }

// Close waits for background work, then closes rows and state. After Interrupt it waits only briefly.
func (g *Gateway) Close() error {
	g.jobs.Settle()
	g.options.Inject.Release()
	g.options.Quirks.Release()
	g.jobs.Close()
	return errors.Join(g.engine.Close(), g.sources.Sources.Close(), g.store.Close())
}

// ownFiles are the files that connections must not read.
func ownFiles(o Options) *connector.Own {
	return connector.NewOwn(append([]string{o.Dir}, o.KeepOut...), o.Configs, store.ApplicationID)
}
