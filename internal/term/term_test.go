package term

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/internal/term/termtest"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dustin/go-humanize"
)

func TestProgressShowsLateAndLeavesNothing(t *testing.T) {
	var screen termtest.Buffer
	start := time.Unix(1000, 0)
	p := newProgress(&screen, time.Millisecond, time.Hour, func() time.Time {
		now := start
		start = start.Add(2500 * time.Millisecond)
		return now
	})
	termtest.Until(t, "the line", func() bool { return screen.String() != "" })
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

// Between outputs the line is drawn where one has ended, and removed before the next.
func TestProgressBetweenOutputs(t *testing.T) {
	var screen termtest.Buffer
	start := time.Unix(1000, 0)
	p := newProgress(&screen, time.Hour, time.Hour, func() time.Time { return start })
	p.Between()
	w := p.Output(&screen)
	for _, part := range []string{"head\n", "half a ", "line\n"} {
		if _, err := io.WriteString(w, part); err != nil {
			t.Fatal(err)
		}
		p.paint(time.Hour)
	}
	p.Stop()
	const line = "\r\x1b[K0 rows  0s"
	if got, want := screen.String(), "head\n"+line+"\r\x1b[Khalf a line\n"+line+"\r\x1b[K"; got != want {
		t.Errorf("screen %q, want %q", got, want)
	}
}

func TestProgressOfAShortQueryIsSilent(t *testing.T) {
	var screen termtest.Buffer
	p := NewProgress(&screen)
	const count = 1500
	text := `{"columns":[{"columnName":"n","dataType":"bigint"}],"data":[` + strings.Repeat("[1],", count-1) + "[1]]}"
	rows, ok := p.Rows(api.NewRows(io.NopCloser(strings.NewReader(text)), api.Compact)).(api.AppendReader)
	if !ok {
		t.Fatal("the rows cannot be appended directly any more")
	}
	body := p.Body(io.NopCloser(strings.NewReader(strings.Repeat("x", 1234567))))
	if _, err := io.Copy(io.Discard, body); err != nil {
		t.Fatal(err)
	}
	out := p.Output(io.Discard)
	form := &api.Delimited{Between: ',', End: '\n', Floats: make([]bool, 1), Cell: func(dst []byte, _ int64, _ int,
		_ api.Cell) ([]byte, error) {
		return append(dst, '1'), nil // only the rows are counted
	}}
	appended := 0
	for {
		line, took := rows.AppendNext(nil, form)
		if took {
			appended++
		} else if !rows.Next() {
			break
		}
		if _, err := out.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil || appended == 0 {
		t.Fatal(err, appended)
	}
	p.Stop()
	if screen.String() != "" {
		t.Errorf("painted %q", screen.String())
	}
	end := p.now()
	p.start, p.now = end.Add(-2*time.Second), func() time.Time { return end }
	if got := p.line(); !strings.HasPrefix(got, humanize.Comma(count)+" rows  1.2 MB  6") ||
		!strings.HasSuffix(got, " kB/s  2s") {
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
	}{{3, "x", false}, {4, "x", false}, {5, "x", true}, {500, "x", true}, {2, strings.Repeat("y", 25), true},
		{3, "\x1b[1m" + strings.Repeat("y", 10) + "\x1b[0m", false}} {
		var screen termtest.Buffer
		_ = os.Remove(path)
		p := NewPager(PagerOptions{Command: "cat > '" + path + "'", Env: os.Environ(), Out: &screen, Err: os.Stderr,
			Width: 10, Height: 5, Hold: time.Hour,
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
	var screen termtest.Buffer
	var cancelled atomic.Int32
	p := NewPager(PagerOptions{Command: "head -n 1", Env: os.Environ(), Out: &screen, Err: os.Stderr, Height: 2,
		Cancel: func() { cancelled.Add(1) }})
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
	p = NewPager(PagerOptions{Command: "sleep 0", Env: os.Environ(), Out: &screen, Err: os.Stderr, Height: 2,
		Cancel: func() { cancelled.Add(1) }})
	_, _ = io.WriteString(p, "a\nb\nc\n")
	termtest.Until(t, "the end of the pager", func() bool { return cancelled.Load() == 1 })
	_ = p.Close()
}

func TestPagerShowsWhatWaits(t *testing.T) {
	var screen termtest.Buffer
	p := NewPager(PagerOptions{Command: "false", Out: &screen, Height: 50, Hold: time.Millisecond})
	if _, err := io.WriteString(p, "first\n"); err != nil {
		t.Fatal(err)
	}
	termtest.Until(t, "the first line", func() bool { return screen.String() == "first\n" })
	if _, err := io.WriteString(p, "second\n"); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil || screen.String() != "first\nsecond\n" {
		t.Errorf("%v, screen %q", err, screen.String())
	}
}

func TestPagerThatIsMissing(t *testing.T) {
	needShell(t)
	var screen termtest.Buffer
	p := NewPager(PagerOptions{Command: "cat", Out: &screen, Height: 1})
	if _, err := io.WriteString(p, "a\nb\n"); err != nil || screen.String() != "a\nb\n" {
		t.Errorf("cat: %v %q", err, screen.String())
	}
	p = NewPager(PagerOptions{Command: "/nonexistent/pager -x", Env: os.Environ(), Out: &screen, Height: 1})
	if _, err := io.WriteString(p, "c\n"); err != nil || p.Close() != nil || screen.String() != "a\nb\nc\n" {
		t.Errorf("missing: %v %q", err, screen.String())
	}
}

func TestSanitize(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 日本 😀":         "plain é 日本 😀",
		"\x1b]0;title\x07":     "␛]0;title␇",
		"a\nb\tc\x00\x7f":      "a↵b␉c␀␡",
		"\u009b31m\u0085":      "<U+009B>31m<U+0085>",
		"\u202ea\u2066b\u200f": "<U+202E>a<U+2066>b<U+200F>",
		"bad\xff\xc3":          "bad\ufffd\ufffd",
		"👩‍👩‍👧":                "👩‍👩‍👧",
	} {
		if got := string(Sanitize(nil, in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := string(SanitizeText([]byte("> "), []byte("a\n\tb\r\x1b"))); got != "> a\n\tb␍␛" {
		t.Errorf("got %q", got)
	}
}

func TestScreenKeepsCharactersWhole(t *testing.T) {
	const text = "aé漢😀\u009bz\n\tq\xff"
	var want bytes.Buffer
	want.Write(SanitizeText(nil, text))
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		s := NewScreen(&out)
		for at := 0; at < len(text); at += size {
			part := text[at:min(at+size, len(text))]
			if n, err := io.WriteString(s, part); err != nil || n != len(part) {
				t.Fatal(n, err)
			}
		}
		if err := s.Flush(); err != nil || out.String() != want.String() {
			t.Errorf("in parts of %d: %q, want %q (%v)", size, out.String(), want.String(), err)
		}
	}
	var out bytes.Buffer
	s := NewScreen(&out)
	_, _ = io.WriteString(s, "a\xe6\xbc")
	if err := s.Flush(); err != nil || out.String() != "a\ufffd\ufffd" {
		t.Errorf("an unfinished character became %q (%v)", out.String(), err)
	}
}
