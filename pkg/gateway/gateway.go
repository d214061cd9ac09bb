// Package gateway is zone local: the service's HTTP API implemented in the binary. Control-plane state lives in the store,
// rows in the engine, and handlers are typed functions registered by operation.
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
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

// Options configure a gateway.
type Options struct {
	Dir        string // the data directory, made with mode 0700 on first use
	OpenEngine func(engine.Options) (engine.Engine, error)
	Engine     engine.Options   // Dir and NewID are filled in
	Now        func() time.Time // nil: time.Now
	Log        *slog.Logger     // one line per request; nil: none
	Version    string
	ReadOnly   bool                         // change nothing in Dir: the state is a copy that goes with the gateway, which stores no rows
	Observe    func(op spec.Op, status int) // called after every routed request; nil for none
	Limits     Limits
	Quirks     *Quirks    // faults of the hosted zones to show on purpose; nil for none
	Inject     *Injection // faults to show on purpose; nil for none

	KeepOut []string          // directories besides Dir that no connection reads
	Configs []string          // directories whose YAML files and keys no connection reads
	Reach   connector.Network // of connections that were made with a project's key
}

// Gateway serves the API over one data directory.
type Gateway struct {
	options Options
	store   *store.Store
	engine  engine.Engine
	now     func() time.Time
	log     *slog.Logger

	jobs       *jobsService
	web        *webService
	sources    *sourcesService
	names      *namesService
	projects   *projectsService
	tables     *tablesService
	queries    *queriesService
	catalogs   *catalogsService
	caches     *cachesService
	metadata   *metadataService
	statements *statementsService
	exports    *exportsService
	room       *roomService
}

// Open opens the data directory, making it on first use. No project's rows are opened yet.
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
		o.Engine.Compacted = func(project string, c engine.Compaction, err error) { tellCompacted(o.Log, project, c, err) }
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
	g.web.handler = g.web.middleware(g.web.mux())
	return g, nil
}

// wire makes the services and gives each what it needs.
func (g *Gateway) wire() {
	o, st, eng, now, log := g.options, g.store, g.engine, g.now, g.log
	g.jobs = newJobs(now, log, filepath.Join(o.Dir, "runners"), o.ReadOnly)
	g.web = &webService{store: st, engine: eng, now: now, log: log, limits: o.Limits, observe: o.Observe,
		routes: map[string]route{}, files: map[string]http.HandlerFunc{}}
	g.sources = &sourcesService{store: st, dir: o.Dir, readOnly: o.ReadOnly, network: o.Reach,
		vault: newVault(o.Dir), types: connectorTypes(), own: ownFiles(o)}
	g.sources.vault.readOnly = o.ReadOnly
	g.names = &namesService{store: st, engine: eng, now: now, log: log, sources: g.sources}
	g.projects = &projectsService{store: st, engine: eng, now: now, sources: g.sources}
	g.tables = &tablesService{store: st, now: now, dir: o.Dir, limits: o.Limits}
	g.queries = &queriesService{store: st, engine: eng, now: now, log: log, jobs: g.jobs, names: g.names}
	g.catalogs = &catalogsService{store: st, engine: eng, now: now, log: log, names: g.names, queries: g.queries, sources: g.sources}
	g.caches = &cachesService{store: st, engine: eng, now: now, log: log, jobs: g.jobs, names: g.names, catalogs: g.catalogs}
	g.catalogs.caches = g.caches
	g.metadata = &metadataService{store: st, engine: eng, now: now, log: log, jobs: g.jobs, names: g.names, sources: g.sources, catalogs: g.catalogs}
	g.statements = &statementsService{engine: eng, web: g.web, names: g.names, queries: g.queries}
	g.exports = &exportsService{store: st, now: now, log: log, web: g.web, jobs: g.jobs, names: g.names, sources: g.sources,
		queries: g.queries, catalogs: g.catalogs, dir: o.Dir, readOnly: o.ReadOnly, limits: o.Limits,
		syncDir: tempfile.SyncDir}
	g.room = &roomService{store: st, engine: eng, now: now, web: g.web, jobs: g.jobs, readOnly: o.ReadOnly}
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
	ids := make([]string, 0, len(g.web.routes))
	for id := range g.web.routes {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}

// Handler is the API under /api/v1, without a listener.
func (g *Gateway) Handler() http.Handler { return g.web.handler }

// Interrupt cancels the background work. Each run ends as failed, because the gateway stopped.
func (g *Gateway) Interrupt() { g.jobs.Interrupt() }

// Close waits for background work, then closes rows and state. After Interrupt it waits for a moment only.
func (g *Gateway) Close() error {
	g.jobs.settle()
	g.options.Inject.release()
	g.options.Quirks.release()
	g.jobs.close()
	return errors.Join(g.engine.Close(), g.sources.sources.close(), g.store.Close())
}
