package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
	"unicode/utf8"
)

// table measures tables of all rows, and the latency of the first row on a slow link.
func (s *suite) table(slow bool) error {
	s.printf("\n### Tables\n\n")
	c := &ruler{}
	u, err := s.execute(c, "CELL_TYPED", 1, "-o", "table")
	if err != nil {
		return err
	}
	c.end()
	if c.lines != s.rows+2 || c.off > 0 || c.wrong > 0 {
		s.missed = append(s.missed, fmt.Sprintf("table: %d lines instead of %d, %d of them out of line, %d with other values", c.lines, s.rows+2, c.off, c.wrong))
	}
	s.goal("MiB of a table", u.peak, 100)
	s.printf("`dig query execute -o table` of all rows into a pipe: %.2f s, peak %.1f MiB (goal: below 100),\n"+
		"%s lines, %d with a column out of line.\n", u.wall, u.peak, group(c.lines), c.off)
	const rate = 20_000_000
	if s.curl != "" { // verifies the rate of the link
		u, err := s.run(nil, s.curl, "-s", s.srv.url("COMPACT", 1, rate))
		if err != nil {
			return err
		}
		if took, least := u.wall, float64(s.docs["COMPACT"].size)/rate; took < 0.99*least {
			return fmt.Errorf("the throttled link took %.2f s instead of %.2f s", took, least)
		}
		s.printf("\nThe throttled link sends %.1f MB/s.\n", float64(s.srv.pace.Load())/1e6)
	}
	s.printf("\nTime from the first byte to the first row, on a link of 20 MB/s:\n\n| program | shape | median | goal |\n|---|---|---|---|\n")
	for _, x := range []struct {
		name, shape string
		args        []string
		terminal    bool
	}{
		{"`dig query execute` on a terminal", "CELL_TYPED", nil, true},
		{"`dig query execute -o csv`", "CELL_TYPED", []string{"-o", "csv"}, false},
		{"`dig query execute -o ndjson`", "CELL_TYPED", []string{"-o", "ndjson"}, false},
		{"`dig query execute -o csv`", "COMPACT", []string{"-o", "csv"}, false},
	} {
		args := append([]string{s.dig, "query", "execute", "--base-url", s.srv.url(x.shape, 1, rate), "--project", "Bench123", "--sql", "SELECT * FROM t",
			"--format", x.shape}, x.args...)
		var times []float64
		for range s.runs {
			t, err := s.first(x.terminal, "customer 0", args...)
			if err != nil {
				s.printf("| %s | %s | not measured: %v | |\n", x.name, x.shape, err)
				s.missed = append(s.missed, x.name+" was not measured")
				break
			}
			times = append(times, t)
		}
		if len(times) == s.runs {
			mid := median(times)
			s.goal("seconds to the first row, "+x.name+" "+x.shape, mid, 0.1)
			s.printf("| %s | %s | %.3f s | 0.1 s |\n", x.name, x.shape, mid)
		}
	}
	if slow && s.jq != "" && s.curl != "" {
		t, err := s.first(false, "customer 0", "/bin/sh", "-c", fmt.Sprintf("%s -s '%s' | %s -r '%s'", s.curl, s.srv.url("COMPACT", 1, rate), s.jq, filters["COMPACT"]))
		if err != nil {
			return err
		}
		s.printf("| curl and jq | COMPACT | %.1f s (once) | |\n", t)
	}
	return nil
}

// first starts a program and stops it after the text has been printed; the time starts with the first byte that the server sent.
func (s *suite) first(terminal bool, text string, args ...string) (float64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.WaitDelay = time.Second // a shell's children may hold stderr after its death
	c.Env, c.Dir = append(s.env, "TERM=xterm", "PAGER=cat", "DIG_PAGER=cat"), s.dir
	s.srv.first.Store(0)
	var out io.Reader
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if terminal {
		master, slave, err := openTerminal(200, 50)
		if err != nil {
			return 0, err
		}
		defer master.Close()
		c.Stdout, out = slave, master
		defer slave.Close()
	} else {
		r, w, err := os.Pipe()
		if err != nil {
			return 0, err
		}
		defer r.Close()
		c.Stdout, out = w, r
		defer w.Close()
	}
	if err := c.Start(); err != nil {
		return 0, err
	}
	if !terminal {
		c.Stdout.(*os.File).Close() // so that the pipe ends with the program
	}
	var once sync.Once
	stop := func() { once.Do(func() { c.Process.Kill(); c.Wait() }) }
	defer stop()
	seen, buf := []byte(nil), make([]byte, 64<<10)
	for {
		n, err := out.Read(buf)
		seen = append(seen, buf[:n]...)
		if bytes.Contains(seen, []byte(text)) {
			at := time.Now().UnixNano()
			return float64(at-s.srv.first.Load()) / 1e9, nil
		}
		if err != nil {
			stop()
			return 0, fmt.Errorf("%q never came: %s", text, stderr.Bytes())
		}
	}
}

// ruler checks the lines of a table as they are written: the bars of each must be aligned with those of the first, and the identifier and
// the address must be those of the row.
type ruler struct {
	buf               []byte
	bars              []int
	lines, off, wrong int
}

func (r *ruler) Write(p []byte) (int, error) {
	r.buf = append(r.buf, p...)
	for {
		i := bytes.IndexByte(r.buf, '\n')
		if i < 0 {
			break
		}
		r.line(r.buf[:i])
		r.buf = r.buf[i+1:]
	}
	r.buf = append([]byte(nil), r.buf...)
	return len(p), nil
}

func (r *ruler) line(l []byte) {
	r.lines++
	if r.lines == 2 { // the line below the names
		return
	}
	if r.lines > 2 {
		cell, row := bytes.Split(l, []byte("│")), rowOf(r.lines-3)
		if len(cell) < 3 || string(bytes.TrimSpace(cell[0])) != row[0].field || string(bytes.TrimSpace(cell[2])) != row[2].field {
			r.wrong++
		}
	}
	n, col := 0, 0
	same := true
	for len(l) > 0 {
		c, size := utf8.DecodeRune(l)
		if c == '│' {
			if r.lines == 1 {
				r.bars = append(r.bars, col)
			} else if n >= len(r.bars) || r.bars[n] != col {
				same = false
			}
			n++
		}
		col += width(c)
		l = l[size:]
	}
	if n != len(r.bars) || !same {
		r.off++
	}
}

func (r *ruler) end() {
	if len(r.buf) > 0 {
		r.line(r.buf)
	}
}

// width of the characters of the documents: the East Asian ones of the cities are twice as wide.
func width(c rune) int {
	if c >= 0x4e00 && c <= 0x9fff {
		return 2
	}
	return 1
}
