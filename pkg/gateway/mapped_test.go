package gateway_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/trinotest"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/jackc/pgx/v5"
)

// mappedTables has a value of each type that both the gateway and the cluster read, and a table that is too large to be
// sent with a statement.
const mappedTables = `DROP SCHEMA IF EXISTS mapped CASCADE; CREATE SCHEMA mapped; CREATE TABLE mapped.kinds(
	id bigint, a smallint, b int, c real, d double precision, e numeric(12,3), f varchar(20), g char(4), h text,
	i bytea, j date, k time(3), l timestamp(6), m timestamptz, n boolean, o uuid, p jsonb);
INSERT INTO mapped.kinds VALUES (1, -7, 8, 1.5, 2.25, 3.125, 'vier', 'ab', 'ż', '\x00ff', '2024-02-29', '12:34:56.789',
	'2024-02-29 12:34:56.789012', '2024-02-29 12:34:56.789+02', true, 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
	'{"a": [1]}'),
	(2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE mapped.many AS SELECT g AS id, repeat('x', 50) AS text FROM generate_series(1, 20000) g;
CREATE TABLE mapped."Upper"(id int);`

// TestMappedCatalog: the cluster reads the tables of a connection by itself, with the values that the gateway reads,
// for the project of the connection alone.
func TestMappedCatalog(t *testing.T) {
	o := trinotest.Secure(t, t.TempDir())
	db := testdb.Shared(t)
	conn, err := pgx.Connect(t.Context(), db.String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), mappedTables); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := conn.Exec(t.Context(), "DROP SCHEMA mapped CASCADE"); err != nil {
			t.Error(err)
		}
	}()
	dir := t.TempDir()
	open := func(catalogs ...engine.Mapping) (gatewaytest.Wire, *gateway.Gateway) {
		o.Catalogs = catalogs
		g, err := gateway.Open(gateway.Options{Dir: dir, EngineName: "trino",
			OpenEngine: func(of engine.Options) (engine.Engine, error) { return trino.Open(o, of) }})
		if err != nil {
			t.Fatal(err)
		}
		srv := httptest.NewServer(g.Web.Handler)
		t.Cleanup(srv.Close)
		return gatewaytest.Wire{T: t, Partner: g.ServeKey(), URL: srv.URL}, g
	}
	w, g := open()
	password, _ := db.User.Password()
	credential := func(host, password string) string {
		raw, err := json.Marshal(map[string]any{"url": host, "port": db.Port(), "user": db.User.Username(),
			"password": password, "databaseName": strings.Trim(db.Path, "/")})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	type project struct{ id, connection string }
	var both []project
	for _, name := range []string{"near", "far"} {
		p := project{id: w.Must("POST", "/organizations/"+store.DefaultOrganization+"/workspaces/"+
			store.DefaultWorkspace+"/projects", `{"name":"`+name+`"}`, "id")[0]}
		p.connection = w.Must("POST", "/connections/"+p.id, `{"name":"`+name+`","type":"POSTGRES","credential":`+
			credential(db.Hostname(), password)+`}`, "id")[0]
		w.Must("POST", "/data/projects/"+p.id+"/catalogs", `{"name":"db","connectionId":"`+p.connection+`"}`)
		both = append(both, p)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	near, far := both[0], both[1]
	w, g = open(engine.Mapping{Catalog: "pg", Project: near.id, Connection: near.connection})
	defer func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}()
	ask := func(p project, text string) (int, string) {
		raw, err := json.Marshal(map[string]string{"statement": text})
		if err != nil {
			t.Fatal(err)
		}
		return w.Call(w.Partner, "POST", "/data/projects/"+p.id+"/queries/execute?format=COMPACT", string(raw))
	}
	const kinds = "SELECT * FROM db.mapped.kinds ORDER BY id"
	status, here := ask(near, kinds)
	if other, sent := ask(far, kinds); status != 200 || other != 200 || here != sent {
		t.Errorf("the cluster reads\n%d %s\nthe gateway\n%d %s", status, here, other, sent)
	}
	const many = "SELECT count(*), sum(id), max(text) FROM db.mapped.many"
	if status, got := ask(near, many); status != 200 || !strings.Contains(got, "200010000") {
		t.Errorf("%d %s", status, got)
	}
	if status, got := ask(far, many); status != 400 || !strings.Contains(got, "--trino-catalog") {
		t.Errorf("not mapped: %d %s", status, got)
	}
	if status, got := ask(near, "EXPLAIN SELECT count(*) FROM db.mapped.many WHERE id < 10"); !strings.Contains(got,
		"pg:Query[SELECT count(*)") {
		t.Errorf("the source does not count: %d %s", status, got)
	}
	for _, text := range []string{"SELECT * FROM db.mapped.nosuch", "SELECT * FROM db.nosuch.kinds",
		`SELECT * FROM "cluster:pg".mapped.kinds`, "SELECT * FROM pg.mapped.kinds",
		"SELECT * FROM TABLE(pg.system.query(query => 'SELECT 1 AS x'))",
		"SELECT * FROM TABLE(db.system.query(query => 'SELECT 1 AS x'))", `SELECT * FROM db.mapped."Upper"`} {
		if status, got := ask(near, text); status != 400 {
			t.Errorf("%s: %d %s", text, status, got)
		}
	}
	query := w.Must("POST", "/data/projects/"+near.id+"/queries",
		`{"displayName":"kept","inputQuery":"`+many+`","queryType":"MATERIALIZED"}`, "id")[0]
	w.Until("/data/projects/"+near.id+"/materialized-queries/"+query+"/status", `"status":"COMPLETED"`)
	if status, got := ask(near, "SELECT * FROM peaka.mtquery.kept"); !strings.Contains(got, "200010000") {
		t.Errorf("%d %s", status, got)
	}
	change := func(host, password string) (int, string) {
		return w.Call(w.Partner, "PUT", "/connections/"+near.id+"/"+near.connection,
			`{"name":"near","type":"POSTGRES","credential":`+credential(host, password)+`}`)
	}
	if status, got := change("localhost", password); status != 409 {
		t.Errorf("another address: %d %s", status, got)
	}
	if status, got := change(db.Hostname(), password); status != 200 {
		t.Errorf("a password: %d %s", status, got)
	}
}
