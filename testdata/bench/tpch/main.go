// Command tpch measures the 22 queries of TPC-H over tables of zone local, imported from Parquet, against the duckdb
// command line over a file with the same types, as whole processes in turn, and compares the answers. It needs
// tpchgen-cli and duckdb-cli of PyPI, in the environment of -venv or in PATH.
package main

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

var tables = []string{"nation", "region", "supplier", "customer", "part", "partsupp", "orders", "lineitem"}

type bench struct {
	dig, duckdb, native string
	env                 []string
}

func main() {
	log.SetFlags(0)
	dig := flag.String("dig", "bin/dig", "the binary to measure")
	venv := flag.String("venv", "", "a Python environment with tpchgen-cli and duckdb-cli; PATH by default")
	scale := flag.String("sf", "1", "the scale factor")
	runs := flag.Int("runs", 5, "pairs of runs of which the median counts")
	queries := flag.String("queries", "pkg/gateway/engine/duckdb/testdata/tpch", "folder of the statements")
	flag.Parse()
	find := func(name string) string {
		at := name
		if *venv != "" {
			at = filepath.Join(*venv, "bin", name)
		}
		path, err := exec.LookPath(at)
		if err != nil {
			log.Fatalf("TPC-H is not measured: there is no %s; `pip install tpchgen-cli duckdb-cli` into an environment, "+
				"and name it by -venv (make bench-tpch VENV=FOLDER)", at)
		}
		return path
	}
	generate, duckdb := find("tpchgen-cli"), find("duckdb")
	dir, err := os.MkdirTemp("", "dig-tpch-")
	if err != nil {
		log.Fatal(err)
	}
	code := 0
	if err := measure(dir, generate, duckdb, *dig, *scale, *queries, *runs); err != nil {
		log.Print(err)
		code = 1
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

func measure(dir, generate, duckdb, dig, scale, queries string, runs int) error {
	b := &bench{dig: dig, duckdb: duckdb, native: filepath.Join(dir, "native.duckdb"), env: os.Environ()}
	for _, v := range []string{"DATA", "CONFIG", "STATE"} {
		b.env = append(b.env, "DIG_"+v+"_DIR="+filepath.Join(dir, strings.ToLower(v)))
	}
	if out, err := exec.Command(generate, "parquet", "-s", scale, "--output-dir="+dir).CombinedOutput(); err != nil {
		return fmt.Errorf("TPC-H is not measured: %s cannot make the data: %w\n%s", generate, err, out)
	}
	for _, t := range tables {
		file := filepath.Join(dir, t+".parquet")
		if _, _, _, err := b.run(duckdb, b.native, "-c", "CREATE TABLE "+t+" AS FROM '"+file+"'"); err != nil {
			return err
		}
		if _, _, _, err := b.run(dig, "table", "import", t, file, "--create", "--zone", "local"); err != nil {
			return err
		}
		os.Remove(file)
	}
	files, err := filepath.Glob(filepath.Join(queries, "q*.sql"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no statements in %s: %w", queries, err)
	}
	fmt.Printf("| query | dig | duckdb | time | CPU time |\n|---|---|---|---|---|\n")
	walls, cpus := 0.0, 0.0
	worst, differ := 0.0, []string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		var ours, theirs, wall, cpu []float64
		for range runs {
			got, w1, c1, err := b.run(dig, "query", "execute", "--zone", "local", "-o", "csv", "--sql", string(text))
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			want, w2, c2, err := b.run(duckdb, "-readonly", "-csv", b.native, "-c", string(text))
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if why := compare(got, want); why != "" && !slices.Contains(differ, name) {
				differ = append(differ, name)
				log.Printf("%s: %s", name, why)
			}
			ours, theirs = append(ours, w1), append(theirs, w2)
			wall, cpu = append(wall, w1/w2), append(cpu, c1/c2)
		}
		w, c := median(wall), median(cpu)
		fmt.Printf("| %s | %.2f s | %.2f s | %.2f | %.2f |\n", name, median(ours), median(theirs), w, c)
		walls, cpus, worst = walls+math.Log(w), cpus+math.Log(c), max(worst, w)
	}
	n := float64(len(files))
	fmt.Printf("| geometric mean | | | %.2f | %.2f |\n\nworst: %.2f\n", math.Exp(walls/n), math.Exp(cpus/n), worst)
	if len(differ) > 0 {
		return fmt.Errorf("other answers than DuckDB's: %s", strings.Join(differ, ", "))
	}
	return nil
}

// run returns the output of a program, the time that it took, and that of its processors.
func (b *bench) run(name string, args ...string) (out []byte, wall, cpu float64, err error) {
	c := exec.Command(name, args...)
	var stdout, stderr bytes.Buffer
	c.Env, c.Stdout, c.Stderr = b.env, &stdout, &stderr
	start := time.Now()
	if err := c.Run(); err != nil {
		return nil, 0, 0, fmt.Errorf("%s: %w\n%s", name, err, stderr.Bytes())
	}
	wall = time.Since(start).Seconds()
	return stdout.Bytes(), wall, (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), nil
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

// compare compares two answers. Decimals must be the same; where DuckDB has a double, such as
// a mean of decimals, it must be the decimal that Trino has, after rounding.
func compare(got, want []byte) string {
	a, err1 := csv.NewReader(bytes.NewReader(got)).ReadAll()
	b, err2 := csv.NewReader(bytes.NewReader(want)).ReadAll()
	if err1 != nil || err2 != nil || len(a) != len(b) {
		return fmt.Sprintf("%d rows, not %d (%v, %v)", len(a)-1, len(b)-1, err1, err2)
	}
	for i := 1; i < len(a); i++ {
		for k := range a[i] {
			if len(a[i]) != len(b[i]) || !same(a[i][k], b[i][k]) {
				return fmt.Sprintf("row %d is %q, not %q", i, a[i], b[i])
			}
		}
	}
	return ""
}

func same(got, want string) bool {
	x, err1 := strconv.ParseFloat(got, 64)
	y, err2 := strconv.ParseFloat(want, 64)
	_, places, _ := strings.Cut(got, ".")
	_, theirs, _ := strings.Cut(want, ".")
	const exact = 17 // characters of a number that a double has
	switch {
	case got == want:
		return true
	case err1 != nil || err2 != nil:
		return false
	case len(theirs) <= len(places):
		return x == y && len(want) <= exact
	}
	return math.Abs(x-y) <= 0.5*math.Pow10(-len(places))+1e-12*math.Abs(y)
}
