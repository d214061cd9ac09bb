// Command sources measures zone local over a PostgreSQL table of 1,000,000 and 5,000,000 rows against psql, and over a MariaDB table
// against mariadb, as whole processes:
//
//	bash .ci/databases bin/bench/sources -dig bin/dig
//
// It prints the median ratio of wall times, run in turn, and the peak memory of dig, also of statements that
// sort and group the largest table themselves. DIG_TEST_POSTGRES and DIG_TEST_MARIADB name the servers.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const tableSQL = `SET client_min_messages = error; DROP TABLE IF EXISTS %[1]s; CREATE TABLE %[1]s AS
SELECT g::bigint AS id, (g %% 1000)::int AS customer, (g * 37 %% 1000000 / 100.0)::numeric(12,2) AS amount, 'customer number ' || g %% 5000 AS name,
  (ARRAY['new','paid','sent','back'])[g %% 4 + 1] AS status, timestamp '2020-01-01' + g * interval '1 minute' AS created,
  timestamptz '2020-01-01Z' + g * interval '61 seconds' AS updated, g %% 3 = 0 AS express, g / 7.0::float8 AS weight,
  CASE WHEN g %% 10 <> 0 THEN date '2020-01-01' + g %% 1000 END AS due FROM generate_series(1, %[2]d) g;
ALTER TABLE %[1]s ADD PRIMARY KEY (id); ANALYZE %[1]s;`

type bench struct {
	dig, dir string
	env      []string
	pairs    int
}

// run runs a command with its output in a file and returns its wall time in seconds and its peak memory in MiB.
func (b *bench) run(args ...string) (float64, float64) {
	out, err := os.Create(filepath.Join(b.dir, "out"))
	if err != nil {
		log.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	cmd.Env = b.env
	start := time.Now()
	if err := cmd.Run(); err != nil {
		log.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return time.Since(start).Seconds(), float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024
}

// compare runs two commands in turn.
func (b *bench) compare(label string, ours, theirs []string) {
	var x, y, r []float64
	peak := 0.0
	for i := range b.pairs + 1 {
		s, mem := b.run(ours...)
		t, _ := b.run(theirs...)
		if i > 0 { // the first pair warms the caches
			x, y, r = append(x, s), append(y, t), append(r, s/t)
			peak = max(peak, mem)
		}
	}
	for _, v := range [][]float64{x, y, r} {
		sort.Float64s(v)
	}
	mid := len(r) / 2
	fmt.Printf("%-34s %7.3f s / %7.3f s: median ratio %.2f (%.2f to %.2f), dig's peak %.0f MiB\n", label, x[mid], y[mid], r[mid], r[0], r[len(r)-1], peak)
}

// query runs a statement by dig.
func (b *bench) query(sql string) []string {
	return []string{b.dig, "query", "execute", "-o", "csv", "--sql", sql}
}

// connect creates a connection and a catalog of one name.
func (b *bench) connect(name, kind string, credential map[string]any) {
	raw, err := json.Marshal(credential)
	if err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(b.dir, name+".json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		log.Fatal(err)
	}
	b.run(b.dig, "connection", "create", name, "--type", kind, "--credential-file", file)
	b.run(b.dig, "catalog", "create", name, "--connection", name)
}

func main() {
	log.SetFlags(0)
	var b bench
	sizes := flag.String("rows", "1000000,5000000", "sizes of the table")
	flag.StringVar(&b.dig, "dig", "bin/dig", "the program measured")
	flag.IntVar(&b.pairs, "n", 5, "pairs of runs")
	flag.Parse()
	u, err := url.Parse(os.Getenv("DIG_TEST_POSTGRES"))
	if err != nil || u.Host == "" {
		log.Fatal("sources: DIG_TEST_POSTGRES is not set; run by: bash .ci/databases bin/bench/sources")
	}
	if b.dir, err = os.MkdirTemp("", "sources"); err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(b.dir)
	password, _ := u.User.Password()
	port, _ := strconv.Atoi(u.Port())
	database := strings.Trim(u.Path, "/")
	b.env = append(os.Environ(), "DIG_ZONE=local", "DIG_DATA_DIR="+filepath.Join(b.dir, "data"), "DIG_CONFIG_DIR="+filepath.Join(b.dir, "config"),
		"PGHOST="+u.Hostname(), "PGPORT="+u.Port(), "PGUSER="+u.User.Username(), "PGPASSWORD="+password, "PGDATABASE="+database)
	b.connect("pg", "postgres", map[string]any{"url": u.Hostname(), "port": port, "user": u.User.Username(), "password": password, "databaseName": database})
	all := strings.Split(*sizes, ",")
	for i, size := range all {
		n, err := strconv.Atoi(size)
		if err != nil {
			log.Fatal(err)
		}
		table := fmt.Sprintf("public.bench_%d", n)
		b.run("psql", "-q", "-v", "ON_ERROR_STOP=1", "-c", fmt.Sprintf(tableSQL, table, n))
		if i == 0 {
			lookup := fmt.Sprintf("SELECT * FROM %%s%s WHERE id = %d", table, n/2)
			b.compare("look-up by primary key, "+size, b.query(fmt.Sprintf(lookup, "pg.")), []string{"psql", "--csv", "-c", fmt.Sprintf(lookup, "")})
		}
		b.compare("full scan to CSV, "+size+" rows", b.query("SELECT * FROM pg."+table), []string{"psql", "-c", `\copy (SELECT * FROM ` + table + `) TO STDOUT CSV HEADER`})
		if i == len(all)-1 {
			for _, sql := range []string{"SELECT * FROM %s ORDER BY weight DESC, id", "SELECT id / 2 AS pair, count(*) AS n, sum(amount) AS amount FROM %s GROUP BY 1", "SELECT count(*) FROM %s"} {
				seconds, peak := b.run(b.query(fmt.Sprintf(sql, "pg."+table))...)
				fmt.Printf("%s: %.1f s, dig's peak %.0f MiB\n", fmt.Sprintf(sql, size+" rows"), seconds, peak)
			}
		}
		b.run("psql", "-q", "-c", "DROP TABLE "+table)
	}
	n, err := strconv.Atoi(all[0])
	if err != nil {
		log.Fatal(err)
	}
	b.mariadb(n)
}
