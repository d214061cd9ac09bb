package cmd

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"golang.org/x/sys/unix"
)

// shellDirs are the variables by which a shell and commands beside it have their files in one directory.
func shellDirs(home string) map[string]string {
	return map[string]string{"HOME": home, "DIG_CONFIG_DIR": home, "DIG_DATA_DIR": filepath.Join(home, "data"),
		"DIG_STATE_DIR": home, "DIG_CACHE_DIR": home}
}

// inShell runs the shell on a terminal over a zone local of its own.
func inShell(t *testing.T, home string, env map[string]string) (x *terminal, end func() int) {
	t.Helper()
	x = newTerminal(t)
	if err := unix.IoctlSetWinsize(int(x.tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	all := shellDirs(home)
	all["TERM"] = "xterm"
	maps.Copy(all, env)
	e := &cli.Env{Zone: local(), Name: "dig", Args: []string{"shell"}, In: x.tty, Out: x.tty, Err: x.tty, Dir: home,
		Now:    time.Now,
		Getenv: environ(t, all),
		InTerm: true, OutTerm: true, ErrTerm: true, Width: 80, Height: 24, Trap: new(atomic.Pointer[func()])}
	x.interrupt = func() { (*e.Trap.Load())() }
	code := make(chan int, 1)
	go func() { code <- Run(context.Background(), e) }()
	return x, func() int {
		t.Helper()
		select {
		case c := <-code:
			return c
		case <-time.After(20 * time.Second):
			t.Fatalf("the shell does not end:\n%s", x.screen())
			return -1
		}
	}
}

var control = regexp.MustCompile(`\x1b\[[0-9;?>=]*[a-zA-Z]|\x1b[=>]|\r`)

// shows waits until the screen has shown a text after a number of bytes, and returns the number of bytes up to its end.
func (x *terminal) shows(after int, text string) int {
	x.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		s := x.screen()
		if strings.Contains(plainText(s[after:]), text) {
			return after + sort.Search(len(s)-after,
				func(n int) bool { return strings.Contains(plainText(s[after:after+n]), text) })
		}
		if time.Now().After(deadline) {
			x.t.Fatalf("the screen does not show %q:\n%q", text, s[after:])
		}
	}
}

// plainText is what a terminal shows of a text without the places.
func plainText(s string) string {
	return control.ReplaceAllString(strings.NewReplacer("\x1b[C", " ", "\t", "        ").Replace(s), "")
}

func (x *terminal) types(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.keys, keys); err != nil {
		x.t.Fatal(err)
	}
}

// TestShell types statements and commands into the shell.
func TestShell(t *testing.T) {
	home := t.TempDir()
	x, end := inShell(t, home, map[string]string{"NO_COLOR": "1"})
	at := x.shows(0, "dig local> ")
	x.types("select 40 + 2 as answer,\r'żółć' as word;\r")
	at = x.shows(at, "żółć")
	at = x.shows(at, "(1 row")
	x.types("\x1b[A\r") // Up, Enter
	at = x.shows(at, "        -> 'żółć' as word;")
	at = x.shows(at, "(1 row")
	x.types("\\x\r")
	at = x.shows(at, "answer │ 42")
	x.types("select answr from (select 1 as answer);\r")
	at = x.shows(at, "did you mean answer?")
	x.types("select upper(word) as loud from _ where answer > 41;\r")
	at = x.shows(at, "ŻÓŁĆ")
	x.types("select loud, c.id from _ join sample.shop.customers c on c.id < length(_.loud);\r")
	at = x.shows(at, "(3 rows")
	x.types("select lud from _;\r")
	at = x.shows(at, "line 1:8:")
	at = x.shows(at, "did you mean loud?")
	x.types("\\use sample.shop\rselect count(*) as n from products;\r")
	at = x.shows(at, "dig local:sample.shop> ")
	at = x.shows(at, "n │ ")
	at = x.shows(at, "dig local:sample.shop> ") // Ctrl-C would discard what is typed before a prompt
	x.types("select count(*) as n from ordrs;\r")
	at = x.shows(at, "did you mean orders?")
	x.types("\\y\r")
	at = x.shows(at, "n │ 10000")
	x.types("select 6\r\\timing\r") // a command below a statement without an end
	at = x.shows(at, "timing: on")
	at = x.shows(at, "select 6")
	x.types("* 7 as n\r\\g\r")
	at = x.shows(at, "n │ 42")
	x.types("\\timing\r")
	at = x.shows(at, "timing: off")
	x.types("\\use\rselect 42 as answer, 'żółć' as word;\r")
	at = x.shows(at, "(1 row")
	at = x.shows(at, "dig local> ")
	x.types("unfinished\x03")
	at = x.shows(at, "unfinished^C")
	x.types("\\export " + filepath.Join(home, "last.csv") + "\r")
	at = x.shows(at, "wrote ")
	if raw, err := os.ReadFile(filepath.Join(home, "last.csv")); err != nil || string(raw) != "answer,word\n42,żółć\n" {
		t.Errorf("last.csv: %q, %v", raw, err)
	}
	x.types("\x1b[200~\\x\rselect 6 * 8 as pasted;\x1b[201~\r") // the command ends with its line
	at = x.shows(at, "one line per value: off")
	at = x.shows(at, "48")
	x.types(" select 'not kept';\rselect '12345678.abcdefghijklmnopqrstuvwxyz012345';\r\\nosuch\r")
	x.shows(at, `unknown command \nosuch`)
	x.types("\x04")
	if code := end(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, x.screen())
	}
	path, kept := historyIn(t, home)
	if !strings.Contains(kept, `answer,\n'żółć'`) || strings.Contains(kept, "not kept") || strings.Contains(kept,
		"12345678.abc") {
		t.Errorf("history: %s", kept)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the history has mode %v, %v", st.Mode(), err)
	}
}

// historyIn returns the one history of a state directory.
func historyIn(t *testing.T, home string) (path, text string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(home, "shell", "*.history"))
	if err != nil || len(files) != 1 {
		t.Fatalf("histories %v, %v", files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return files[0], string(raw)
}

// TestCommandsOfStatements: a statement runs once before it is repeated, and not if the number of seconds is wrong; an
// error of a command is not about the last statement; what is pasted below \c is not run before it is seen where.
func TestCommandsOfStatements(t *testing.T) {
	x, end := inShell(t, t.TempDir(), map[string]string{"NO_COLOR": "1"})
	at := x.shows(0, "dig local> ")
	x.types("select 6 * 7 as answer \\watch x\r")
	at = x.shows(at, "not a number of seconds")
	at = x.shows(at, "dig local> ")
	x.types("select 6 * 7 as answer \\watch 600\r")
	at = x.shows(at, "(every 10m0s")
	at = x.shows(at, "(1 row")
	x.interrupt()
	at = x.shows(at, "dig local> ")
	if n := strings.Count(plainText(x.screen()), "(1 row"); n != 1 {
		t.Errorf("the statement ran %d times:\n%s", n, x.screen())
	}
	x.types("\\x auto\r\\x sometimes\r\\set\r\\errverbose\r")
	at = x.shows(at, "is on, off or auto, not sometimes")
	at = x.shows(at, "expanded │ auto")
	at = x.shows(at, "is on, off or auto, not sometimes")
	at = x.shows(at, "dig local> ")
	if strings.Contains(x.screen(), `"statement"`) {
		t.Errorf("the error is about a statement:\n%s", x.screen())
	}
	x.types("\x1b[200~\\c default\rselect 40 + 3 as pasted;\x1b[201~\r")
	at = x.shows(at, "project default")
	at = x.shows(at, "40 + 3")
	x.types("\r")
	x.shows(at, "(1 row")
	x.types("\x04")
	if code := end(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, x.screen())
	}
}

// TestShellsShareAHistory: what two shells of a project enter at the same time is all there for the next one, in order.
func TestShellsShareAHistory(t *testing.T) {
	home := t.TempDir()
	env := map[string]string{"NO_COLOR": "1"}
	a, endA := inShell(t, home, env)
	b, endB := inShell(t, home, env)
	atA, atB := a.shows(0, "dig local> "), b.shows(0, "dig local> ")
	for n := range 10 {
		a.types(fmt.Sprintf("select %d as a;\r", n))
		b.types(fmt.Sprintf("select %d as b;\r", n))
	}
	a.types("select 'the end';\r")
	atA = a.shows(atA, "the end'")
	b.types("select 'the end';\r")
	atB = b.shows(atB, "the end'")
	a.shows(atA, "(1 row")
	b.shows(atB, "(1 row")
	a.types("\x04")
	b.types("\x04")
	if endA() != 0 || endB() != 0 {
		t.Error("a shell failed")
	}
	_, raw := historyIn(t, home)
	for _, of := range []string{"a", "b"} {
		last := -1
		for n := range 10 {
			at := strings.Index(raw, fmt.Sprintf("\"select %d as %s;\"\n", n, of))
			if at <= last {
				t.Errorf("entry %d of shell %s is missing or before the one before:\n%s", n, of, raw)
			}
			last = at
		}
	}
	c, end := inShell(t, home, env)
	c.shows(0, "dig local> ")
	c.types("\x12" + "9 as a") // Ctrl-R
	at := c.shows(0, "select 9 as a;")
	c.types("\r\r")
	at = c.shows(at, "(1 row")
	c.shows(at, "dig local> ")
	c.types("\x04")
	if end() != 0 {
		t.Error("the third shell failed")
	}
}

// TestKeysWhileAStatementRuns: what is typed meanwhile is edited by the next prompt, every key of it.
func TestKeysWhileAStatementRuns(t *testing.T) {
	home := t.TempDir()
	x, end := inShell(t, home, map[string]string{"NO_COLOR": "1"})
	at := x.shows(0, "dig local> ")
	between := func() { // waits until the prompt has left the terminal
		t.Helper()
		for deadline := time.Now().Add(time.Minute); x.mode().Lflag&unix.ISIG == 0; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the statement does not begin")
			}
		}
	}
	slow := "select count(*) as n from unnest(sequence(1, 10000)) a(x) cross join unnest(sequence(1, 10000)) b(y) " +
		"where (x * y) % 7 = 3;\r"
	x.types(slow)
	between()
	x.types("select 'lost\x15select 40 + 3\x7f2 as typed\x17ahead;\r") // Ctrl-U, Backspace, Ctrl-W
	at = x.shows(at, "12246530")
	at = x.shows(at, "ahead")
	at = x.shows(at, "42")
	x.shows(at, "dig local> ")
	x.types(slow)
	between()
	x.types("\x04")
	if code := end(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, x.screen())
	}
	if after := x.mode(); after != x.settings {
		t.Errorf("the terminal was left with other settings: %+v; before: %+v", after, x.settings)
	}
}

// TestCancelWhileRowsCome: while the rows that are not shown are read, their number is; Ctrl-C ends that, and is not
// taken for a broken result.
func TestCancelWhileRowsCome(t *testing.T) {
	x, end := inShell(t, t.TempDir(), map[string]string{"NO_COLOR": "1"})
	at := x.shows(0, "dig local> ")
	x.types("select x, y from unnest(sequence(1, 10000)) a(x) cross join unnest(sequence(1, 10000)) b(y);\r")
	at = x.shows(at, " 12 │")
	x.shows(at, " rows  ")
	x.interrupt()
	x.shows(at, "dig: canceled")
	x.shows(at, "dig local> ")
	x.types("\x04")
	if code := end(); code != 0 || strings.Contains(x.screen(), "truncated") {
		t.Errorf("exit code %d:\n%s", code, x.screen())
	}
}

// TestKeysAfterTheShell: what is typed after the key or command that leaves is for the program that reads the terminal
// next.
func TestKeysAfterTheShell(t *testing.T) {
	for _, leave := range []string{"\x04", "\\q\r"} {
		x, end := inShell(t, t.TempDir(), map[string]string{"NO_COLOR": "1"})
		x.shows(0, "dig local> ")
		x.types("\\timing\r" + leave + "echo here\n")
		if code := end(); code != 0 {
			t.Errorf("%q: exit code %d:\n%s", leave, code, x.screen())
		}
		buf := make([]byte, 100)
		read := make(chan int, 1)
		go func() { n, _ := x.tty.Read(buf); read <- n }()
		select {
		case n := <-read:
			if string(buf[:n]) != "echo here\n" {
				t.Errorf("%q: left for the next program: %q", leave, buf[:n])
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%q: nothing is left:\n%s", leave, x.screen())
		}
	}
}
