package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// wire measures rows from a gateway to CSV.
func (s *suite) wire(slow bool) error {
	want, err := hashOf(s.docs["CSV"].path)
	if err != nil {
		return err
	}
	s.printf("\n### From the wire to CSV\n\n")
	s.printf("| shape | size | `curl -s URL` | `dig query execute -o csv` | ratio | goal | resident (private) | at %s rows |\n|---|---|---|---|---|---|---|---|\n", group(s.rows*s.times))
	own := map[string]usage{}
	for _, x := range []struct {
		shape string
		goal  float64
	}{{"CELL_TYPED", 2}, {"SIMPLE", 3.5}, {"COMPACT", 5}} {
		sum := sha256.New()
		if own[x.shape], err = s.execute(sum, x.shape, 1, "-o", "csv"); err != nil {
			return err
		}
		if !bytes.Equal(sum.Sum(nil), want) {
			return fmt.Errorf("the CSV made from %s is not the one generated", x.shape)
		}
		many := usage{}
		if s.times > 1 {
			lines := &counter{}
			if many, err = s.execute(lines, x.shape, s.times, "-o", "csv"); err != nil {
				return err
			}
			if once := countLines(s.rows); lines.n != int64(s.times*once+1) {
				return fmt.Errorf("%s: %d lines of CSV instead of %d", x.shape, lines.n, s.times*once+1)
			}
		}
		if s.curl == "" {
			s.printf("| %s | %.0f MB | | %.2f s | | | %s | %s |\n", x.shape, float64(s.docs[x.shape].size)/1e6, own[x.shape].wall, own[x.shape].memory(), many.memory())
			continue
		}
		m, err := s.against(all(s.docs["CSV"].size, func() (usage, error) { return s.execute(nil, x.shape, 1, "-o", "csv") }),
			all(s.docs[x.shape].size, func() (usage, error) { return s.run(nil, s.curl, "-s", s.srv.url(x.shape, 1, 0)) }))
		if err != nil {
			return err
		}
		own[x.shape] = m.self
		if m.self.peak >= 40 || many.peak > 1.1*m.self.peak {
			s.missed = append(s.missed, fmt.Sprintf("memory of %s: %.0f MiB, then %.0f MiB", x.shape, m.self.peak, many.peak))
		}
		s.printf("| %s | %.0f MB | %.2f s | %.2f s | %.2f | %s | %s | %s |\n", x.shape, float64(s.docs[x.shape].size)/1e6, m.rival.wall, m.self.wall,
			m.ratio, s.goal(x.shape+" to CSV against curl", m.ratio, x.goal), m.self.memory(), many.memory())
	}
	if slow {
		return s.rivals(own)
	}
	return nil
}

// memory is the peak and its private part.
func (u usage) memory() string { return fmt.Sprintf("%.0f MiB (%.0f)", u.peak, u.private) }

// filters are the usual jq filters that produce CSV from the three formats.
var filters = map[string]string{
	"CELL_TYPED": `.data[] | [.[].value] | @csv`,
	"SIMPLE":     `.data[] | [.[]] | @csv`,
	"COMPACT":    `.data[] | @csv`,
}

func (s *suite) rivals(own map[string]usage) error {
	s.printf("\nOther programs, run once:\n\n| shape | program | wall | times slower than dig | peak |\n|---|---|---|---|---|\n")
	for _, shape := range []string{"CELL_TYPED", "SIMPLE", "COMPACT"} {
		u, err := s.run(nil, filepath.Join(s.tools, "plainjson"), s.srv.url(shape, 1, 0), shape)
		if err != nil {
			return err
		}
		s.printf("| %s | encoding/json, a row at a time | %.1f s | %.1f | %.0f MiB |\n", shape, u.wall, u.wall/own[shape].wall, u.peak)
		if s.jq == "" || s.curl == "" {
			continue
		}
		if need, free := s.rows*8/1024, available(); free > 0 && free < need { // jq needs 7 to 8 KiB a row
			s.printf("| %s | jq | not run: it needs %d MiB, %d MiB are free | | |\n", shape, need, free)
			continue
		}
		// The peak is that of jq: rusage of the shell covers its children.
		u, err = s.pipe(shape)
		if err != nil {
			return err
		}
		s.printf("| %s | curl and `jq -r '%s'` | %.1f s | %.1f | %.0f MiB |\n", shape, strings.ReplaceAll(filters[shape], "|", `\|`), u.wall, u.wall/own[shape].wall, u.peak)
		if shape == "CELL_TYPED" && u.wall < 20*own[shape].wall {
			s.missed = append(s.missed, fmt.Sprintf("jq is only %.1f times slower", u.wall/own[shape].wall))
		}
	}
	return nil
}

// pipe is curl piped to jq.
func (s *suite) pipe(shape string) (usage, error) {
	return s.run(nil, "/bin/sh", "-c", fmt.Sprintf("%s -s '%s' | exec %s -r '%s'", s.curl, s.srv.url(shape, 1, 0), s.jq, filters[shape]))
}

// available is the free memory in MiB, 0 if the system does not report it.
func available() int {
	raw, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), "MemAvailable:")
	f := strings.Fields(rest)
	if len(f) == 0 {
		return 0
	}
	kib, _ := strconv.Atoi(f[0])
	return kib / 1024
}

// hashOf is the checksum of a file and a suffix.
func hashOf(path string, more ...string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var h hash.Hash = sha256.New()
	_, err = io.Copy(h, f)
	for _, text := range more {
		io.WriteString(h, text)
	}
	return h.Sum(nil), err
}

// counter counts lines and bytes.
type counter struct{ n, bytes int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(bytes.Count(p, []byte{'\n'}))
	c.bytes += int64(len(p))
	return len(p), nil
}

// countLines is the number of lines of the rows as CSV: every tenth note has a line feed.
func countLines(rows int) int { return rows + (rows+9)/10 }
