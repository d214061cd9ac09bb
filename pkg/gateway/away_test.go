package gateway_test

import (
	"database/sql"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
)

// served is a gateway with a tenant, at rest.
func served(t *testing.T) (*gateway.Gateway, gatewaytest.Wire, gatewaytest.Tenant) {
	g := gatewaytest.Open(t)
	srv := httptest.NewServer(g.Web.Handler)
	t.Cleanup(srv.Close)
	w := gatewaytest.Wire{T: t, URL: srv.URL, Partner: g.ServeKey()}
	p := gatewaytest.NewTenant(w, "alpha")
	w.Idle(p)
	return g, w, p
}

// shorter reports the answers that are others than before and do not say what they lack.
func shorter(t *testing.T, when string, before, now map[string]string) (failed, told int) {
	t.Helper()
	for id, reply := range now {
		switch {
		case reply == before[id]:
		case reply[0] != '2':
			failed++
			t.Logf("%s: %s: %s", when, id, reply)
		case strings.Contains(reply, lacking):
			told++
			t.Logf("%s: %s: %s", when, id, reply)
		default:
			t.Errorf("%s: %s: %sbefore: %s", when, id, reply, before[id])
		}
	}
	return failed, told
}

// TestSourceAway asks everything that reads while a source is away, while its connection leads elsewhere, and once it
// is deleted: each answer is an error, the one that was given before, or says what it lacks.
func TestSourceAway(t *testing.T) {
	_, w, p := served(t)
	before := answers(w, p)
	for id, reply := range before {
		if strings.Contains(reply, lacking) {
			t.Errorf("%s: %s", id, reply)
		}
	}
	dir := p.IDs["dir"]
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Rename(dir, dir+".away"))
	failed, told := shorter(t, "the folder is gone", before, answers(w, p))
	if failed < 8 || told < 5 {
		t.Errorf("the folder is gone: only %d answers failed, %d said what they lack", failed, told)
	}
	must(os.Rename(dir+".away", dir))
	shorter(t, "the folder is back", before, answers(w, p))

	broken := filepath.Join(dir, p.IDs["tableName"]+".csv")
	must(os.WriteFile(broken, []byte("id,status\n1,2,3\n"), 0o600))
	failed, told = shorter(t, "a file is broken", before, answers(w, p))
	if failed < 4 || told < 3 {
		t.Errorf("a file is broken: only %d answers failed, %d said what they lack", failed, told)
	}
	must(os.WriteFile(broken, []byte("id,status\n1,alphapaid\n"), 0o600))
	shorter(t, "the file is mended", before, answers(w, p))

	status, raw := w.Call(w.Partner, "DELETE", p.Fill("/connections/{projectId}/{connectionId}"), "")
	if status > 299 {
		t.Fatal(status, raw)
	}
	now := answers(w, p)
	for _, id := range []string{"listConnections", "getConnection"} { // it is not away, it was deleted
		delete(now, id)
	}
	if failed, told = shorter(t, "the connection is deleted", before, now); failed < 8 || told < 5 {
		t.Errorf("the connection is deleted: only %d answers failed, %d said what they lack", failed, told)
	}
}

// TestStateAway takes the tables of the state away one after another: no answer is shorter for it.
func TestStateAway(t *testing.T) {
	if testing.Short() {
		t.Skip("asks everything for every table of the state")
	}
	g, w, p := served(t)
	before := answers(w, p)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(g.Options.Dir, "state.db")+
		"?_pragma=busy_timeout(10000)&_pragma=legacy_alter_table(1)&_pragma=foreign_keys(0)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil || len(tables) < 15 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	needed := 0
	for _, name := range tables {
		for _, step := range []string{`ALTER TABLE "%[1]s" RENAME TO "%[1]s away"`,
			`ALTER TABLE "%[1]s away" RENAME TO "%[1]s"`} {
			if _, err := db.Exec(fmt.Sprintf(step, name)); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(step, `TO "%[1]s away"`) {
				continue
			}
			if failed, told := shorter(t, name, before, answers(w, p)); told > 0 {
				t.Errorf("%s: %d answers go on without the gateway's own state", name, told)
			} else if failed > 0 {
				needed++
			}
		}
	}
	if needed < 12 {
		t.Errorf("only %d of %d tables are needed by anything that reads", needed, len(tables))
	}
	shorter(t, "all tables are back", before, answers(w, p))
}

// TestStateBusy asks everything that reads while another process writes to the state and does not end.
func TestStateBusy(t *testing.T) {
	g, w, p := served(t)
	before := answers(w, p)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(g.Options.Dir, "state.db")+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if failed, told := shorter(t, "busy", before, answers(w, p)); failed+told > 0 {
		t.Errorf("%d answers failed, %d lack something, although reading needs no lock", failed, told)
	}
}
