package cmd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
)

// tellWorld is a data directory with one of everything, and where to run commands.
type tellWorld struct {
	t    *testing.T
	dir  string
	env  map[string]string
	vars *strings.Replacer
}

func (w *tellWorld) run(args ...string) (code int, out, errs string) {
	w.t.Helper()
	var o, x bytes.Buffer
	e := &cli.Env{Zone: local(), Name: "dig", Args: args, In: strings.NewReader(""), Out: &o, Err: &x,
		Dir: filepath.Join(w.dir,
			"work"), Now: time.Now, Getenv: environ(w.t, w.env)}
	code = Run(context.Background(), e)
	return code, o.String(), x.String()
}

func (w *tellWorld) must(args ...string) string {
	w.t.Helper()
	code, out, errs := w.run(args...)
	if code != 0 {
		w.t.Fatalf("%q: exit %d: %s", args, code, errs)
	}
	return strings.TrimSpace(out)
}

func newTellWorld(t *testing.T) *tellWorld {
	w := &tellWorld{t: t, dir: t.TempDir(), env: map[string]string{"DIG_KEY_STORAGE": "file"}}
	for name, sub := range map[string]string{"HOME": "home", "DIG_DATA_DIR": "data", "DIG_CONFIG_DIR": "config",
		"DIG_STATE_DIR": "state", "DIG_CACHE_DIR": "cache", "TMPDIR": "tmp", "W": "work", "F": "files"} {
		w.env[name] = filepath.Join(w.dir, sub)
		if err := os.MkdirAll(w.env[name], 0o700); err != nil {
			t.Fatal(err)
		}
	}
	file := func(name, text string) string {
		path := filepath.Join(w.dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file("files/regions.csv", "region,n\nnorth,1\nsouth,2\n")
	rows := file("rows.csv", "name\nann\nbob\n")
	for _, sub := range []string{"project/queries"} {
		if err := os.MkdirAll(filepath.Join(w.dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	file("project/dig.yaml", "version: 1\n")
	file("project/queries/told.sql", "SELECT 1 AS n\n")
	three := file("three.sql", "SELECT 1; SELECT 2; SELECT 3")
	for _, line := range []string{
		"workspace create spare", "project create other", "api-key create made",
		"table create people --column name:varchar", "bitable create bis --column name:varchar",
		"table import people " + rows, "bitable import bis " + file("bi.csv", "name\ncat\n"),
		"connection create files --type files --credential path=" + w.env["F"], "catalog create ext --connection files",
		"parametric-table create ext --from files.regions --to p.r --param region=north",
		"query folder create empty", "query folder create full", "query folder create bare",
		"query create plain --sql SELECT~1~AS~n --path /full",
		"query create stored --sql SELECT~1~AS~n --type MATERIALIZED --wait",
		"query execute SELECT~1~AS~n -o csv", "query list", "table list", "catalog list",
		"semantic-catalog create kpi", "semantic-catalog table create kpi s.t --query plain",
		"cache create sample shop orders --wait", "export query plain --wait", "metadata refresh sample --wait",
		"metadata relation add sample.shop.orders.id --to sample.shop.customers.id",
		"metadata categorical generate sample.shop.orders.status",
		"metadata golden-sql create --prompt p --sql SELECT~1", "metadata callback set https://example.com/hook",
		"profile add spare --zone us --use=false",
	} {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "~", " ")
		}
		w.must(args...)
	}
	w.vars = strings.NewReplacer("$FILES", w.env["F"], "$PROJECT", filepath.Join(w.dir, "project"), "$CSV", rows,
		"$THREE", three,
		"$EXPORT", w.must("export", "list", "--jq", ".[0].id"), "$GOLDEN", w.must("metadata", "golden-sql", "list",
			"-o", "json", "--jq", ".[0].id"),
		"$RELATION", w.must("metadata", "relation", "list", "sample", "-o", "json", "--jq",
			`[.[] | select(.sourceColumnName == "id")][0].id`),
		"$OTHER", w.must("project", "get", "other", "--jq", ".id"), "$QUERY", w.must("query", "get", "plain",
			"--jq", ".id"))
	return w
}

// serve opens the data directory in a gateway on the network and has the commands call it as a zone. wrap may be
// between them, or nil.
func (w *tellWorld) serve(zone string, wrap func(http.Handler) http.Handler) (base, key string) {
	w.t.Helper()
	g, err := gateway.Open(gateway.Options{Dir: w.env["DIG_DATA_DIR"], OpenEngine: duckdb.Open})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { g.Close() })
	h := http.Handler(g.Web.Handler)
	if wrap != nil {
		h = wrap(h)
	}
	srv := httptest.NewServer(h)
	w.t.Cleanup(srv.Close)
	base, key = srv.URL+"/api/v1", g.ServeKey()
	w.env["DIG_BASE_URL"], w.env["DIG_API_KEY"], w.env["DIG_PROJECT"], w.env["DIG_ZONE"] = base, key,
		gateway.DefaultProject, zone
	return base, key
}

// tree is a picture of all that is below the directories of dig and the working directory.
func (w *tellWorld) tree() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(path, ".sock") {
			return err
		}
		rel, _ := filepath.Rel(w.dir, path)
		if d.IsDir() {
			all[rel] = "directory"
			return nil
		}
		raw, err := os.ReadFile(path)
		// SQLite removes it with the last connection
		if strings.HasSuffix(path, "-shm") && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		all[rel] = fmt.Sprintf("%d bytes %x", len(raw), sha256.Sum256(raw))
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// changes names what differs between two pictures.
func changes(was, is map[string]string) []string {
	var out []string
	for path, what := range is {
		if before, ok := was[path]; !ok {
			out = append(out, "made "+path)
		} else if before != what {
			out = append(out, "changed "+path)
		}
	}
	for path := range was {
		if _, ok := is[path]; !ok {
			out = append(out, "removed "+path)
		}
	}
	slices.Sort(out)
	return out
}
