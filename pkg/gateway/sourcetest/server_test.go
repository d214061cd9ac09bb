// Package sourcetest runs the gateway over real database servers. The expected values are those that the servers' own
// programs, psql and mariadb, print. Without a server the tests are skipped; `bash .ci/databases go test
// ./pkg/gateway/sourcetest` starts both.
package sourcetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
)

// server is a database server with its own program.
type server struct {
	catalog    string
	kind       string // of the connection
	credential map[string]any
	cli        []string
	env        []string
	log        string // file
}

func postgres(t *testing.T) server {
	t.Helper()
	return postgresAt(t, testdb.Postgres(t))
}

func postgresAt(t *testing.T, u *url.URL) server {
	t.Helper()
	password, _ := u.User.Password()
	s := server{catalog: "pg", kind: "POSTGRES", log: os.Getenv("DIG_TEST_POSTGRES_LOG"),
		credential: map[string]any{"url": u.Hostname(), "port": json.Number(u.Port()), "user": u.User.Username(),
			"password": password, "databaseName": strings.Trim(u.Path, "/")},
		cli: []string{"psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-f", "-"},
		env: []string{"PGHOST=" + u.Hostname(), "PGPORT=" + u.Port(), "PGUSER=" + u.User.Username(), "PGPASSWORD=" +
			password, "PGDATABASE=" + strings.Trim(u.Path, "/"),
			"PGTZ=UTC", "PGDATESTYLE=ISO, YMD", "PGOPTIONS=--client-min-messages=error"}}
	return s.present(t)
}

func mariadb(t *testing.T) server {
	t.Helper()
	cfg, reader := testdb.MariaDB(t, "types", "zeros", "dot.ted", "dot", "doubled", "cased", "gone", "own_tls", "push",
		"slow", "joined", "Shelf", "witness")
	host, port, err := net.SplitHostPort(cfg.Addr)
	if err != nil {
		t.Fatal(err)
	}
	s := server{catalog: "maria", kind: "MYSQL", log: os.Getenv("DIG_TEST_MARIADB_LOG"),
		credential: map[string]any{"url": host, "port": json.Number(port), "user": reader.User,
			"password": reader.Passwd},
		cli: []string{"mariadb", "--no-defaults", "--protocol=tcp", "-h", host, "-P", port, "-u", cfg.User, "--batch",
			"--raw", "--skip-column-names", "--default-character-set=utf8mb4",
			"--init-command=SET time_zone = '+00:00', sql_mode = ''"},
		env: []string{"MYSQL_PWD=" + cfg.Passwd}}
	return s.present(t)
}

func (s server) present(t *testing.T) server {
	t.Helper()
	if _, err := exec.LookPath(s.cli[0]); err != nil {
		t.Skipf("%s is not installed", s.cli[0])
	}
	return s
}

// run executes SQL with the server's own program and returns its output, without the last line break.
func (s server) run(t *testing.T, sql string) string {
	t.Helper()
	cmd := exec.Command(s.cli[0], s.cli[1:]...)
	cmd.Env = append(os.Environ(), s.env...)
	cmd.Stdin = strings.NewReader(sql)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s\n%.500s", s.cli[0], err, errs.String(), sql)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// logged returns what f made the server write to its log.
func (s server) logged(t *testing.T, f func()) string {
	t.Helper()
	if s.log == "" {
		t.Skip("the server's log is not known")
	}
	mark := fmt.Sprintf("mark %d", time.Now().UnixNano())
	read := func() string {
		raw, err := os.ReadFile(s.log)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	s.run(t, "SELECT '"+mark+"';")
	f()
	s.run(t, "SELECT 'end "+mark+"';")
	for range 100 { // the log may be written with a delay
		_, after, _ := strings.Cut(read(), "'"+mark)
		if between, _, ok := strings.Cut(after, "end "+mark); ok {
			return between
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the log does not show what was run")
	return ""
}

// zone is a gateway with catalogs over the servers.
type zone struct{ *api.Client }

const project = gateway.DefaultProject

func open(t *testing.T, servers ...server) zone {
	t.Helper()
	g, err := gateway.Open(gateway.Options{Dir: t.TempDir(), OpenEngine: duckdb.Open})
	if err != nil {
		t.Skipf("no local engine in this build: %v", err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: g.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	z := zone{cl}
	for _, s := range servers {
		z.connect(t, s.catalog, s.kind, s.credential)
	}
	return z
}

// connect creates a connection and a catalog of the same name.
func (z zone) connect(t *testing.T, name, kind string, credential map[string]any) {
	t.Helper()
	c, err := z.Connections.Create(t.Context(), project, api.ConnectionRequest{Name: name, Type: kind,
		Credential: credential})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Catalogs.Create(t.Context(), project, api.CatalogRequest{Name: name,
		ConnectionID: c.ID}); err != nil {
		t.Fatal(err)
	}
}

// document runs a statement and returns the whole reply.
func (z zone) document(ctx context.Context, sql string, format api.Format) ([]byte, error) {
	r, err := z.Queries.Execute(ctx, project, api.ExecuteByStatement{Statement: sql},
		api.ExecuteOptions{Format: format})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r.Body)
}

// table is a reply, read by encoding/json alone.
type table struct {
	names, types []string
	rows         [][]*string
}

func (z zone) query(t *testing.T, sql string, format api.Format) table {
	t.Helper()
	raw, err := z.document(t.Context(), sql, format)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var doc struct {
		Columns []struct{ ColumnName, DataType string }
		Data    []json.RawMessage
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatalf("%s: %v in %.300s", sql, err, raw)
	}
	var out table
	for _, c := range doc.Columns {
		out.names, out.types = append(out.names, c.ColumnName), append(out.types, c.DataType)
	}
	for _, d := range doc.Data {
		row := make([]*string, len(out.names))
		switch format {
		case api.Compact:
			err = json.Unmarshal(d, &row)
		case api.Simple:
			var m map[string]*string
			err = json.Unmarshal(d, &m)
			for i, n := range out.names {
				row[i] = m[n]
			}
		default:
			var cells []struct {
				Name, DataType string
				Value          *string
			}
			err = json.Unmarshal(d, &cells)
			for i, c := range cells {
				row[i] = c.Value
				if c.Name != out.names[i] || c.DataType != out.types[i] {
					t.Errorf("cell %d is %s %s, the column %s %s", i, c.Name, c.DataType, out.names[i], out.types[i])
				}
			}
		}
		if err != nil {
			t.Fatalf("%s: %v in %.300s", sql, err, d)
		}
		out.rows = append(out.rows, row)
	}
	return out
}

var formats = []api.Format{api.CellTyped, api.Simple, api.Compact}
