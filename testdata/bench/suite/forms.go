package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path/filepath"
)

// forms measures other output formats against CSV.
func (s *suite) forms(bool) error {
	s.printf("\n### Other forms, from CELL_TYPED\n\n| `-o` | wall | `-o csv` | ratio | resident (private) | at %s rows |\n|---|---|---|---|---|---|\n", group(s.rows*s.times))
	raw, err := hashOf(s.docs["CELL_TYPED"].path, "\n") // json is the document itself and a line feed
	if err != nil {
		return err
	}
	rows := int64(s.rows)
	for _, x := range []struct {
		form  string
		lines int64 // 0: not counted
	}{{"tsv", rows + 1}, {"ndjson", rows}, {"json", 0}, {"markdown", rows + 2}, {"html", 0}, {"yaml", 0}, {"table", rows + 2}, {"parquet", 0}, {"xlsx", 0}} {
		args := []string{"-o", x.form}
		if x.form == "parquet" || x.form == "xlsx" {
			args = append(args, "--out", filepath.Join(s.dir, "result."+x.form))
		} else {
			lines, sum := &counter{}, sha256.New()
			if _, err := s.execute(tee{lines, sum}, "CELL_TYPED", 1, args...); err != nil {
				return err
			}
			if x.lines > 0 && lines.n != x.lines {
				return fmt.Errorf("%s: %d lines instead of %d", x.form, lines.n, x.lines)
			}
			if x.form == "json" && !bytes.Equal(sum.Sum(nil), raw) {
				return fmt.Errorf("json is not the document that was sent")
			}
		}
		m, err := s.against(func() (usage, error) { return s.execute(nil, "CELL_TYPED", 1, args...) },
			all(s.docs["CSV"].size, func() (usage, error) { return s.execute(nil, "CELL_TYPED", 1, "-o", "csv") }))
		if err != nil {
			return err
		}
		many := usage{}
		if s.times > 1 {
			if many, err = s.execute(nil, "CELL_TYPED", s.times, args...); err != nil {
				return err
			}
		}
		// Formats that are not streams keep an index that grows with the rows, but not the rows: the row groups of Parquet, the sheets of xlsx.
		if many.private > 1.5*m.self.private+8 {
			s.missed = append(s.missed, fmt.Sprintf("memory of %s: %s, then %s", x.form, m.self.memory(), many.memory()))
		}
		s.printf("| %s | %.2f s | %.2f s | %.1f | %s | %s |\n", x.form, m.self.wall, m.rival.wall, m.ratio, m.self.memory(), many.memory())
	}
	return nil
}

// tee counts and hashes the bytes that pass through it.
type tee struct {
	lines *counter
	sum   interface{ Write([]byte) (int, error) }
}

func (t tee) Write(p []byte) (int, error) {
	t.lines.Write(p)
	return t.sum.Write(p)
}
