// Command many lists, pulls and plans a project of many tables and saved queries on zone local, and in turn has the
// duckdb command line do what is nearest to it over as many tables and views, as whole processes. It prints the medians of
// the processor times, and of the ratios.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	dig, rival := flag.String("dig", "bin/dig", "the program"), flag.String("duckdb", "duckdb", "the rival")
	n, runs := flag.Int("n", 1000, "tables, and saved queries"), flag.Int("runs", 5, "pairs of runs")
	flag.Parse()
	if err := bench(*dig, *rival, *n, *runs); err != nil {
		log.Fatal(err)
	}
}

func bench(dig, rival string, n, runs int) error {
	dir, err := os.MkdirTemp("", "many-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	os.Setenv("DIG_DATA_DIR", filepath.Join(dir, "data"))
	os.Setenv("DIG_CONFIG_DIR", filepath.Join(dir, "config"))
	files, db := filepath.Join(dir, "files"), filepath.Join(dir, "many.duckdb")
	made, err := write(files, n)
	if err != nil {
		return err
	}
	if _, _, err = run("", dig, "apply", files, "--yes", "--zone", "local"); err != nil {
		return err
	}
	if _, _, err = run(made, rival, db); err != nil {
		return err
	}
	columns := "COPY (SELECT * FROM duckdb_columns() WHERE NOT internal) TO '" + dir + "/columns.json'"
	at := 0
	next := func() string { at++; return filepath.Join(dir, fmt.Sprint("out", at)) }
	for _, c := range []struct {
		name      string
		dig       func() []string
		rivalName string
		rival     func() string
		shows     string
	}{
		{"metadata list", func() []string { return []string{"metadata", "list", "-o", "json"} },
			"duckdb_columns() as JSON", func() string { return columns }, fmt.Sprintf("q%04d", n-1)},
		{"plan", func() []string { return []string{"plan", files} },
			"duckdb_columns() as JSON", func() string { return columns }, "no differences"},
		{"pull", func() []string { return []string{"pull", next()} },
			"EXPORT DATABASE", func() string { return "EXPORT DATABASE '" + next() + "'" }, ""},
	} {
		var mine, other, ratio, wall []float64
		for i := range runs + 1 {
			a, said, err := run("", dig, append(c.dig(), "--zone", "local")...)
			if err != nil || !strings.Contains(said, c.shows) {
				return fmt.Errorf("dig %s: %w: %.200s", c.name, err, said)
			}
			b, _, err := run(c.rival(), rival, db)
			if err != nil {
				return err
			}
			if i > 0 { // the first pair warms the caches
				mine, other = append(mine, a.cpu), append(other, b.cpu)
				ratio, wall = append(ratio, a.cpu/b.cpu), append(wall, a.wall)
			}
		}
		fmt.Printf("%-14s %.2f s of processor time, %.2f s of wall time; %s: %.2f s; ratio %.1f (%.1f to %.1f)\n", c.name,
			median(mine), median(wall), c.rivalName, median(other), median(ratio), slices.Min(ratio), slices.Max(ratio))
	}
	return nil
}

// write writes the files of a project, and returns the statements that make the same tables and views of DuckDB.
func write(dir string, n int) (string, error) {
	var made strings.Builder
	for _, folder := range []string{"tables", "queries"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return "", err
		}
	}
	put := func(name, text string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600) }
	if err := put("dig.yaml", "version: 1\n"); err != nil {
		return "", err
	}
	made.WriteString("BEGIN;\n")
	for i := range n {
		table := "columns:\n"
		for _, c := range []string{"id bigint", "name varchar", "amount decimal", "day date", "flag boolean"} {
			name, typ, _ := strings.Cut(c, " ")
			table += "  - name: " + name + "\n    type: " + typ + "\n"
		}
		const query = "SELECT id, name, amount * 2 AS twice FROM %st%04d WHERE flag"
		if err := put(fmt.Sprintf("tables/t%04d.yaml", i), table); err != nil {
			return "", err
		}
		if err := put(fmt.Sprintf("queries/q%04d.sql", i), fmt.Sprintf(query, `peaka."table".`, i)+"\n"); err != nil {
			return "", err
		}
		fmt.Fprintf(&made, "CREATE TABLE t%04d(id bigint, name varchar, amount decimal(38,10), day date, flag boolean);\n"+
			"CREATE VIEW q%04d AS "+query+";\n", i, i, "", i)
	}
	return made.String() + "COMMIT;\n", nil
}

type took struct{ cpu, wall float64 }

func run(in, program string, args ...string) (t took, said string, err error) {
	c := exec.Command(program, args...)
	var out bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(in), &out, &out
	start := time.Now()
	if err = c.Run(); err != nil {
		return t, out.String(), fmt.Errorf("%s %q: %w: %.500s", program, args, err, out.String())
	}
	used := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return took{used.Seconds(), time.Since(start).Seconds()}, out.String(), nil
}

func median(v []float64) float64 { return slices.Sorted(slices.Values(v))[len(v)/2] }
