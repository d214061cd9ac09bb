//go:build cgo

package cmd

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
)

var loadFor = flag.Duration("load", 6*time.Second,
	"how long TestLoad runs; the server is killed every 10 seconds, or three times in a shorter run")

// TestLoad sends 32 clients over TCP to one served gateway: imports, queries, cache and materialized refreshes, exports
// and deletes in four projects, while the server is killed and started again. Afterwards no acknowledged write may be
// lost, no import may be half there, no file may be left over, no job may be RUNNING, and no row may have been seen in
// another project.
func TestLoad(t *testing.T) {
	needLocal(t)
	l := newLoad(t)
	l.setUp()
	begun := time.Now()
	every := min(10*time.Second, *loadFor/3)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for i := range 32 {
		wg.Go(func() {
			w := newLoadClient(l, i)
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
					w.step(n)
				}
			}
		})
	}
	for end := begun.Add(*loadFor); time.Now().Before(end) && !t.Failed(); {
		time.Sleep(min(every, time.Until(end)))
		l.kill()
		l.start()
	}
	close(stop)
	wg.Wait()
	l.kill() // once more, so that work which no client waits for is cut off too
	l.start()
	l.verify()
	l.stop()
	l.leftOvers()
	l.report(time.Since(begun))
}

// load is one run: a server that comes and goes, and what its clients know.
type load struct {
	t        *testing.T
	data     string
	addr     string
	server   *exec.Cmd
	line     io.Closer // the server ends when this closes
	log      *os.File
	projects []*loadProject

	mu    sync.Mutex
	done  map[string]int // acknowledged, by kind of work
	cut   map[string]int // no answer
	wrong int
	away  bool // the server is not there
	kills int
}

// loadProject is what is known of one project.
type loadProject struct {
	id, mark, key string
	dir           string // of its folder of files
	lake, cache   string // catalog and cache of the folder's table "orders"
	snap          string // its materialized query

	mu      sync.Mutex
	batches map[string]batch // of table events
	objects map[string]bool  // "table x" and "query x": whether it must be there; absent when nobody knows
	exports []string
	version int // of the file behind the cache
}

type batch struct {
	rows  int
	acked bool
}

func newLoad(t *testing.T) *load {
	l := &load{t: t, data: t.TempDir(), done: map[string]int{}, cut: map[string]int{}}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.addr = free.Addr().String()
	free.Close()
	if l.log, err = os.Create(filepath.Join(t.TempDir(), "log")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.kill()
		l.log.Close()
		if t.Failed() {
			raw, _ := os.ReadFile(l.log.Name())
			t.Logf("the server's log:\n%s", raw[max(0, len(raw)-8000):])
		}
	})
	return l
}

// start serves the data directory and waits until it answers.
func (l *load) start() {
	c := process(l.t, l.data, "gateway", "serve", "--listen", l.addr, "--quiet")
	c.Env = append(c.Env, "DIG_TEST_LIFELINE=1")
	c.Stderr = l.log
	in, err := c.StdinPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.server, l.line = c, in
	for range 200 {
		if rep, err := http.Get("http://" + l.addr + "/healthz"); err == nil {
			rep.Body.Close()
			l.mu.Lock()
			l.away = false
			l.mu.Unlock()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	l.t.Fatal("the gateway does not answer")
}

func (l *load) kill() {
	if l.server != nil {
		l.mu.Lock()
		l.away, l.kills = true, l.kills+1
		l.mu.Unlock()
		_ = l.server.Process.Kill()
		_ = l.server.Wait()
		l.line.Close()
		l.server = nil
	}
}

// stop lets the server end by itself.
func (l *load) stop() {
	_ = l.server.Process.Signal(os.Interrupt)
	if err := l.server.Wait(); err != nil {
		l.t.Errorf("the gateway did not stop in order: %v", err)
	}
	l.server = nil
}

// setUp makes four projects, each with a key, a table, a folder of files with a cache, and a materialized query.
func (l *load) setUp() {
	for i := range 4 {
		p := &loadProject{mark: fmt.Sprintf("project-%d", i), dir: l.t.TempDir(), batches: map[string]batch{},
			objects: map[string]bool{}}
		p.id = strings.TrimSpace(mustRun(l.t, l.data, "project", "create", p.mark, "--jq", ".id"))
		p.key = strings.TrimSpace(mustRun(l.t, l.data, "--project", p.id, "api-key", "create", "load",
			"--jq", ".apiKey"))
		l.projects = append(l.projects, p)
	}
	l.start()
	ctx := context.Background()
	for _, p := range l.projects {
		cl := l.client(p)
		must := func(err error) {
			l.t.Helper()
			if err != nil {
				l.t.Fatal(err)
			}
		}
		_, err := cl.Tables.Create(ctx, p.id, "events")
		must(err)
		_, err = cl.Tables.AddColumns(ctx, p.id, "events", []api.ColumnRequest{{Name: "mark", DataType: "VARCHAR"},
			{Name: "batch", DataType: "VARCHAR"}, {Name: "seq", DataType: "BIGINT"}})
		must(err)
		p.writeFile(l.t, 0)
		conn, err := cl.Connections.Create(ctx, p.id, api.ConnectionRequest{Name: "folder", Type: "files",
			Credential: map[string]any{"path": p.dir}})
		must(err)
		cat, err := cl.Catalogs.Create(ctx, p.id, api.CatalogRequest{Name: "lake", ConnectionID: conn.ID})
		must(err)
		p.lake = cat.ID
		made, err := cl.Cache.Create(ctx, p.id, api.CacheRequest{CatalogID: p.lake, SchemaName: "files",
			TableName: "orders"})
		must(err)
		p.cache = made.ID
		name, sql := "snap", `SELECT mark, batch, count(*) AS n, count(DISTINCT seq) AS d FROM peaka."table".events `+
			`GROUP BY mark, batch`
		q, err := cl.Queries.Create(ctx, p.id, api.QueryRequest{DisplayName: &name, InputQuery: &sql,
			QueryType: "MATERIALIZED"}, nil)
		must(err)
		p.snap = q.ID
	}
}

// writeFile replaces the file behind the cache: every row carries its version, and the version decides how many rows
// there are.
func (p *loadProject) writeFile(t *testing.T, version int) {
	var b bytes.Buffer
	b.WriteString("mark,version,n\n")
	for i := range 300 + version%200 {
		fmt.Fprintf(&b, "%s,%d,%d\n", p.mark, version, i)
	}
	path := filepath.Join(p.dir, "orders.csv")
	if err := os.WriteFile(path+".new", b.Bytes(), 0o600); err != nil {
		t.Error(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Error(err)
	}
}

func (l *load) client(p *loadProject) *api.Client {
	cl, err := api.New(api.Options{BaseURL: "http://" + l.addr + "/api/v1", Key: p.key, Timeout: 30 * time.Second,
		Transport: &http.Transport{DisableCompression: true}})
	if err != nil {
		l.t.Fatal(err)
	}
	return cl
}

func (l *load) errorf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wrong++; l.wrong <= 20 {
		l.t.Errorf(format, args...)
	}
}

func (l *load) report(took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rows := 0
	for _, p := range l.projects {
		for _, b := range p.batches {
			if b.acked {
				rows += b.rows
			}
		}
	}
	l.t.Logf("%v, %d kills, %d rows acknowledged", took.Round(time.Second), l.kills, rows)
	for _, kind := range slices.Sorted(maps.Keys(l.done)) {
		l.t.Logf("%-22s %6d done, %4d cut off", kind, l.done[kind], l.cut[kind])
		if l.done[kind] == 0 && *loadFor >= 30*time.Second {
			l.t.Errorf("no %s was ever acknowledged: the run shows nothing of it", kind)
		}
	}
}

// newLoadClient is the i-th client, at work in one project with a stream of chance of its own.
func newLoadClient(l *load, i int) *loadClient {
	p := l.projects[i%len(l.projects)]
	return &loadClient{l: l, p: p, i: i, cl: l.client(p), r: rand.New(rand.NewPCG(uint64(i), 1))}
}
