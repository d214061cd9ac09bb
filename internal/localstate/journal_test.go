package localstate

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

type journalLine struct{ Writer, N int }

func linesOf(t *testing.T, j *Journal) (all []journalLine, bad int) {
	t.Helper()
	err := j.Read(func(line []byte) {
		var l journalLine
		if json.Unmarshal(line, &l) != nil {
			bad++
			return
		}
		all = append(all, l)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, bad
}

func appendLine(j *Journal, writer, n int) error {
	raw, err := json.Marshal(journalLine{writer, n})
	if err != nil {
		return err
	}
	return j.Append(raw)
}

// TestMain is also the process that appends until it is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("DIG_TEST_JOURNAL"); dir != "" {
		j := NewJournal(dir, 1<<20)
		fmt.Println("begun")
		for n := 0; ; n++ {
			if err := appendLine(j, os.Getpid(), n); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			fmt.Println(n)
		}
	}
	os.Exit(m.Run())
}

// TestJournalTogether: writers at once lose nothing of each other, each one's lines stay in order, and only the user
// can read them.
func TestJournalTogether(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for w := range 20 {
		all.Go(func() {
			for n := range 50 {
				if err := appendLine(NewJournal(dir, 1<<20), w, n); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	lines, bad := linesOf(t, NewJournal(dir, 1<<20))
	next := map[int]int{}
	for _, l := range lines {
		if l.N != next[l.Writer] {
			t.Fatalf("line %d of writer %d, want %d", l.N, l.Writer, next[l.Writer])
		}
		next[l.Writer]++
	}
	if len(lines) != 1000 || bad > 0 {
		t.Errorf("%d lines, %d bad", len(lines), bad)
	}
	if st, err := os.Stat(NewJournal(dir, 0).path); err != nil || runtime.GOOS != "windows" &&
		st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

// TestJournalKilled: of processes that are killed while they append, all lines that they have reported are there, and
// others can go on.
func TestJournalKilled(t *testing.T) {
	dir := t.TempDir()
	j := NewJournal(dir, 1<<20)
	reported := map[int]int{} // by writer: the number of the last line
	for range 5 {
		cmds := make([]*exec.Cmd, 4)
		outs := make([]*strings.Builder, len(cmds))
		for i := range cmds {
			outs[i] = &strings.Builder{}
			cmds[i] = exec.Command(os.Args[0])
			cmds[i].Env = append(os.Environ(), "DIG_TEST_JOURNAL="+dir)
			cmds[i].Stdout = outs[i]
			if err := cmds[i].Start(); err != nil {
				t.Fatal(err)
			}
		}
		for before, _ := linesOf(t, j); ; {
			if now, _ := linesOf(t, j); len(now) > len(before)+40 {
				break
			}
		}
		for _, c := range cmds {
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		for i, c := range cmds {
			if err := c.Wait(); err == nil {
				t.Error("it ended by itself")
			}
			whole := strings.Split(outs[i].String(), "\n")
			if len(whole) > 2 {
				if _, err := fmt.Sscan(whole[len(whole)-2], new(int)); err != nil {
					t.Errorf("%s", outs[i])
				}
				var n int
				fmt.Sscan(whole[len(whole)-2], &n)
				reported[c.Process.Pid] = n
			}
		}
		if err := appendLine(j, -1, 0); err != nil {
			t.Fatal(err)
		}
	}
	lines, bad := linesOf(t, j)
	most := map[int]int{}
	for _, l := range lines {
		if l.Writer > 0 && l.N > 0 && most[l.Writer] != l.N-1 {
			t.Fatalf("line %d of %d is behind %d", l.N, l.Writer, most[l.Writer])
		}
		most[l.Writer] = l.N
	}
	for w, n := range reported {
		if most[w] < n {
			t.Errorf("%d lines of %d, which has reported %d", most[w], w, n)
		}
	}
	if bad > 20 {
		t.Errorf("%d bad lines", bad)
	}
}

// TestJournalTorn: half a line at the end is no line, and does not spoil the next one.
func TestJournalTorn(t *testing.T) {
	j := NewJournal(t.TempDir(), 1<<20)
	for n := range 2 {
		if err := appendLine(j, 0, n); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(j.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(j.path, raw[:len(raw)-5], 0o644); err != nil {
		t.Fatal(err)
	}
	if lines, bad := linesOf(t, j); len(lines) != 1 || bad != 0 {
		t.Errorf("%v, %d bad", lines, bad)
	}
	if err := appendLine(j, 0, 2); err != nil {
		t.Fatal(err)
	}
	if lines, bad := linesOf(t, j); len(lines) != 2 || lines[1].N != 2 || bad != 1 {
		t.Errorf("%v, %d bad", lines, bad)
	}
}

// TestJournalBounded: the two files never hold more than the limit, and the newest lines are there.
func TestJournalBounded(t *testing.T) {
	const limit = 4000
	j := NewJournal(t.TempDir(), limit)
	if lines, bad := linesOf(t, j); len(lines)+bad > 0 {
		t.Errorf("%v, %d bad in a journal that does not exist", lines, bad)
	}
	for n := range 500 {
		if err := appendLine(j, 0, n); err != nil {
			t.Fatal(err)
		}
		var size int64
		files, err := filepath.Glob(filepath.Join(filepath.Dir(j.path), "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			st, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			size += st.Size()
		}
		lines, bad := linesOf(t, j)
		if size > limit || bad > 0 || lines[len(lines)-1].N != n || n > 200 && len(lines) < 50 {
			t.Fatalf("after %d: %d bytes, %d lines, %d bad", n, size, len(lines), bad)
		}
	}
}
