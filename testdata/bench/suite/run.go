package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"syscall"
	"time"
)

// usage is the resource usage of one run of a process.
type usage struct {
	wall, cpu     float64 // seconds
	peak, private float64 // MiB: the maximum resident set, and the largest part of it that is not the mapped files
	wrote         int64   // bytes to files, pipes and devices; 0 if the system does not report it
}

// run starts a program, waits for it and measures it. out nil is the null device.
//
// After exec a process starts with the peak of its parent, so a small process (see observe) starts it.
func (s *suite) run(out io.Writer, name string, args ...string) (usage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return usage{}, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return usage{}, err
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return usage{}, err
	}
	defer r.Close()
	c := exec.CommandContext(ctx, self, append([]string{"observe", name}, args...)...)
	var stderr bytes.Buffer
	c.Env, c.Dir, c.Stdout, c.Stderr, c.ExtraFiles = s.env, s.dir, null, &stderr, []*os.File{w}
	if out != nil {
		c.Stdout = out
	}
	err = c.Start()
	w.Close()
	if err != nil {
		return usage{}, err
	}
	var u usage
	_, scanErr := fmt.Fscan(r, &u.wall, &u.cpu, &u.peak, &u.private, &u.wrote)
	if err := c.Wait(); err != nil {
		return u, fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, stderr.Bytes())
	}
	return u, scanErr
}

// observe runs a program and writes its usage to file 3.
func observe(args []string) int {
	c := exec.Command(args[0], args[1:]...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	wall, start := 0.0, time.Now()
	err := c.Start()
	private, wrote := 0.0, int64(0)
	if err == nil {
		done := make(chan struct{})
		go func() { private = watch(c.Process.Pid, done); close(done) }()
		wrote = written(c.Process.Pid)
		wall = time.Since(start).Seconds()
		err = c.Wait()
		done <- struct{}{}
		<-done
	}
	st := c.ProcessState
	if st == nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	peak := 0.0
	if r, ok := st.SysUsage().(*syscall.Rusage); ok {
		peak = float64(r.Maxrss) * rssUnit / (1 << 20)
	}
	fmt.Fprintln(os.NewFile(3, "usage"), wall, (st.UserTime() + st.SystemTime()).Seconds(), peak, private, wrote)
	return st.ExitCode()
}

// watch samples the private memory of a process every few milliseconds until done is written to. It is 0 if the system does
// not report it.
func watch(pid int, done <-chan struct{}) (most float64) {
	t := time.NewTicker(5 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-done:
			return most
		case <-t.C:
		}
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		_, rest, ok := bytes.Cut(raw, []byte("RssAnon:"))
		if !ok {
			continue
		}
		var kib float64
		if _, err := fmt.Sscan(string(rest), &kib); err == nil {
			most = max(most, kib/1024)
		}
	}
}

func median(v []float64) float64 {
	v = append([]float64(nil), v...)
	sort.Float64s(v)
	return v[len(v)/2]
}

// measured is one run of a program and of the one it is compared with.
type measured struct {
	ratio       float64
	self, rival usage
}

func (s *suite) against(self, rival func() (usage, error)) (measured, error) {
	var m []measured
	for i := range s.runs + 1 {
		b, err := rival()
		if err != nil {
			return measured{}, err
		}
		a, err := self()
		if err != nil {
			return measured{}, err
		}
		if i > 0 { // the first pair warms the caches
			m = append(m, measured{a.wall / b.wall, a, b})
		}
	}
	sort.Slice(m, func(i, j int) bool { return m[i].ratio < m[j].ratio })
	mid := m[len(m)/2]
	for _, x := range m { // memory: the worst of the runs
		mid.self.peak, mid.self.private = max(mid.self.peak, x.self.peak), max(mid.self.private, x.self.private)
		mid.rival.peak = max(mid.rival.peak, x.rival.peak)
	}
	return mid, nil
}

func lookFor(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

// all runs a program and fails if it wrote less than the whole result.
func all(size int64, run func() (usage, error)) func() (usage, error) {
	return func() (usage, error) {
		u, err := run()
		if err == nil && u.wrote > 0 && u.wrote < size {
			err = fmt.Errorf("%d bytes were written instead of %d", u.wrote, size)
		}
		return u, err
	}
}

// execute is `dig query execute` against the server of the suite.
func (s *suite) execute(out io.Writer, format string, times int, more ...string) (usage, error) {
	args := append([]string{"query", "execute", "--base-url", s.srv.url(format, times, 0), "--project", "Bench123", "--sql", "SELECT * FROM t",
		"--format", format}, more...)
	return s.run(out, s.dig, args...)
}
