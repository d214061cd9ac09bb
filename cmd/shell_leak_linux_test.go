package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// held is what a process holds.
type held struct{ goroutines, files, temporary int }

func holding(t *testing.T, temporary string) held {
	t.Helper()
	var h held
	for n := range 50 { // the least of a second: what ends does not end at once
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadDir(temporary)
		if err != nil {
			t.Fatal(err)
		}
		now := held{runtime.NumGoroutine(), len(fds), len(left)}
		if n == 0 {
			h = now
		}
		h = held{min(h.goroutines, now.goroutines), min(h.files, now.files), min(h.temporary, now.temporary)}
		time.Sleep(20 * time.Millisecond)
	}
	return h
}

// heap collects until a collection frees no more than a mebibyte: what has a finalizer, and what tests before this one
// held in pools, takes several.
func heap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for range 10 {
		before := m.HeapAlloc
		runtime.GC()
		runtime.ReadMemStats(&m)
		if m.HeapAlloc+1<<20 > before {
			break
		}
		time.Sleep(20 * time.Millisecond) // finalizers run after the collection
	}
	return int64(m.HeapAlloc)
}

// leaks compares what is held after 100 and after 1,000 statements. A goroutine may be at its end just now; one for
// each statement, or for each of a kind, would be nine more at least. Of the heap, a part is the screen that the test
// keeps.
func leaks(early, late held, grown int64) string {
	switch {
	case late.goroutines > early.goroutines+3:
		return "goroutines"
	case late.files > early.files:
		return "open files"
	case late.temporary > early.temporary:
		return "temporary files"
	case grown > 24<<20:
		return fmt.Sprintf("the heap grew by %d bytes", grown)
	}
	return ""
}

// TestLeaksAreFound leaks one of each kind for every hundredth statement, and 64 KiB for each.
func TestLeaksAreFound(t *testing.T) {
	temporary := t.TempDir()
	var files []*os.File
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	end := make(chan struct{})
	defer close(end)
	var kept [][]byte
	for want, leak := range map[string]func(){
		"goroutines": func() { go func() { <-end }() },
		"open files": func() {
			f, err := os.Open(os.DevNull)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		},
		"temporary files": func() {
			f, err := os.CreateTemp(temporary, "*")
			if err != nil || f.Close() != nil {
				t.Fatal(err)
			}
		},
		"the heap grew": func() { kept = append(kept, make([]byte, 100*64<<10)) },
	} {
		early, small := holding(t, temporary), heap()
		for range 9 {
			leak()
		}
		if found := leaks(early, holding(t, temporary), heap()-small); !strings.HasPrefix(found, want) {
			t.Errorf("%s: found %q", want, found)
		}
	}
	runtime.KeepAlive(kept)
}

// TestShellLeaksNothing runs 1,000 statements in one session, some over the last result, some with errors: goroutines,
// open files and temporary files are then what they were after the first 100, and the heap has not grown by what 900
// results would need.
func TestShellLeaksNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("1,000 statements")
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	x, end := inShell(t, t.TempDir(), map[string]string{"NO_COLOR": "1"})
	at := x.shows(0, "dig local> ")
	var early held
	var small int64
	for n := 1; n <= 1000; n++ {
		text, want := fmt.Sprintf("select %d as n;", n+1000), fmt.Sprintf(" %d\r\n", n+1000)
		switch {
		case n%100 == 3: // more than is kept in memory
			text, want = fmt.Sprintf("select repeat('x', 10000) as t, n + %d as n from unnest(sequence(1, 130)) a(n);",
				n), "(130 rows"
		case n%10 == 4:
			text, want = "select count(*) + 100000 as n from _;", "1000"
		case n%10 == 7:
			text, want = fmt.Sprintf("select nosuch%d;", n), "cannot be resolved"
		}
		x.types(text + "\r")
		at = x.shows(at, strings.TrimRight(want, "\r\n"))
		at = x.shows(at, "dig local> ")
		if n == 100 {
			early, small = holding(t, temporary), heap()
		}
	}
	var late held
	found := ""
	for range 100 { // names for completion may be being read
		late = holding(t, temporary)
		if found = leaks(early, late, heap()-small); found == "" {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if found != "" {
		t.Errorf("%s: after 100 statements %+v, after 1,000 %+v", found, early, late)
	}
	x.types("\x04")
	if code := end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
