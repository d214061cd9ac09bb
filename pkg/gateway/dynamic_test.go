package gateway_test

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/protocol"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/trinotest"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/jackc/pgx/v5"
)

// clustered is a gateway over a cluster, with what is asked of both.
type clustered struct {
	gatewaytest.Wire
	g       *gateway.Gateway
	cluster *protocol.Client
}

func openClustered(t *testing.T, o trino.Options, dir string) *clustered {
	t.Helper()
	g, err := gateway.Open(gateway.Options{Dir: dir, EngineName: "trino",
		OpenEngine: func(of engine.Options) (engine.Engine, error) { return trino.Open(o, of) }})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(g.Web.Handler)
	t.Cleanup(srv.Close)
	c, err := protocol.New(o.Options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &clustered{gatewaytest.Wire{T: t, Partner: g.ServeKey(), URL: srv.URL}, g, c}
}

// project creates a project with a catalog db over a connection, and returns the ids of both.
func (c *clustered) project(name, kind, credential string) (id, connection string) {
	c.T.Helper()
	id = c.Must("POST", "/organizations/"+store.DefaultOrganization+"/workspaces/"+store.DefaultWorkspace+"/projects",
		`{"name":"`+name+`"}`, "id")[0]
	connection = c.Must("POST", "/connections/"+id, `{"name":"`+name+`","type":"`+kind+`","credential":`+credential+`}`,
		"id")[0]
	c.Must("POST", "/data/projects/"+id+"/catalogs", `{"name":"db","connectionId":"`+connection+`"}`)
	return id, connection
}

// ask runs a statement in a project.
func (c *clustered) ask(id, text string) (int, string) {
	c.T.Helper()
	raw, err := json.Marshal(map[string]string{"statement": text})
	if err != nil {
		c.T.Fatal(err)
	}
	return c.Call(c.Partner, "POST", "/data/projects/"+id+"/queries/execute?format=COMPACT", string(raw))
}

// past runs a statement past the gateway, as another user of the cluster than dig if one is given.
func (c *clustered) past(user, text string) (out string, err error) {
	c.T.Helper()
	q, err := c.cluster.Start(c.T.Context(), protocol.Request{SQL: text, User: user})
	if err != nil {
		return "", err
	}
	defer q.Close()
	for {
		p, err := q.Next(c.T.Context())
		if p == nil {
			if err != nil && err.Error() == "EOF" {
				err = nil
			}
			return out, err
		}
		out += string(p.Data)
	}
}

// made are the catalogs that the gateway has made.
func (c *clustered) made() (out []string) {
	c.T.Helper()
	all, err := c.past("", "SHOW CATALOGS")
	if err != nil {
		c.T.Fatal(err)
	}
	for _, name := range strings.Split(all, `"`) {
		if strings.HasPrefix(name, "dig_") {
			out = append(out, name)
		}
	}
	return out
}

func credentialOf(t *testing.T, host string, port, user, password, database string) string {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"url": host, "port": port, "user": user, "password": password,
		"databaseName": database})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestDynamicCatalogs: the cluster reads each connection from a catalog of its own, which only the project may read,
// which follows the connection and ends with it.
func TestDynamicCatalogs(t *testing.T) {
	o := trinotest.Secure(t, t.TempDir())
	o.Dynamic = true
	dir := t.TempDir()
	c := openClustered(t, o, dir)
	secrets := map[string]bool{}
	credential := func(u *url.URL, rows int) string {
		conn, err := pgx.Connect(t.Context(), u.String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		if _, err := conn.Exec(t.Context(), `CREATE TABLE many AS SELECT g AS id, repeat('x', 50) AS text
			FROM generate_series(1, `+strconv.Itoa(rows)+`) g; CREATE TABLE "Upper" AS SELECT 7 AS "Id"`); err != nil {
			t.Fatal(err)
		}
		password, _ := u.User.Password()
		secrets[password] = true
		return credentialOf(t, u.Hostname(), u.Port(), u.User.Username(), password, strings.Trim(u.Path, "/"))
	}
	one, two, three := testdb.Postgres(t), testdb.Postgres(t), testdb.Postgres(t)
	near, connection := c.project("near", "POSTGRES", credential(one, 20_001))
	far, _ := c.project("far", "POSTGRES", credential(two, 20_002))
	const many = "SELECT count(*) AS n, max(text) AS x FROM db.public.many"
	reads := func(id, rows string) {
		t.Helper()
		if status, got := c.ask(id, many); status != 200 || !strings.Contains(got, rows) {
			t.Errorf("%d %s", status, got)
		}
	}
	reads(near, "20001")
	reads(far, "20002")
	if status, got := c.ask(near, `SELECT id FROM db.public.upper`); status != 200 || !strings.Contains(got, "7") {
		t.Errorf("a name with capitals: %d %s", status, got)
	}
	before := c.made()
	if len(before) != 2 {
		t.Fatal(before)
	}
	for _, id := range []string{near, far} {
		seen, err := c.past("dig-"+id, "SHOW CATALOGS")
		if err != nil || strings.Count(seen, "dig_") != 1 {
			t.Errorf("the user of a project sees %s %v", seen, err)
		}
		for _, name := range before {
			_, err := c.past("dig-"+id, "SELECT count(*) FROM "+name+".public.many")
			if mine := strings.Contains(seen, name); mine != (err == nil) {
				t.Errorf("%s of %s: %v", name, seen, err)
			}
			for _, text := range []string{"DROP CATALOG " + name, "CREATE CATALOG " + name + "x USING memory",
				"CREATE CATALOG " + name[:len(name)-16] + "0123456789abcdef USING memory",
				"INSERT INTO " + name + ".public.many VALUES (0, '')",
				"SELECT * FROM TABLE(" + name + ".system.query(query => 'SELECT 1 AS x'))"} {
				if _, err := c.past("dig-"+id, text); err == nil || !strings.Contains(err.Error(), "Access Denied") {
					t.Errorf("%s: %v", text, err)
				}
			}
		}
		for _, name := range before {
			if status, got := c.ask(id, "SELECT * FROM "+name+".public.many"); status != 400 {
				t.Errorf("%d %s", status, got)
			}
		}
	}

	c.Must("PUT", "/connections/"+near+"/"+connection, `{"type":"POSTGRES","credential":`+credential(three, 20_003)+`}`)
	reads(near, "20003")
	after := c.made()
	if len(after) != 2 || slices.Equal(before, after) {
		t.Errorf("%s became %s", before, after)
	}
	for _, name := range after { // the coordinator may have lost them
		if _, err := c.past("", "DROP CATALOG "+name); err != nil {
			t.Error(err)
		}
	}
	reads(near, "20003")
	reads(far, "20002")

	role, password := "lost_"+strings.Trim(three.Path, "/"), "correct-horse-battery"
	conn, err := pgx.Connect(t.Context(), three.String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	defer func() {
		if _, err := conn.Exec(t.Context(), "DROP OWNED BY "+role+"; DROP ROLE "+role); err != nil {
			t.Error(err)
		}
	}()
	if _, err := conn.Exec(t.Context(), "CREATE ROLE "+role+" LOGIN PASSWORD '"+password+
		"'; GRANT SELECT ON many TO "+role); err != nil {
		t.Fatal(err)
	}
	c.Must("PUT", "/connections/"+near+"/"+connection, `{"type":"POSTGRES","credential":`+credentialOf(t,
		three.Hostname(), three.Port(), role, password, strings.Trim(three.Path, "/"))+`}`)
	reads(near, "20003")
	if _, err := conn.Exec(t.Context(), "ALTER ROLE "+role+" PASSWORD 'another'"); err != nil {
		t.Fatal(err)
	}
	if status, got := c.ask(near, many); status < 400 || strings.Contains(got, password) {
		t.Errorf("%d %s", status, got)
	}

	if err := c.g.Close(); err != nil {
		t.Fatal(err)
	}
	left := c.made()
	stranger := "dig_" + left[0][4:13] + "gone_0123456789abcdef"
	if _, err := c.past("", "CREATE CATALOG "+stranger+" USING memory"); err != nil {
		t.Fatal(err)
	}
	c = openClustered(t, o, dir)
	defer func() {
		if err := c.g.Close(); err != nil {
			t.Error(err)
		}
	}()
	if got := c.made(); !slices.Equal(got, left) {
		t.Errorf("at the start %s became %s", left, got)
	}
	c.Must("DELETE", "/connections/"+near+"/"+connection, "")
	if got := c.made(); len(got) != 1 {
		t.Errorf("without the connection: %s", got)
	}
	reads(far, "20002")
	c.Must("DELETE", "/organizations/"+store.DefaultOrganization+"/workspaces/"+store.DefaultWorkspace+"/projects/"+far,
		"")
	if got := c.made(); len(got) != 0 {
		t.Errorf("without the project: %s", got)
	}
}
