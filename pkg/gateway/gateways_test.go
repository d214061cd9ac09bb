package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/trinotest"
	"github.com/dig-cli/dig/pkg/gateway/exports/s3test"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// member is what a process of TestGateways is started with.
type member struct{ Dir, Shared, Postgres, Bucket, Listen, Key string }

const memberVariable = "DIG_TEST_MEMBER"

// TestMember is a gateway of TestGateways, in a process of its own.
func TestMember(t *testing.T) {
	var m member
	if err := json.Unmarshal([]byte(os.Getenv(memberVariable)), &m); err != nil {
		t.Skip("it is a process of TestGateways")
	}
	g, err := gateway.Open(gateway.Options{Dir: m.Dir, SharedDir: m.Shared, Bucket: m.bucket(t),
		Postgres: &store.Postgres{Address: m.Postgres, Shared: true}, EngineName: "trino",
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		OpenEngine: func(o engine.Options) (engine.Engine, error) {
			return trino.Open(trinotest.Options(t, m.Shared), o)
		}})
	if err != nil {
		t.Fatal(err)
	}
	g.UseServeKey(m.Key)
	s, err := g.Listen(gateway.Address{Listen: m.Listen})
	if err != nil {
		t.Fatal(err)
	}
	t.Fatal(s.Wait(context.Background(), 0)) // it is killed
}

// cluster is two gateways over one state, each of which has a client.
type cluster struct {
	*testing.T
	members [2]member
	clients [2]*api.Client
	over    atomic.Bool
	logs    [2]gatewaytest.LogBuffer
	running [2]*exec.Cmd
	bucket  *s3test.Store // of the files of exports; nil if they are in the shared folder

	mu     sync.Mutex
	calls  int
	errors map[string]int
}

func startCluster(t *testing.T) (*cluster, string) {
	shared := t.TempDir()
	trinotest.Options(t, shared)
	c := &cluster{T: t, errors: map[string]int{}}
	address, bucket := testdb.Postgres(t).String(), ""
	if os.Getenv("DIG_TEST_GATEWAYS_EXPORTS") == "s3" {
		c.bucket = s3test.New(t)
		bucket = c.bucket.URL
	}
	key := gateway.NewServeKey()
	for i := range c.members {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c.members[i] = member{Dir: t.TempDir(), Shared: shared, Postgres: address, Bucket: bucket,
			Listen: l.Addr().String(), Key: key}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		c.clients[i], err = api.New(api.Options{BaseURL: "http://" + c.members[i].Listen + "/api/v1", Key: key})
		if err != nil {
			t.Fatal(err)
		}
		c.start(i)
	}
	t.Cleanup(func() {
		for i := range c.running {
			c.kill(i)
		}
		if t.Failed() {
			for i := range c.logs {
				var kept []string
				for _, l := range strings.Split(c.logs[i].String(), "\n") {
					if !strings.Contains(l, "level=INFO") {
						kept = append(kept, l)
					}
				}
				t.Logf("gateway %d:\n%s", i, strings.Join(kept, "\n"))
			}
		}
	})
	return c, address
}

// start starts a gateway and waits until it answers.
func (c *cluster) start(i int) {
	raw, err := json.Marshal(c.members[i])
	if err != nil {
		c.Fatal(err)
	}
	p := exec.Command(os.Args[0], "-test.run=^TestMember$")
	p.Env = append(os.Environ(), memberVariable+"="+string(raw))
	p.Stderr, p.Stdout = &c.logs[i], &c.logs[i]
	if err := p.Start(); err != nil {
		c.Fatal(err)
	}
	c.running[i] = p
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := c.clients[i].Queries.List(context.Background(), gatewaytest.Local); err == nil {
			return
		} else if time.Now().After(end) {
			c.Fatalf("gateway %d does not answer: %v\n%s", i, err, c.logs[i].String())
		}
	}
}

func (c *cluster) kill(i int) {
	if p := c.running[i]; p != nil {
		_ = p.Process.Kill()
		_ = p.Wait()
		c.running[i] = nil
	}
}

var changing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+`)

// ok reports whether a call has succeeded, and notes its error: one that the gateway has answered, or that of a
// connection to a gateway that was killed.
func (c *cluster) ok(what string, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	if err == nil {
		return true
	}
	c.errors[what+": "+changing.ReplaceAllString(err.Error(), "N")]++
	var e *api.Error
	if errors.As(err, &e) && (e.Status == 500 && strings.Contains(e.Message, "internal") || e.Message == "") {
		c.Errorf("%s: an error that says nothing: %v", what, err)
	}
	return false
}

// failed notes the end of a run, which must be that of its gateway.
func (c *cluster) failed(what, reason string) {
	c.ok("run: "+what, errors.New(reason))
	if !strings.Contains(reason, jobs.CutOff) {
		c.Errorf("%s: %s", what, reason)
	}
}

// until calls f with one of the clients and then the other until it is done.
func (c *cluster) until(what string, f func(*api.Client) (done bool, err error)) {
	for n, end := 0, time.Now().Add(2*time.Minute); ; n++ {
		done, err := f(c.clients[n%2])
		if c.ok(what, err) && done {
			return
		}
		if time.Now().After(end) {
			c.Errorf("%s: it does not end; the last error is %v", what, err)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// value is the only value of a statement.
func (c *cluster) value(cl *api.Client, text string) (string, error) {
	res, err := cl.Queries.Execute(context.Background(), gatewaytest.Local, api.ExecuteByStatement{Statement: text},
		api.ExecuteOptions{Format: api.Compact})
	if err != nil {
		return "", err
	}
	defer res.Close()
	raw, err := io.ReadAll(res.Body)
	return string(bytes.TrimSpace(raw)), err
}

const counts = `SELECT count(*), count(DISTINCT k) FROM peaka."table".`

// imports imports documents one after another into a table. One whose reply was lost is looked up by its id, and sent
// again if it is not stored.
func (c *cluster) imports(table string, n int) (rows int64) {
	for k := 0; !c.over.Load(); k++ {
		id := uuid.NewString()
		var doc strings.Builder
		doc.WriteString("k\n")
		for i := range 40 {
			fmt.Fprintf(&doc, "%d-%d-%d\n", n, k, i)
		}
		begun, known := time.Now(), false
		c.until("import", func(cl *api.Client) (bool, error) {
			if known {
				found, err := cl.FindImport(context.Background(), gatewaytest.Local, id)
				if err != nil || found.Rows > 0 {
					return found.Rows > 0, err
				}
			}
			known = true
			_, err := cl.Tables.Import(context.Background(), gatewaytest.Local, table, api.ImportRequest{ID: id,
				ContainsHeader: true, Mappings: []api.ImportMapping{{Name: "k", CSVColumnName: "k"}}}, "x.csv",
				strings.NewReader(doc.String()))
			return err == nil, err
		})
		rows += 40
		if took := time.Since(begun); took > 10*time.Second {
			c.Logf("an import took %v", took.Round(time.Millisecond))
		}
	}
	return rows
}

// TestGateways has two gateways over one state serve 16 clients while one of them is killed again and again. Nothing
// that was acknowledged is lost or doubled, no run stays active, no schedule runs twice, and every call has an answer
// or a broken connection. DIG_TEST_GATEWAYS is for how long, such as 10m, DIG_TEST_GATEWAYS_KILL the time between
// kills. With DIG_TEST_GATEWAYS_EXPORTS=s3 the files of exports are in a bucket, where nothing else is left in the end.
func TestGateways(t *testing.T) {
	setting := func(name string, standard time.Duration) time.Duration {
		if d, err := time.ParseDuration(os.Getenv(name)); err == nil {
			return d
		}
		return standard
	}
	long, pause := setting("DIG_TEST_GATEWAYS", 40*time.Second), setting("DIG_TEST_GATEWAYS_KILL", 10*time.Second)
	c, address := startCluster(t)
	ctx, cl := context.Background(), c.clients[0]
	db, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	tables := []string{"t0", "t1"}
	for _, name := range tables {
		if _, err := cl.Tables.Create(ctx, gatewaytest.Local, name); err != nil {
			t.Fatal(err)
		}
		if _, err := cl.Tables.AddColumns(ctx, gatewaytest.Local, name, []api.ColumnRequest{{Name: "k",
			DataType: "varchar"}}); err != nil {
			t.Fatal(err)
		}
	}
	var caches []string
	for _, name := range []string{"customers", "products", "orders"} {
		made, err := cl.Cache.Create(ctx, gatewaytest.Local, api.CacheRequest{CatalogID: names.SampleCatalogID,
			SchemaName: "shop", TableName: name})
		if err != nil {
			t.Fatal(err)
		}
		caches = append(caches, made.ID)
	}
	every := "PT1H"
	m := gatewaytest.Materialized{T: t, Cl: cl}
	for n := range 4 {
		m.Create(fmt.Sprint("m", n), "SELECT count(*) AS n FROM sample.shop.orders",
			&api.MaterializedQuerySchedule{Type: "interval", RepeatDuration: &every})
	}
	var all sync.WaitGroup
	var rows [6]int64
	for n := range rows {
		all.Go(func() { rows[n] = c.imports(tables[n%2], n) })
	}
	for n := range 4 {
		all.Go(func() {
			for k := n; !c.over.Load(); k++ {
				_, err := c.value(c.clients[k%2], counts+tables[n%2])
				c.ok("statement", err)
			}
		})
	}
	for n := range 3 { // the orders, too: they are many
		all.Go(func() {
			for k := n; !c.over.Load(); k++ {
				err := c.clients[k%2].Cache.FullRefresh(ctx, gatewaytest.Local, caches[n])
				if !c.ok("refresh of a cache", err) {
					time.Sleep(200 * time.Millisecond)
					continue
				}
				c.until("state of a cache", func(cl *api.Client) (bool, error) {
					s, err := cl.Cache.Status(ctx, gatewaytest.Local, caches[n], nil)
					if run := s.Newest(); err == nil && run != nil && run.Status == api.StateFailed {
						c.failed("refresh of "+s.TableName, string(run.Error["message"]))
					}
					return err == nil && s.Status != api.StateRunning, err
				})
			}
		})
	}
	var saved []string
	all.Go(func() {
		for k := 0; !c.over.Load(); k++ {
			name, text := fmt.Sprint("q", k), "SELECT 1 AS x"
			if q, err := c.clients[k%2].Queries.Create(ctx, gatewaytest.Local, api.QueryRequest{DisplayName: &name,
				InputQuery: &text}, nil); c.ok("new query", err) {
				saved = append(saved, q.ID)
			}
		}
	})
	files := 0
	all.Go(func() { // by one gateway, and downloaded from the other
		for k := 0; !c.over.Load(); k++ {
			job, err := c.clients[k%2].Exports.StartTable(ctx, gatewaytest.Local, names.SampleCatalogID, "shop",
				"customers", api.ExportRequest{})
			if !c.ok("export", err) {
				continue
			}
			var x api.ExportJobResponse
			c.until("state of an export", func(cl *api.Client) (bool, error) {
				x, err = cl.Exports.Get(ctx, gatewaytest.Local, job.ID)
				return err == nil && x.Status != store.ExportPending && x.Status != store.ExportRunning, err
			})
			if x.Status != store.ExportSucceeded {
				c.failed("export", text(x.Error))
				continue
			}
			c.until("download", func(cl *api.Client) (bool, error) {
				if x, err = cl.Exports.Get(ctx, gatewaytest.Local, job.ID); err != nil {
					return false, err
				}
				other := c.clients[(k+1)%2]
				x.Files[0].URL = regexp.MustCompile(`^http://[^/]*`).ReplaceAllString(x.Files[0].URL,
					"http://"+c.members[(k+1)%2].Listen)
				rep, err := other.Exports.Open(ctx, x.Files[0], 0, "")
				if err != nil {
					return false, err
				}
				defer rep.Body.Close()
				n, err := io.Copy(io.Discard, rep.Body)
				if err == nil && n != *x.Bytes {
					t.Errorf("%d of %d bytes of an export", n, *x.Bytes)
				}
				return err == nil, err
			})
			files++
		}
	})
	due := 0
	all.Go(func() { // the schedules of all queries are due again and again
		for ; !c.over.Load(); time.Sleep(3 * time.Second) {
			r, err := db.Exec(ctx, "UPDATE materialized SET next_at = '2020-01-01T00:00:00.000Z' WHERE "+
				"next_at > '2021' AND status <> 'RUNNING'")
			if err != nil {
				t.Error(err)
				return
			}
			due += int(r.RowsAffected())
			// One whose process has died would rest for longer than this test takes.
			if _, err := db.Exec(ctx, "UPDATE materialized SET started_at = '2020-01-01T00:00:00.000Z' WHERE "+
				"status = 'FAILED'"); err != nil {
				t.Error(err)
				return
			}
		}
	})
	kills := 0
	for end := time.Now().Add(long); time.Now().Add(pause).Before(end); kills++ {
		time.Sleep(pause)
		c.kill(kills % 2)
		time.Sleep(time.Second)
		c.start(kills % 2)
	}
	time.Sleep(pause)
	c.over.Store(true)
	all.Wait()
	for _, cl := range c.clients {
		for i, name := range tables {
			want := rows[i] + rows[i+2] + rows[i+4]
			have, err := c.value(cl, counts+name)
			if !strings.Contains(have, fmt.Sprintf(`[["%d","%d"]]`, want, want)) || err != nil {
				t.Errorf("%s has %s, of %d rows, %v", name, have, want, err)
			}
		}
		list, err := cl.Queries.List(ctx, gatewaytest.Local)
		if err != nil {
			t.Error(err)
		}
		for _, id := range saved {
			if !slices.ContainsFunc(list, func(q api.Query) bool { return q.ID == id }) {
				t.Errorf("the query %s is gone", id)
			}
		}
	}
	// Runs of a gateway that was killed end without a call.
	active := -1
	for end := time.Now().Add(time.Minute); active != 0 && time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if err := db.QueryRow(ctx, "SELECT (SELECT count(*) FROM materialized WHERE status = 'RUNNING') + "+
			"(SELECT count(*) FROM cache_runs WHERE status = 'RUNNING') + "+
			"(SELECT count(*) FROM exports WHERE status IN ('PENDING', 'RUNNING'))").Scan(&active); err != nil {
			t.Fatal(err)
		}
	}
	if active != 0 {
		t.Errorf("%d runs are active", active)
	}
	if c.bucket != nil {
		c.onlyExports(db)
	}
	scheduled := 0
	for i := range c.logs {
		scheduled += strings.Count(c.logs[i].String(), "scheduled=true")
	}
	if scheduled > due || scheduled == 0 {
		t.Errorf("%d scheduled runs of %d that were due", scheduled, due)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t.Logf("%d kills, %d calls, rows %v, %d queries, %d files of exports, %d scheduled runs of %d that were due", kills,
		c.calls, rows, len(saved), files, scheduled, due)
	for text, n := range c.errors {
		t.Logf("%4d × %s", n, text)
	}
}

func text(p *string) string {
	if p == nil {
		return "no reason"
	}
	return *p
}
