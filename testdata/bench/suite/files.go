package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// fileKinds are the files of the same rows, by their extensions.
var fileKinds = []string{"csv", "csv.gz", "ndjson", "parquet"}

// files measures statements over files of rows against the same statement in other programs, which are left out where
// they are missing.
func (s *suite) files(bool) error {
	if s.duckdb = s.tool("duckdb"); s.duckdb == "" {
		s.printf("\nduckdb was not found (pip install duckdb-cli): files of rows are not measured.\n")
		return nil
	}
	s.printf("\n### Files of rows: GROUP BY of one column\n\n| rows | file | size | duckdb | `dig query execute` | ratio | goal | " +
		"the first statement on the file | goal | peak (duckdb) |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, rows := range s.sizes {
		if err := s.writeFiles(rows); err != nil {
			return err
		}
		for _, kind := range fileKinds {
			if err := s.grouping(rows, kind); err != nil {
				return fmt.Errorf("%d rows of %s: %w", rows, kind, err)
			}
		}
	}
	s.printf("\n### Files of rows: import into a new table\n\n| rows | file | CREATE TABLE AS of duckdb | `dig table import --create` | ratio | goal | " +
		"ratio of processor time | peak (duckdb) |\n|---|---|---|---|---|---|---|---|\n")
	for _, rows := range s.sizes {
		for _, kind := range []string{"csv", "ndjson", "parquet"} {
			if err := s.importFile(rows, kind); err != nil {
				return fmt.Errorf("import of %d rows of %s: %w", rows, kind, err)
			}
		}
	}
	return s.others()
}

// importFile compares an import, which finds the types, with a table that duckdb creates with these types.
func (s *suite) importFile(rows int, kind string) error {
	path, into := s.file(rows, kind), filepath.Join(s.dir, "import.duckdb")
	name := map[string]string{"csv": "read_csv", "ndjson": "read_json", "parquet": "read_parquet"}[kind]
	sql := fmt.Sprintf(`CREATE TABLE t AS SELECT * REPLACE (amount::DECIMAL(%d,2) AS amount, day::DATE AS day, "at"::TIMESTAMP AS "at") FROM %s('%s')`,
		map[bool]int{true: 15, false: 7}[kind == "parquet"], name, path)
	table, tables := "imported"+strconv.Itoa(rows)+kind, 0
	m, err := s.against(func() (usage, error) {
		tables++
		return s.run(nil, s.dig, "table", "import", fmt.Sprint(table, tables), path, "--create", "--zone", "local")
	}, func() (usage, error) {
		if err := os.Remove(into); err != nil && !errors.Is(err, os.ErrNotExist) {
			return usage{}, err
		}
		return s.run(nil, s.duckdb, into, "-c", sql)
	})
	if err != nil {
		return err
	}
	all := `SELECT count(*) AS n, sum(id) AS id, sum(amount) AS amount, min(day) AS day, count(DISTINCT "at") AS times, count(DISTINCT customer) AS c, max(note) AS note FROM `
	var ours bytes.Buffer
	if _, err := s.zoneLocal(&ours, all+fmt.Sprint(table, tables)); err != nil {
		return err
	}
	c := exec.CommandContext(context.Background(), s.duckdb, into, "-csv", "-c", all+"t")
	theirs, err := c.Output()
	if err != nil {
		return err
	}
	if !alike(ours.Bytes(), theirs) {
		return fmt.Errorf("duckdb has stored\n%s\nand dig\n%s", theirs, ours.Bytes())
	}
	goal := s.goal(fmt.Sprintf("import of %s rows of %s", group(rows), kind), m.ratio, 1.5)
	s.printf("| %s | %s | %.2f s | %.2f s | %.2f | %s | %.2f | %.0f MiB (%.0f) |\n", group(rows), kind, m.rival.wall, m.self.wall, m.ratio, goal,
		m.self.cpu/m.rival.cpu, m.self.peak, m.rival.peak)
	return nil
}

// tool finds a program of the folder -venv, or else of the path.
func (s *suite) tool(name string) string {
	if s.venv != "" {
		return lookFor(filepath.Join(s.venv, "bin", name))
	}
	return lookFor(name)
}

func (s *suite) file(rows int, kind string) string {
	return filepath.Join(s.dir, fmt.Sprintf("rows%d.%s", rows, kind))
}

const groupSQL = `SELECT status, count(*) AS n, sum(amount) AS amount FROM %s GROUP BY status ORDER BY status`

// grouping compares one statement over one file.
func (s *suite) grouping(rows int, kind string) error {
	path := s.file(rows, kind)
	sql := fmt.Sprintf(groupSQL, "'"+path+"'")
	rival := func() (usage, error) { return s.run(nil, s.duckdb, "-csv", "-c", sql) }
	dig := func() (usage, error) { return s.zoneLocal(nil, sql) }
	if err := s.same(sql, s.duckdb, "-csv", "-c", sql); err != nil {
		return err
	}
	m, err := s.against(dig, rival)
	if err != nil {
		return err
	}
	age := 0
	first, err := s.against(func() (usage, error) {
		age++ // a file with another time is a new one
		old := time.Now().Add(-time.Hour - time.Duration(age)*time.Second)
		if err := os.Chtimes(path, old, old); err != nil {
			return usage{}, err
		}
		return dig()
	}, rival)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("GROUP BY over %s rows of %s", group(rows), kind)
	goal, goalFirst := s.goal(what, m.ratio, 1.3), s.goal(what+", the first statement", first.ratio, 1.6)
	s.printf("| %s | %s | %.0f MB | %.2f s | %.2f s | %.2f | %s | %.2f | %s | %.0f MiB (%.0f) |\n", group(rows), kind, float64(info.Size())/1e6,
		m.rival.wall, m.self.wall, m.ratio, goal, first.ratio, goalFirst, max(m.self.peak, first.self.peak), m.rival.peak)
	return nil
}

// zoneLocal runs a statement by dig.
func (s *suite) zoneLocal(out io.Writer, sql string) (usage, error) {
	return s.run(out, s.dig, "query", "execute", "--zone", "local", "-o", "csv", "--sql", sql)
}

// same checks that dig and another program, which writes CSV, answer a statement alike.
func (s *suite) same(sql, name string, args ...string) error {
	var ours, theirs bytes.Buffer
	if _, err := s.zoneLocal(&ours, sql); err != nil {
		return err
	}
	c := exec.CommandContext(context.Background(), name, args...)
	c.Stdout, c.Stderr, c.Dir = &theirs, os.Stderr, s.dir
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if !alike(ours.Bytes(), theirs.Bytes()) {
		return fmt.Errorf("%s answers\n%s\nand dig\n%s", filepath.Base(name), theirs.Bytes(), ours.Bytes())
	}
	return nil
}

// alike compares the rows of two results, numbers as such: some programs add the decimals of a file as doubles.
func alike(a, b []byte) bool {
	x, errX := csv.NewReader(bytes.NewReader(a)).ReadAll()
	y, errY := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if errX != nil || errY != nil || len(x) != len(y) || len(x) < 2 {
		return false
	}
	for i := 1; i < len(x); i++ { // without the header
		if len(x[i]) != len(y[i]) {
			return false
		}
		for k := range x[i] {
			f, errF := strconv.ParseFloat(x[i][k], 64)
			g, errG := strconv.ParseFloat(y[i][k], 64)
			if x[i][k] != y[i][k] && (errF != nil || errG != nil || math.Abs(f-g) > 1e-9*math.Abs(f)) {
				return false
			}
		}
	}
	return true
}

// otherPrograms are scripts for Python that run the statement over a file. A program without Parquet or JSON is absent there.
var otherPrograms = []struct {
	name   string
	script map[string]string // by kind of file; %s is its path
}{
	{"polars", map[string]string{
		"csv": polars("pl.scan_csv(%q)"), "csv.gz": polars("pl.scan_csv(%q)"), "ndjson": polars("pl.scan_ndjson(%q)"),
		"parquet": polars("pl.scan_parquet(%q)"),
	}},
	{"datafusion", map[string]string{
		"csv": datafusion("register_csv('t', %q)"), "csv.gz": datafusion("register_csv('t', %q, file_extension='.csv.gz', file_compression_type='gzip')"),
		"ndjson": datafusion("register_json('t', %q, file_extension='.ndjson')"), "parquet": datafusion("register_parquet('t', %q)"),
	}},
	{"chdb", map[string]string{"csv": chdb, "csv.gz": chdb, "ndjson": chdb, "parquet": chdb}},
}

func polars(scan string) string {
	return "import polars as pl\nprint(" + scan + ".group_by('status').agg(pl.len().alias('n'), pl.col('amount').sum()).sort('status').collect().write_csv())"
}

func datafusion(register string) string {
	return "import datafusion\nc = datafusion.SessionContext()\nc." + register + "\nprint(c.sql(\"" + fmt.Sprintf(groupSQL, "t") +
		"\").to_pandas().to_csv(index=False))"
}

const chdb = "import chdb\nprint(chdb.query(\"" +
	`SELECT status, count(*) AS n, sum(amount) AS amount FROM file('%s') GROUP BY status ORDER BY status` + "\", 'CSVWithNames'))"

// others compares dig with programs of Python.
func (s *suite) others() error {
	python := s.tool("python3")
	var found []int
	for i, p := range otherPrograms {
		if python != "" && exec.CommandContext(context.Background(), python, "-c", "import "+p.name).Run() == nil {
			found = append(found, i)
			continue
		}
		s.printf("\n%s was not found (pip install %s): it is left out.\n", p.name, p.name)
	}
	if len(found) == 0 {
		return nil
	}
	s.printf("\nWall time of `dig query execute` divided by that of other programs, with the start of Python:\n\n| rows | file | program | its wall | " +
		"ratio | goal |\n|---|---|---|---|---|---|\n")
	for _, rows := range s.sizes {
		for _, kind := range fileKinds {
			for _, i := range found {
				p, path := otherPrograms[i], s.file(rows, kind)
				script := fmt.Sprintf(p.script[kind], path)
				sql := fmt.Sprintf(groupSQL, "'"+path+"'")
				if err := s.same(sql, python, "-c", script); err != nil {
					return fmt.Errorf("%s over %s: %w", p.name, kind, err)
				}
				m, err := s.against(func() (usage, error) { return s.zoneLocal(nil, sql) },
					func() (usage, error) { return s.run(nil, python, "-c", script) })
				if err != nil {
					return err
				}
				goal := s.goal(fmt.Sprintf("GROUP BY over %s rows of %s beside %s", group(rows), kind, p.name), m.ratio, 1)
				s.printf("| %s | %s | %s | %.2f s | %.2f | %s |\n", group(rows), kind, p.name, m.rival.wall, m.ratio, goal)
			}
		}
	}
	return nil
}

// writeFiles writes rows of eight columns in each of the formats.
func (s *suite) writeFiles(rows int) error {
	var outs []*bufio.Writer
	var closers []func() error
	for _, kind := range []string{"csv", "csv.gz", "ndjson"} {
		f, err := os.Create(s.file(rows, kind))
		if err != nil {
			return err
		}
		closers = append(closers, f.Close)
		to := io.Writer(f)
		if kind == "csv.gz" {
			z := gzip.NewWriter(f)
			closers, to = append(closers, z.Close), z
		}
		w := bufio.NewWriterSize(to, 1<<20)
		closers = append(closers, w.Flush)
		outs = append(outs, w)
	}
	const header = "id,customer,status,amount,day,at,express,note\n"
	for _, w := range outs[:2] {
		if _, err := w.WriteString(header); err != nil {
			return err
		}
	}
	states := []string{"new", "paid", "sent", "returned", "lost, or stolen"}
	for i := range rows {
		status, amount := states[i*7919%101%len(states)], fmt.Sprintf("%d.%02d", i*37%100_000, i%100)
		day, at := fmt.Sprintf("2024-%02d-%02d", i%12+1, i%28+1), fmt.Sprintf("2024-01-%02d %02d:%02d:%02d", i%28+1, i%24, i%60, i%59)
		quoted := status
		if strings.Contains(status, ",") {
			quoted = `"` + status + `"`
		}
		row := fmt.Appendf(nil, "%d,customer number %d,%s,%s,%s,%s,%t,a note about row %d\n", i, i%9973, quoted, amount, day, at, i%3 == 0, i)
		object := fmt.Appendf(nil, `{"id":%d,"customer":"customer number %d","status":"%s","amount":%s,"day":"%s","at":"%s","express":%t,"note":"a note about row %d"}`+"\n",
			i, i%9973, status, amount, day, at, i%3 == 0, i)
		for k, w := range outs {
			if k == 2 {
				row = object
			}
			if _, err := w.Write(row); err != nil {
				return err
			}
		}
	}
	var all error
	for i := len(closers) - 1; i >= 0; i-- {
		all = errors.Join(all, closers[i]())
	}
	if all != nil {
		return all
	}
	_, err := s.run(nil, s.duckdb, "-c", fmt.Sprintf("COPY (SELECT * REPLACE (amount::DECIMAL(15,2) AS amount) FROM read_csv('%s')) TO '%s' (FORMAT parquet)",
		s.file(rows, "csv"), s.file(rows, "parquet")))
	return err
}
