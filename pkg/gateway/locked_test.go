package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/spec"
)

// lacking marks an answer that says what it lacks.
const lacking = " lacks "

var varies = regexp.MustCompile(`"(url|timestamp|requestId)":"[^"]*"`)

// answers asks everything that reads, by the names of operations and, for what looks at several catalogs or at one of
// many, by more. Each is the status, the body without what is another in every reply, and what the answer says that it
// lacks.
func answers(w gatewaytest.Wire, p gatewaytest.Tenant) map[string]string {
	out := map[string]string{}
	ask := func(id, key, method, path, body string) {
		status, raw, lacks := w.Send(key, method, path, body)
		text := fmt.Sprintln(status, raw)
		for _, o := range lacks {
			text += lacking + o.String() + "\n"
		}
		out[id] = varies.ReplaceAllString(text, "")
	}
	for _, op := range spec.All() {
		if op.Method != "GET" && !slices.Contains([]string{"executeQuery", "search"}, op.ID) || op.Group == "agent" {
			continue
		}
		path, body := gatewaytest.Address(op, p, p)
		key := p.Key
		if op.Partner {
			key = w.Partner
		}
		ask(op.ID, key, op.Method, path, body)
	}
	for _, part := range []string{"", "schemaName={schemaName}", "catalogId=1", "catalogId=2",
		"catalogId=2&schemaName=query", "catalogId=2&schemaName=mtquery", "catalogId={catalogId}",
		"catalogId={semanticId}"} {
		ask("metadata "+part, p.Key, "GET", p.Fill("/metadata/{projectId}?"+part), "")
	}
	ask("search all", p.Key, "POST", p.Fill("/data/projects/{projectId}/search"), p.Fill(`{"query":"{name}"}`))
	for _, sql := range []string{
		`SELECT * FROM system.information_schema.tables ORDER BY 1, 2, 3`,
		`SELECT * FROM information_schema.columns ORDER BY 1, 2, 3, 4`,
		`SELECT * FROM information_schema.schemata ORDER BY 1, 2`,
		`SELECT * FROM information_schema.tables WHERE table_catalog = '{name}_catalog' ORDER BY 3`,
		`SELECT * FROM information_schema.columns WHERE table_catalog IN ('{name}_catalog', 'sample') ORDER BY 3, 4`,
		`SHOW CATALOGS`, `SHOW SCHEMAS FROM {name}_catalog`,
		`SHOW TABLES FROM {name}_catalog.{schemaName}`, `SHOW COLUMNS FROM {name}_catalog.{schemaName}.{tableName}`,
		`SELECT * FROM {name}_catalog.{schemaName}.{tableName}`,
		`SELECT * FROM {name}_catalog.{schemaName}.{otherTable}`,
		`SELECT * FROM {name}_catalog.{name}_p.{name}_pt`, `SELECT * FROM {name}_semantic.{name}_s.{name}_t`,
		`SELECT * FROM peaka.mtquery.{name}_stored`,
		`SELECT count(*) FROM peaka."table".{table} WHERE 1 NOT IN (SELECT id FROM ` +
			`{name}_catalog.{schemaName}.{tableName})`,
	} {
		body, _ := json.Marshal(map[string]string{"statement": p.Fill(sql)})
		ask(sql, p.Key, "POST", p.Fill("/data/projects/{projectId}/queries/execute"), string(body))
	}
	return out
}

// TestLockedProject asks everything that reads while another process holds the rows of a project: each answer is an
// error or the one that was given before. None is shorter, with nothing said of what it lacks.
func TestLockedProject(t *testing.T) {
	g := gatewaytest.Open(t)
	w := gatewaytest.Wire{T: t, Partner: g.ServeKey()}
	srv := httptest.NewServer(g.Web.Handler)
	w.URL = srv.URL
	p := gatewaytest.NewTenant(w, "alpha")
	w.Idle(p)
	before := answers(w, p)
	srv.Close()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	o := g.Options
	o.Engine.Record = nil // of the store that was closed
	holder, err := duckdb.Open(o.Engine)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	rows, err := holder.Project(t.Context(), p.IDs["projectId"])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rows.ListTables(t.Context(), engine.SchemaTable); err != nil { // opens the data file
		t.Fatal(err)
	}
	o.Engine.LockWait = 50e6
	again, err := gateway.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	srv = httptest.NewServer(again.Web.Handler)
	defer srv.Close()
	w.URL, w.Partner = srv.URL, again.ServeKey()
	refused := 0
	for id, reply := range answers(w, p) {
		switch {
		case reply[0] == '2' && reply != before[id] && !strings.Contains(reply, lacking):
			t.Errorf("%s: %sbefore the project was held: %s", id, reply, before[id])
		case reply[0] != '2' && before[id][0] == '2':
			refused++
			t.Logf("%s: %s", id, reply)
		}
	}
	if refused < 5 {
		t.Errorf("only %d operations had to do with the rows that are held", refused)
	}
}
