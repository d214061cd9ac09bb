// Package gateway is zone local: the service's HTTP API implemented in the binary. Control-plane state lives in the store,
// rows in the engine, and handlers are typed functions registered by operation.
package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"sort"
	"sync"
	"sync/atomic"
	"time"

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
	options   Options
	store     *store.Store
	engine    engine.Engine
	routes    map[string]route
	local     []route                     // beyond the service's operations
	files     map[string]http.HandlerFunc // by the beginning of their paths: what needs no key because its link is its proof
	handler   http.Handler
	now       func() time.Time
	log       *slog.Logger
	jobs      sync.WaitGroup // background work that Close waits for
	working   atomic.Int64   // how much of it there is
	runners   *runners
	duties    []duty      // run every second while the gateway serves
	rereading tally       // by project and catalog: refreshes of metadata that go on
	saving    keyed       // by project: saved queries are checked against each other and stored by one at a time
	storing   keyed       // by materialized query: its rows are replaced or dropped by one at a time
	swept     atomic.Bool // files of exports that belong to no job were removed
	editing   keyed       // by cache: what an update keeps is read and written again by one at a time
	ends      ends        // of runs, not yet recorded
	tidying   tally       // by project: tables of caches that nothing needs are being dropped
	ctx       context.Context
	stop      context.CancelFunc
	closing   context.Context // ends when Close waits for the background work
	close     context.CancelFunc

	vault   *vault
	types   connector.Registry // of connections
	own     *connector.Own
	sources sources
	hooks   hooks

	dir       string
	readOnly  bool
	limits    Limits
	network   connector.Network
	observe   func(op spec.Op, status int)
	servedKey []byte // hash of the key of `gateway serve --print-key`
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
	eng, err := o.OpenEngine(o.Engine)
	if err != nil {
		st.Close()
		return nil, err
	}
	g := &Gateway{options: o, store: st, engine: eng, routes: map[string]route{}, files: map[string]http.HandlerFunc{}, now: o.Now, log: o.Log,
		dir: o.Dir, readOnly: o.ReadOnly, limits: o.Limits, network: o.Reach, observe: o.Observe,
		runners: &runners{dir: filepath.Join(o.Dir, "runners"), readOnly: o.ReadOnly}}
	g.vault, g.types = newVault(o.Dir), connectorTypes()
	g.vault.readOnly = o.ReadOnly
	g.own = ownFiles(o)
	g.ctx, g.stop = context.WithCancel(context.Background())
	g.closing, g.close = context.WithCancel(context.Background())
	g.misbehave()
	g.register()
	g.handler = g.middleware(g.mux())
	return g, nil
}

// register names every handler. One line a group; each group's file registers its own operations.
func (g *Gateway) register() {
	g.registerOrganizations()
	g.registerProjects()
	g.registerInfo()
	g.registerTables()
	g.registerCatalogs()
	g.registerExecute()
	g.registerConnections()
	g.registerQueries()
	g.registerFolders()
	g.registerMaterialized()
	g.registerExports()
	g.registerCaches()
	g.registerStoredCatalogs()
	g.registerParametric()
	g.registerSearch()
	g.registerAPIKeys()
	g.registerAgent()
	g.registerMisc()
	g.registerSemantic()
	g.registerMetadata()
}

// Operations lists the identifiers of the operations that have a route.
func (g *Gateway) Operations() []string {
	ids := make([]string, 0, len(g.routes))
	for id := range g.routes {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}

// Handler is the API under /api/v1, without a listener.
func (g *Gateway) Handler() http.Handler { return g.handler }

// Close waits for background work, then closes rows and state. After Interrupt it waits for a moment only.
func (g *Gateway) Close() error {
	g.close()
	g.options.Inject.release()
	g.options.Quirks.release()
	if n := g.waitJobs(); n > 0 {
		g.log.Error("background work did not end; the next process ends it as cut off", "runs", n)
	}
	g.stop()
	g.runners.close()
	return errors.Join(g.engine.Close(), g.sources.close(), g.store.Close())
}
