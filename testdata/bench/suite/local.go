package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// local measures zone local: import, and a query of the imported rows.
func (s *suite) local(slow bool) error {
	if err := s.importing(); err != nil {
		return err
	}
	db := filepath.Join(s.dir, "copy.duckdb") // only the gateway uses its own file
	if err := copyFile(db, filepath.Join(s.dir, "data", "projects", "localdev", "data.duckdb")); err != nil {
		return err
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	list := "SELECT " + strings.Join(names, ", ") + " FROM "
	bare := func() (usage, error) {
		return s.run(nil, filepath.Join(s.tools, "bare"), "copy", db, list+"TABLES.bench")
	}
	sql := list + `peaka."table".bench`
	want, size := s.stored()
	s.printf("\n### Zone local: a table of %s rows to CSV\n\n", group(s.rows))
	s.printf("| what | wall | DuckDB's COPY TO csv | ratio | goal | peak |\n|---|---|---|---|---|---|\n")
	for _, format := range []string{"", "CELL_TYPED", "SIMPLE", "COMPACT"} {
		args := []string{"query", "execute", "--zone", "local", "-o", "csv", "--sql", sql}
		name := "`dig query execute --zone local -o csv`"
		if format != "" {
			args, name = append(args, "--format", format), "the same, asked for "+format
		}
		sum := sha256.New()
		if _, err := s.run(sum, s.dig, args...); err != nil {
			return err
		}
		if !bytes.Equal(sum.Sum(nil), want) {
			return fmt.Errorf("zone local %s: the CSV is not the one that was imported", format)
		}
		m, err := s.against(all(size, func() (usage, error) { return s.run(nil, s.dig, args...) }), bare)
		if err != nil {
			return err
		}
		goal := ""
		if format == "" {
			goal = s.goal("zone local to CSV against COPY", m.ratio, 1.6)
		}
		s.printf("| %s | %.2f s | %.2f s | %.2f | %s | %.0f MiB |\n", name, m.self.wall, m.rival.wall, m.ratio, goal, m.self.peak)
	}
	s.printf("\nThe gateway in a process whose engine may use 100 MB (goal: below 150 MiB):\n\n| shape | wall | peak | of it private |\n|---|---|---|---|\n")
	for _, format := range []string{"CELL_TYPED", "SIMPLE", "COMPACT"} {
		u, err := s.run(nil, filepath.Join(s.tools, "local100"), filepath.Join(s.dir, "data"), sql, format)
		if err != nil {
			return err
		}
		s.goal("MiB of a gateway with 100 MB for "+format, u.peak, 150)
		s.printf("| %s | %.2f s | %.0f MiB | %.0f MiB |\n", format, u.wall, u.peak, u.private)
	}
	return nil
}

// importing measures the import of the CSV document and leaves it in the table bench.
func (s *suite) importing() error {
	args := []string{"table", "create", "bench", "--zone", "local"}
	for _, c := range columns {
		typ, _, _ := strings.Cut(c.typ, "(")
		if typ == "double" {
			typ = "decimal" // internal tables have no floating point
		}
		args = append(args, "--column", c.name+":"+typ)
	}
	if _, err := s.run(nil, s.dig, args...); err != nil {
		return err
	}
	file := filepath.Join(s.dir, "bare.duckdb")
	bare := func(doc, types string) func() (usage, error) {
		return func() (usage, error) {
			os.Remove(file)
			return s.run(nil, filepath.Join(s.tools, "bare"), types, file, doc)
		}
	}
	load := func(table, doc string) (usage, error) {
		return s.run(nil, s.dig, "table", "import", table, doc, "--zone", "local", "--yes")
	}
	fresh := func() (usage, error) {
		if _, err := s.run(nil, s.dig, "table", "delete", "bench", "--zone", "local", "--yes"); err != nil {
			return usage{}, err
		}
		if _, err := s.run(nil, s.dig, args...); err != nil {
			return usage{}, err
		}
		return load("bench", s.docs["CSV"].path)
	}
	s.printf("\n### Zone local: import of that CSV\n\n| DuckDB's read_csv into a table of | wall | `dig table import` | ratio | goal | peak | peak at %s rows |\n|---|---|---|---|---|---|---|\n", group(s.rows*s.times))
	many := usage{}
	if s.times > 1 {
		doc, err := s.repeated()
		if err != nil {
			return err
		}
		args[2] = "many"
		if _, err := s.run(nil, s.dig, args...); err != nil {
			return err
		}
		args[2] = "bench"
		if many, err = load("many", doc); err != nil {
			return err
		}
		os.Remove(doc)
		var count bytes.Buffer
		if _, err := s.run(&count, s.dig, "query", "execute", "--zone", "local", "-o", "csv", "--no-header", "--sql", `SELECT count(*), sum(id) FROM peaka."table".many`); err != nil {
			return err
		}
		if got, want := strings.TrimSpace(count.String()), fmt.Sprintf("%d,%d", s.rows*s.times, s.times*(s.rows*1000000+s.rows*(s.rows-1)/2)); got != want {
			return fmt.Errorf("an import of %s rows has count and sum %s instead of %s", group(s.rows*s.times), got, want)
		}
		if _, err := s.run(nil, s.dig, "table", "delete", "many", "--zone", "local", "--yes"); err != nil {
			return err
		}
	}
	for _, types := range []struct{ command, name string }{{"import", "the same types"}, {"import-narrow", "DECIMAL(18,2) and DOUBLE for DECIMAL(38,10)"}} {
		m, err := s.against(fresh, bare(s.docs["CSV"].path, types.command))
		if err != nil {
			return err
		}
		goal := ""
		if types.command == "import" {
			goal = s.goal("import against read_csv", m.ratio, 1.5)
			s.goal("MiB of an import", max(m.self.peak, many.peak), 260)
		}
		s.printf("| %s | %.2f s | %.2f s | %.2f | %s | %.0f MiB | %.0f MiB |\n", types.name, m.rival.wall, m.self.wall, m.ratio, goal, m.self.peak, many.peak)
	}
	return nil
}

// stored is the checksum and the size of the CSV of zone local for the imported rows: decimals have ten decimal places
// there, and timestamps microseconds.
func (s *suite) stored() ([]byte, int64) {
	sum, w := sha256.New(), &counter{}
	out := bufio.NewWriterSize(io.MultiWriter(sum, w), 1<<20)
	for i, c := range columns {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(c.name)
	}
	out.WriteByte('\n')
	for i := range s.rows {
		for c, v := range rowOf(i) {
			if c > 0 {
				out.WriteByte(',')
			}
			switch columns[c].name {
			case "amount", "score":
				whole, fraction, _ := strings.Cut(v.field, ".")
				v.field = whole + "." + (fraction + "0000000000")[:10]
			case "created_at":
				v.field += "000"
			}
			out.WriteString(v.field)
		}
		out.WriteByte('\n')
	}
	out.Flush() // into memory
	return sum.Sum(nil), w.bytes
}

// repeated writes a CSV document with the rows several times.
func (s *suite) repeated() (string, error) {
	d := s.docs["CSV"]
	path := d.path + "-many"
	out, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer out.Close()
	in, err := os.Open(d.path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	if _, err := out.ReadFrom(in); err != nil {
		return "", err
	}
	for range s.times - 1 {
		if _, err := in.Seek(d.head, 0); err != nil {
			return "", err
		}
		if _, err := out.ReadFrom(in); err != nil {
			return "", err
		}
	}
	return path, out.Close()
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := out.ReadFrom(in); err != nil {
		return err
	}
	return out.Close()
}
