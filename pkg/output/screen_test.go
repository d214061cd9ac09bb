package output

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dustin/go-humanize"
)

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 1000 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("waited in vain for " + what)
}

func TestProgressShowsLateAndLeavesNothing(t *testing.T) {
	var screen safeBuffer
	start := time.Unix(1000, 0)
	p := newProgress(&screen, time.Millisecond, time.Hour, func() time.Time { now := start; start = start.Add(2500 * time.Millisecond); return now })
	until(t, "the line", func() bool { return screen.String() != "" })
	if got := screen.String(); got != "\r\x1b[K0 rows  2s" {
		t.Errorf("painted %q", got)
	}
	var out bytes.Buffer
	w := p.Output(&out)
	for range 2 {
		if _, err := io.WriteString(w, "x"); err != nil {
			t.Fatal(err)
		}
	}
	p.Stop()
	if got := screen.String(); got != "\r\x1b[K0 rows  2s\r\x1b[K" || out.String() != "xx" {
		t.Errorf("screen %q, output %q", got, out.String())
	}
}

func TestProgressOfAShortQueryIsSilent(t *testing.T) {
	var screen safeBuffer
	p := NewProgress(&screen)
	rows := p.Rows(result(t, corpusFields, corpus()))
	body := p.Body(io.NopCloser(strings.NewReader(strings.Repeat("x", 1234567))))
	if _, err := io.Copy(io.Discard, body); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteRows(p.Output(io.Discard), rows, Options{Format: CSV}); err != nil {
		t.Fatal(err)
	}
	p.Stop()
	if screen.String() != "" {
		t.Errorf("painted %q", screen.String())
	}
	p.start = p.start.Add(-2 * time.Second)
	if got := p.line(); !strings.HasPrefix(got, humanize.Comma(int64(len(corpus())))+" rows  1.2 MB  6") || !strings.HasSuffix(got, " kB/s  2s") {
		t.Errorf("line %q", got)
	}
}

func needShell(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
}

func TestPagerOnlyWhenTallerThanTheScreen(t *testing.T) {
	needShell(t)
	path := filepath.Join(t.TempDir(), "paged")
	for _, tt := range []struct {
		lines int
		line  string
		paged bool
	}{{3, "x", false}, {4, "x", false}, {5, "x", true}, {500, "x", true}, {2, strings.Repeat("y", 25), true}, {3, "\x1b[1m" + strings.Repeat("y", 10) + "\x1b[0m", false}} {
		var screen safeBuffer
		_ = os.Remove(path)
		p := NewPager(PagerOptions{Command: "cat > '" + path + "'", Env: os.Environ(), Out: &screen, Err: os.Stderr, Width: 10, Height: 5, Hold: time.Hour,
			Cancel: func() { t.Error("cancelled") }})
		want := strings.Repeat(tt.line+"\n", tt.lines)
		for _, part := range strings.SplitAfter(want, "\n") {
			if _, err := io.WriteString(p, part); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		paged, _ := os.ReadFile(path)
		if (len(paged) > 0) != tt.paged || string(paged)+screen.String() != want || p.Quit() {
			t.Errorf("%d lines: %d bytes paged, %d on the screen", tt.lines, len(paged), len(screen.String()))
		}
	}
}

func TestPagerQuitCancels(t *testing.T) {
	needShell(t)
	var screen safeBuffer
	var cancelled atomic.Int32
	p := NewPager(PagerOptions{Command: "head -n 1", Env: os.Environ(), Out: &screen, Err: os.Stderr, Height: 2, Cancel: func() { cancelled.Add(1) }})
	var err error
	for range 100_000 {
		if _, err = io.WriteString(p, strings.Repeat("line\n", 20)); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrPagerQuit) || cancelled.Load() != 1 || !p.Quit() {
		t.Errorf("error %v, cancelled %d times", err, cancelled.Load())
	}
	if err := p.Close(); err != nil || screen.String() != "line\n" {
		t.Errorf("close: %v, screen %q", err, screen.String())
	}

	// It is noticed even while nothing is written.
	cancelled.Store(0)
	p = NewPager(PagerOptions{Command: "sleep 0", Env: os.Environ(), Out: &screen, Err: os.Stderr, Height: 2, Cancel: func() { cancelled.Add(1) }})
	_, _ = io.WriteString(p, "a\nb\nc\n")
	until(t, "the end of the pager", func() bool { return cancelled.Load() == 1 })
	_ = p.Close()
}

func TestPagerShowsWhatWaits(t *testing.T) {
	var screen safeBuffer
	p := NewPager(PagerOptions{Command: "false", Out: &screen, Height: 50, Hold: time.Millisecond})
	if _, err := io.WriteString(p, "first\n"); err != nil {
		t.Fatal(err)
	}
	until(t, "the first line", func() bool { return screen.String() == "first\n" })
	if _, err := io.WriteString(p, "second\n"); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil || screen.String() != "first\nsecond\n" {
		t.Errorf("%v, screen %q", err, screen.String())
	}
}

func TestPagerThatIsMissing(t *testing.T) {
	needShell(t)
	var screen safeBuffer
	p := NewPager(PagerOptions{Command: "cat", Out: &screen, Height: 1})
	if _, err := io.WriteString(p, "a\nb\n"); err != nil || screen.String() != "a\nb\n" {
		t.Errorf("cat: %v %q", err, screen.String())
	}
	p = NewPager(PagerOptions{Command: "/nonexistent/pager -x", Env: os.Environ(), Out: &screen, Height: 1})
	if _, err := io.WriteString(p, "c\n"); err != nil || p.Close() != nil || screen.String() != "a\nb\nc\n" {
		t.Errorf("missing: %v %q", err, screen.String())
	}
}
