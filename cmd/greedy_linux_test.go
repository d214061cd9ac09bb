//go:build cgo

package cmd

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
)

// greedyViews are views of a foreign DuckDB file whose rows take all memory or all time.
var greedyViews = map[string]string{
	"repeat":          `SELECT repeat('x', 2000000000) AS c`,
	"repeat_4g":       `SELECT repeat('x', 4000000000) AS c`,
	"repeat_rows":     `SELECT repeat('x', 1000000) AS c FROM range(1000000)`,
	"lpad":            `SELECT lpad('x', 2000000000, 'y') AS c`,
	"replaced":        `SELECT replace(s, 'x', s) AS c FROM (SELECT repeat('x', 60000) AS s)`,
	"ranges":          `SELECT range(1000000000) AS c`,
	"range_rows":      `SELECT range AS c FROM range(1000000000000)`,
	"lists":           `SELECT list(range) AS c FROM range(1000000000000)`,
	"list_sizes":      `SELECT len(list(range)) AS c FROM range(1000000000000)`,
	"string_agg":      `SELECT string_agg(range::VARCHAR, ',') AS c FROM range(1000000000000)`,
	"string_agg_long": `SELECT length(string_agg(repeat('x', 1000000), ',')) AS c FROM range(1000000)`,
	"histogram":       `SELECT cardinality(histogram(range)) AS c FROM range(1000000000000)`,
	"groups":          `SELECT range AS c, count(*) AS n FROM range(1000000000000) GROUP BY 1`,
	"sorted":          `SELECT range AS c FROM range(1000000000000) ORDER BY hash(range)`,
	"json":            `SELECT length(json_group_array(range)::VARCHAR) AS c FROM range(1000000000000)`,
	"doubled": `WITH RECURSIVE g(s) AS (SELECT 'xy' UNION ALL SELECT s || s FROM g) SELECT max(length(s)) AS ` +
		`c FROM g`,
	"crossed":  `SELECT count(*) AS c FROM range(1000000) a, range(1000000) b WHERE hash(a.range, b.range) = 5`,
	"quantile": `SELECT quantile_cont(range, 0.5) AS c FROM range(1000000000000)`,
}

// greedyStatements are such statements in Trino's language, over no tables.
var greedyStatements = map[string]string{
	"array_agg": `SELECT cardinality(array_agg(i)) FROM UNNEST(sequence(1, 10000)) t(i), UNNEST(sequence(1, ` +
		`10000)) u(j), UNNEST(sequence(1, 10000)) v(k)`,
	"listagg": `SELECT length(listagg(s, '') WITHIN GROUP (ORDER BY i)) FROM (SELECT rpad('x', 1000000, 'x') ` +
		`AS s), UNNEST(sequence(1, 10000)) t(i), UNNEST(sequence(1, 10)) u(j)`,
	"histogram": `SELECT cardinality(histogram((i * 10000 + j) * 10000 + k)) FROM UNNEST(sequence(1, 10000)) ` +
		`t(i), UNNEST(sequence(1, 10000)) u(j), UNNEST(sequence(1, 10000)) v(k)`,
	"array_sort": `SELECT cardinality(array_sort(array_agg(ARRAY[i % 1000, i * j]))) FROM UNNEST(sequence(1, ` +
		`10000)) t(i), UNNEST(sequence(1, 1000)) u(j)`,
	"array_distinct": `SELECT cardinality(array_distinct(array_agg(ARRAY[i % 1000, i * j]))) FROM UNNEST(sequence(1, ` +
		`10000)) t(i), UNNEST(sequence(1, 1000)) u(j)`,
	"transform": `SELECT sum(cardinality(transform(sequence(1, 10000), x -> sequence(1, 10000)))) FROM ` +
		`UNNEST(sequence(1, 1000)) t(i)`,
	"replace":     `SELECT length(replace(s, 'x', s)) FROM (SELECT rpad('x', 1000000, 'x') AS s)`,
	"levenshtein": `SELECT levenshtein_distance(rpad('x', 1000000, 'xy'), rpad('x', 1000000, 'yx'))`,
	"crossed": `SELECT count(*) FROM UNNEST(sequence(1, 10000)) t(i), UNNEST(sequence(1, 10000)) u(j), ` +
		`UNNEST(sequence(1, 10000)) v(k) WHERE i * j % 7 = 9`,
	"grouped": `SELECT count(*) FROM (SELECT (i * 10000 + j) * 10000 + k AS n, count(*) FROM ` +
		`UNNEST(sequence(1, 10000)) t(i), UNNEST(sequence(1, 10000)) u(j), UNNEST(sequence(1, 10000)) v(k) GROUP BY 1)`,
	"union all": "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 12000),
	"intervals": "SELECT DATE '2020-01-01'" + strings.Repeat(" + INTERVAL '1' DAY", 10000),
	"concat": "SELECT cardinality(concat(" + strings.Repeat("ARRAY[x], ", 126) +
		"ARRAY[x])) FROM (VALUES 1) t(x)",
	"reduce format": `SELECT reduce(sequence(1, 40), CAST('x' AS varchar), (s, x) -> format('%s%s', s, s),
		s -> length(s))`,
	"reduce flatten": `SELECT reduce(sequence(1, 40), ARRAY['x'],
		(s, x) -> CAST(flatten(ARRAY[s, s]) AS array(varchar)), s -> cardinality(s))`,
	"unnested": `SELECT count(*) FROM UNNEST(sequence(1, 10000)) t(i) CROSS JOIN UNNEST(ARRAY[ARRAY[ARRAY[i]]]) u(a) ` +
		`CROSS JOIN UNNEST(a) v(b) CROSS JOIN UNNEST(sequence(1, 10000)) w(j) CROSS JOIN UNNEST(sequence(1, ` +
		`10000)) x(k)`,
}

// neighbour asks a gateway for SELECT 1 again and again, and records what is not answered.
type neighbour struct {
	wg    sync.WaitGroup
	end   chan struct{}
	asked int
	fails []string
}

func (n *neighbour) run(cl *api.Client, project string) {
	n.end = make(chan struct{})
	n.wg.Go(func() {
		for {
			select {
			case <-n.end:
				return
			case <-time.After(5 * time.Millisecond):
			}
			n.asked++
			begun := time.Now()
			if err := drain(cl, project, "SELECT 1"); err != nil {
				n.fails = append(n.fails, fmt.Sprintf("after %s: %v", time.Since(begun), err))
			}
		}
	})
}

func (n *neighbour) stop() { close(n.end); n.wg.Wait() }

func drain(cl *api.Client, project, statement string) error {
	res, err := cl.Queries.Execute(context.Background(), project, api.ExecuteByStatement{Statement: statement},
		api.ExecuteOptions{Format: api.Compact})
	if err != nil {
		return err
	}
	defer res.Close()
	rows := res.Rows()
	for rows.Next() {
	}
	return rows.Err()
}

// TestGreedyStatements: statements that would take all memory or all time end alone; those of others, in the same
// project and in another, are answered meanwhile, and the process that serves stays the same.
func TestGreedyStatements(t *testing.T) {
	needLocal(t)
	if testing.Short() {
		t.Skip("takes a minute and 2 GiB of memory")
	}
	data, dir := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, "bombs.duckdb")
	db, err := sql.Open("duckdb", file)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range greedyViews {
		if _, err := db.Exec("CREATE VIEW " + name + " AS " + text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	files := t.TempDir()
	object := map[string]int{}
	for i := range 200_000 {
		object[fmt.Sprint("m", i)] = i
	}
	members, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(files, "members.json"), members, 0o600); err != nil {
		t.Fatal(err)
	}
	add := func(name, kind, path string) {
		t.Helper()
		credential, err := json.Marshal(map[string]string{"path": path})
		if err != nil {
			t.Fatal(err)
		}
		secret := filepath.Join(dir, name+".json")
		if err := os.WriteFile(secret, credential, 0o600); err != nil {
			t.Fatal(err)
		}
		mustRun(t, data, "connection", "create", name, "--type", kind, "--credential-file", secret)
		mustRun(t, data, "catalog", "create", name, "--connection", name)
	}
	add("bombs", "duckdb", file)
	add("folder", "files", files)
	other := strings.TrimSpace(mustRun(t, data, "project", "create", "other", "-o", "json", "--jq", ".id"))
	s := process(t, data, "gateway", "serve", "--print-key", "--quiet", "--max-statement-time", "3s",
		"--memory", "512MiB")
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "log")
	errs, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer errs.Close()
	s.Stderr = errs
	begin(t, s)
	var base, key string
	if _, err := fmt.Fscanf(out, "DIG_BASE_URL=%s\nDIG_API_KEY=%s\n", &base, &key); err != nil {
		t.Fatal(err)
	}
	cl, err := api.New(api.Options{BaseURL: base, Key: key, Timeout: 2 * time.Minute,
		Transport: &http.Transport{DisableCompression: true}})
	if err != nil {
		t.Fatal(err)
	}
	worker := fmt.Sprint(children(s.Process.Pid))
	statements := map[string]string{}
	for name := range greedyViews {
		statements["view "+name] = "SELECT c FROM bombs.main." + name
	}
	statements["members"] = "SELECT * FROM folder.files.members"
	for name, text := range greedyStatements {
		statements[name] = text
	}
	for _, name := range slices.Sorted(maps.Keys(statements)) {
		statement := statements[name]
		t.Run(name, func(t *testing.T) {
			var beside [2]neighbour
			beside[0].run(cl, "localdev")
			beside[1].run(cl, other)
			begun := time.Now()
			err := drain(cl, "localdev", statement)
			took := time.Since(begun)
			for i := range beside {
				beside[i].stop()
				if len(beside[i].fails) > 0 {
					t.Errorf("%d of %d requests beside it failed: %s", len(beside[i].fails), beside[i].asked,
						beside[i].fails[0])
				}
			}
			if name == "members" && (err == nil || !strings.Contains(err.Error(), "200000 columns, more than 16384")) {
				t.Errorf("%v", err)
			}
			t.Logf("%s, %d MiB: %v", took.Round(time.Millisecond), resident(children(s.Process.Pid)...), err)
			if now := fmt.Sprint(children(s.Process.Pid)); now != worker {
				said, _ := os.ReadFile(log)
				t.Errorf("the process was replaced: %s", said)
				worker = now
			}
		})
	}
}
