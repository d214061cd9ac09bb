package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/spec"
	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal: dig has one end, the test types and reads at the other.
type terminal struct {
	t    *testing.T
	keys *os.File // the test's end
	tty  *os.File // dig's end
	mu   sync.Mutex
	text strings.Builder
	seen int // the bytes of text before the last answer: a question asked again is another one

	// Ctrl-C while a statement runs: nothing sends the signal, since it is not the terminal of the test's process
	interrupt func()

	settings unix.Termios // before dig has it
}

// mode returns the settings of the terminal.
func (x *terminal) mode() unix.Termios {
	x.t.Helper()
	m, err := unix.IoctlGetTermios(int(x.tty.Fd()), unix.TCGETS)
	if err != nil {
		x.t.Fatal(err)
	}
	return *m
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	keys := os.NewFile(uintptr(fd), "/dev/ptmx") // not blocking, so that Close ends a reading
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	x := &terminal{t: t, keys: keys, tty: tty}
	x.settings = x.mode()
	go func() {
		buf := make([]byte, 1024)
		for {
			n, err := keys.Read(buf)
			x.mu.Lock()
			x.text.Write(buf[:n])
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { tty.Close(); keys.Close() })
	return x
}

func (x *terminal) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.text.String()
}

// answer waits for a question, then types.
func (x *terminal) answer(question, keys string, hidden bool) {
	x.t.Helper()
	x.see(question, hidden)
	x.seen = len(x.screen())
	if _, err := io.WriteString(x.keys, keys+"\n"); err != nil {
		x.t.Fatal(err)
	}
}

// see waits for a question that was asked since the last answer, and for the terminal to echo or not as the question
// should have it.
func (x *terminal) see(question string, hidden bool) {
	x.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		shown := x.mode().Lflag&unix.ECHO != 0
		if s := x.screen()[x.seen:]; strings.HasSuffix(strings.TrimRight(s, " "), question) && shown != hidden {
			break
		}
		if time.Now().After(deadline) {
			x.t.Fatalf("no question %q (hidden %v, echo %v) on the screen:\n%s", question, hidden, shown, x.screen())
		}
	}
}

// promptGateway is a gateway with one type of connection; it keeps the bodies that are sent.
func promptGateway(t *testing.T) (url string, sent func() []string) {
	var mu sync.Mutex
	var bodies []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == "GET" && strings.HasPrefix(r.URL.Path, "/api/v1/connections/config"):
			one :=
				`{"connectionType":"THING","connectionTypeLabel":"Thing","name":"thing","authorizationType":"api_key","credentialSchemaType":"x","redirectRequired":false,"category":"db","documentationUrl":"","configuration":[
				{"fieldName":"host","fieldType":"text","required":true,"description":"where it is"},{"fieldName":"port","fieldType":"number","required":true,"description":""},
				{"fieldName":"password","fieldType":"text","required":true,"description":""},{"fieldName":"useSsl","fieldType":"boolean","required":false,"description":""},{"fieldName":"note","fieldType":"text","required":false,"description":""}]}`
			if strings.HasSuffix(r.URL.Path, "/config") {
				one = "[" + one + "]"
			}
			io.WriteString(w, one)
		case r.Method == "GET" && strings.Contains(r.URL.Path, "/parametric"):
			io.WriteString(w, `[]`)
		case r.Method == "GET":
			io.WriteString(w, `[{"id":"11111111-1111-4111-8111-111111111111","name":"old","type":"THING"}]`)
		default:
			raw, _ := io.ReadAll(r.Body)
			mu.Lock()
			bodies = append(bodies, r.Method+" "+string(raw))
			mu.Unlock()
			io.WriteString(w, `{"id":"11111111-1111-4111-8111-111111111111","name":"n","type":"THING"}`)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/api/v1", func() []string {
		mu.Lock()
		defer mu.Unlock()
		return bodies
	}
}

// onTerminal runs dig on a terminal; end waits for its exit code.
func onTerminal(t *testing.T, base string, args ...string) (x *terminal, end func() int) {
	t.Helper()
	return onTerminalUntil(t.Context(), t, base, args...)
}

// onTerminalUntil is onTerminal with a context, which an interrupt of the user ends.
func onTerminalUntil(ctx context.Context, t *testing.T, base string, args ...string) (x *terminal, end func() int) {
	t.Helper()
	home := t.TempDir()
	env := map[string]string{"DIG_BASE_URL": base, "DIG_API_KEY": "12345678.abcdefghijklmnopqrstuvwxyz012345",
		"DIG_PROJECT": "AbCd1234", "HOME": home, "DIG_CONFIG_DIR": home, "DIG_DATA_DIR": home, "XDG_CACHE_HOME": home}
	if base == "" {
		delete(env, "DIG_BASE_URL")
		delete(env, "DIG_API_KEY")
	}
	return onTerminalWith(ctx, t, env, args...)
}

// onTerminalAs is onTerminal with the variables of a run.
func onTerminalAs(t *testing.T, env map[string]string, args ...string) (x *terminal, end func() int) {
	t.Helper()
	return onTerminalWith(t.Context(), t, env, args...)
}

func onTerminalWith(ctx context.Context, t *testing.T, env map[string]string,
	args ...string) (x *terminal, end func() int) {
	t.Helper()
	x = newTerminal(t)
	e := &cli.Env{Zone: local(), Name: "dig", Args: args, In: x.tty, Out: x.tty, Err: x.tty, Dir: env["HOME"],
		Now:    time.Now,
		Getenv: environ(t, env),
		InTerm: true, OutTerm: true, ErrTerm: true, Width: 100, Height: 30}
	code := make(chan int, 1)
	go func() { code <- Run(ctx, e) }()
	return x, func() int {
		t.Helper()
		select {
		case c := <-code:
			return c
		case <-time.After(20 * time.Second):
			t.Fatalf("dig does not end:\n%s", x.screen())
			return -1
		}
	}
}

// TestConnectionIsAskedFor answers the questions of `connection create` on a terminal: what is wrong is asked again,
// secrets do not show, and values have the types that the gateway asks for.
func TestConnectionIsAskedFor(t *testing.T) {
	base, sent := promptGateway(t)
	x, end := onTerminal(t, base, "connection", "create", "db", "--type", "thing")
	x.answer("host (where it is):", "", false)
	x.answer("host (where it is):", "db.example.com", false)
	x.answer("port:", "many", false)
	x.answer("port:", "5432", false)
	x.answer("password:", "s3cret-word", true)
	x.answer("useSsl [optional]:", "perhaps", false)
	x.answer("useSsl [optional]:", "false", false)
	x.answer("note [optional]:", "", false)
	if code := end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if got := sent(); len(got) != 1 {
		t.Errorf("sent %v", got)
	} else {
		var body map[string]any
		_, raw, _ := strings.Cut(got[0], " ")
		if err := json.Unmarshal([]byte(raw), &body); err != nil {
			t.Fatal(err)
		}
		want := `{"credential":{"host":"db.example.com","password":"s3cret-word","port":5432,"useSsl":false},` +
			`"name":"db","type":"THING"}`
		if have, _ := json.Marshal(body); string(have) != want {
			t.Errorf("sent %s\nwant %s", have, want)
		}
	}
	screen := x.screen()
	for _, part := range []string{"host is required", "port must be a number", "useSsl must be true or false"} {
		if !strings.Contains(screen, part) {
			t.Errorf("the screen does not say %q:\n%s", part, screen)
		}
	}
	if strings.Contains(screen, "s3cret") || !strings.Contains(screen, "db.example.com") {
		t.Errorf("the screen shows the secret, or not what may be shown:\n%s", screen)
	}
}

// TestQuestionsEndWithTheTerminal hangs up while a question stands: nothing is sent.
func TestQuestionsEndWithTheTerminal(t *testing.T) {
	base, sent := promptGateway(t)
	x, end := onTerminal(t, base, "connection", "create", "db", "--type", "THING")
	x.answer("host (where it is):", "h\n5432", false)
	x.see("password:", true)
	x.keys.Close()
	if code := end(); code == 0 || len(sent()) != 0 {
		t.Errorf("exit code %d, sent %v:\n%s", code, sent(), x.screen())
	}
}

// TestQuestionsAreInterrupted: an interrupt ends dig at once while it waits for an answer, a key or a file, and what is
// typed shows again.
func TestQuestionsAreInterrupted(t *testing.T) {
	for _, tt := range []struct {
		question string
		hidden   bool
		args     []string
	}{
		{"[y/N]", false, []string{"connection", "delete", "old"}},
		{"host (where it is):", false, []string{"connection", "create", "db", "--type", "THING"}},
		{"API key:", true, []string{"auth", "login", "work", "--zone", "eu"}},
		{"Ctrl-D on a line of its own ends\r\n", false, []string{"query", "execute", "-f", "-"}},
		{"Ctrl-D on a line of its own ends\r\n", false, []string{"table", "import", "people", "-"}},
	} {
		base, sent := promptGateway(t)
		ctx, interrupt := context.WithCancel(t.Context())
		if tt.hidden { // a key in the environment is taken without a question
			base = ""
		}
		x, end := onTerminalUntil(ctx, t, base, tt.args...)
		x.see(tt.question, tt.hidden)
		interrupt()
		if code := end(); code != exitcode.Interrupted || len(sent()) != 0 {
			t.Errorf("%q: exit code %d, sent %v:\n%s", tt.args, code, sent(), x.screen())
		}
		x.see("dig: interrupted\r\n", false)
	}
}

// TestDeletionIsConfirmed asks before a connection is deleted; anything but yes leaves it.
func TestDeletionIsConfirmed(t *testing.T) {
	for keys, want := range map[string]int{"y": 0, "YES": 0, "n": exitcode.Confirm, "": exitcode.Confirm,
		"yess": exitcode.Confirm} {
		base, sent := promptGateway(t)
		x, end := onTerminal(t, base, "connection", "delete", "old")
		x.answer("[y/N]", keys, false)
		code := end()
		if code != want || (len(sent()) == 1) != (want == 0) {
			t.Errorf("%q: exit code %d, sent %v:\n%s", keys, code, sent(), x.screen())
		}
	}
}

// TestDeletionIsConfirmedByName: what others depend on is deleted only after its name was typed, and the question names
// the target and the dependants; what nothing depends on needs no more than a yes.
func TestDeletionIsConfirmedByName(t *testing.T) {
	f := newFront(t, "local")
	for _, line := range []string{"table create people --column a:varchar", "table create alone --column a:varchar",
		`query create folk --sql SELECT~a~FROM~peaka."table".people`, "query create other --sql SELECT~1~AS~people"} {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "~", " ")
		}
		f.want(0, args...)
	}
	f.sent()
	for _, c := range []struct {
		args     []string
		question string
		answer   string
		code     int
		sent     string
	}{
		{[]string{"table", "delete", "people"}, "to confirm, type its name, people:", "y", exitcode.Confirm, ""},
		{[]string{"table", "delete", "people"}, "to confirm, type its name, people:", "peopl", exitcode.Confirm, ""},
		{[]string{"table", "delete", "people"}, "to confirm, type its name, people:", "", exitcode.Confirm, ""},
		{[]string{"table", "delete", "alone"}, "all its rows (0)? [y/N]", "", exitcode.Confirm, ""},
		{[]string{"table", "delete", "alone"}, "all its rows (0)? [y/N]", "alone", exitcode.Confirm, ""},
		{[]string{"table", "delete", "alone"}, "all its rows (0)? [y/N]", "y", 0, spec.DeleteInternalTable.ID},
		{[]string{"table", "delete", "people"}, "to confirm, type its name, people:", "people", 0,
			spec.DeleteInternalTable.ID},
	} {
		x, end := onTerminalAs(t, f.env(), c.args...)
		x.answer(c.question, c.answer, false)
		code, sent := end(), f.sent()
		if code != c.code || sent != c.sent {
			t.Errorf("%v, %q: exit %d, sent %q\n%s", c.args, c.answer, code, sent, x.screen())
		}
		screen := strings.Join(strings.Fields(x.screen()), " ")
		if !strings.Contains(screen, "zone local at "+f.base+", project "+gateway.DefaultProject+": delete table "+
			c.args[2]) {
			t.Errorf("%v: the target is not named:\n%s", c.args, x.screen())
		}
		if c.args[2] == "people" && !strings.Contains(screen, "which breaks query folk?") {
			t.Errorf("%v: what depends on it is not named:\n%s", c.args, x.screen())
		}
	}
}

// TestChangedWhileAsked: what is added while a question stands is not deleted, whatever the answer to it.
func TestChangedWhileAsked(t *testing.T) {
	for _, zone := range []string{"local", "us"} {
		f := newFront(t, zone)
		f.file("a.csv", "a,b\n1,x\n")
		f.file("data/s.csv", "id\n1\n")
		for _, name := range []string{"t", "c"} {
			f.ok("table", "create", name, "--column", "a:bigint", "--column", "b:varchar")
		}
		f.ok("bitable", "create", "b", "--column", "a:bigint")
		f.ok("connection", "create", "files", "--type", "files", "--credential", "path="+filepath.Join(f.home, "data"))
		f.ok("catalog", "create", "k", "--connection", "files")
		f.ok("connection", "create", "free", "--type", "files", "--credential", "path="+filepath.Join(f.home, "data"))
		f.ok("query", "create", "q", "--path", "/d", "--sql", "SELECT 1 AS x")
		f.sent()
		for _, c := range []struct {
			question string
			args     []string
			between  []string
		}{
			{"all its rows (0)?", []string{"table", "delete", "t"}, []string{"table", "import", "t", "a.csv"}},
			{"all its values (0)?", []string{"table", "column", "delete", "c", "a"}, []string{"table", "import",
				"c", "a.csv"}},
			{"all its values (1)?", []string{"table", "column", "delete", "c", "a"}, []string{"query", "create", "q2",
				"--sql", `SELECT * FROM peaka."table".c`}},
			{"all its rows (0)?", []string{"bitable", "delete", "b"}, []string{"query", "create", "q3", "--sql",
				"SELECT a FROM peaka.bitable.b"}},
			{"delete folder /d", []string{"query", "folder", "delete", "/d", "--force"}, []string{"query", "create",
				"q5", "--path", "/d", "--sql", "SELECT 1 AS x"}},
			{"delete query q", []string{"query", "delete", "q"}, []string{"query", "create", "q4", "--sql",
				"SELECT x FROM peaka.query.q"}},
			{"delete connection free", []string{"connection", "delete", "free"}, []string{"catalog", "create", "k2",
				"--connection", "free"}},
			{"delete catalog k", []string{"catalog", "delete", "k"}, []string{"query", "create", "q6", "--sql",
				"SELECT id FROM k.files.s"}},
		} {
			x, end := onTerminalAs(t, f.env(), c.args...)
			x.see("[y/N]", false)
			f.ok(c.between...)
			f.sent()
			x.answer("[y/N]", "y", false)
			if !strings.Contains(x.screen(), c.question) {
				t.Errorf("%v: %s", c.args, x.screen())
			}
			if code, sent := end(), f.sent(); code != exitcode.Conflict || sent != "" {
				t.Errorf("%s: %v: exit %d, sent %q\n%s", zone, c.args, code, sent, x.screen())
			}
		}
	}
}

// TestProjectChangedWhileAsked: rows that arrive in a table of a project while its deletion is asked for keep it.
func TestProjectChangedWhileAsked(t *testing.T) {
	f := newFront(t, "local")
	f.file("a.csv", "a\n1\n")
	f.ok("project", "create", "other")
	for i := range 51 { // of which one statement counts 50
		f.ok("table", "create", fmt.Sprintf("t%d", i), "--column", "a:bigint", "--project", "other")
	}
	f.ok("bitable", "create", "b", "--column", "a:bigint", "--project", "other")
	for _, c := range []struct {
		holds string
		late  []string
		code  int
	}{
		{": 51 tables (without rows), 1 BI table (without rows)?", []string{"table", "import", "t50", "a.csv",
			"--project", "other"}, exitcode.Conflict},
		{": 51 tables (1 row), 1 BI table (without rows)?", []string{"bitable", "import", "b", "a.csv", "--project",
			"other"}, exitcode.Conflict},
		{": 51 tables (1 row), 1 BI table (1 row)?", nil, 0},
	} {
		x, end := onTerminalAs(t, f.env(), "project", "delete", "other")
		x.see("type its name, other:", false)
		if c.late != nil {
			f.ok(c.late...)
		}
		f.sent()
		x.answer("type its name, other:", "other", false)
		if code, sent := end(), f.sent(); code != c.code || (sent == spec.DeleteProject.ID) != (c.code == 0) {
			t.Errorf("exit %d, sent %q\n%s", code, sent, x.screen())
		}
		if screen := strings.Join(strings.Fields(x.screen()), " "); !strings.Contains(screen, c.holds) {
			t.Error(screen)
		}
	}
}
