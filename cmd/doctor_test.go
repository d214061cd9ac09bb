package cmd

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/check"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/config"
)

// diagnose runs doctor and returns the status of each check with its detail and hint.
func diagnose(t *testing.T, env map[string]string, args ...string) (code int, found map[string]string) {
	t.Helper()
	code, out, errs := runDig(t, env, append([]string{"doctor", "-o", "json"}, args...)...)
	return code, diagnoses(t, out, errs)
}

func diagnoses(t *testing.T, out, errs string) map[string]string {
	t.Helper()
	var all []check.Diagnosis
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	found := map[string]string{}
	for _, d := range all {
		if found[d.Check] != "" && !slices.Contains([]string{"configuration", "files", "locks"}, d.Check) {
			t.Errorf("two rows named %s: %s", d.Check, out)
		}
		found[d.Check] += d.Status + ": " + d.Detail + " (" + d.Hint + ")"
	}
	return found
}

func expect(t *testing.T, found map[string]string, want map[string]string) {
	t.Helper()
	for name, part := range want {
		status, words, _ := strings.Cut(part, " ")
		if !strings.HasPrefix(found[name], status+":") || !strings.Contains(found[name], words) {
			t.Errorf("%s is %q, want %q", name, found[name], part)
		}
	}
}

// TestDoctorOffline: zone local needs no network, and is not begun by looking at it.
func TestDoctorOffline(t *testing.T) {
	home := t.TempDir()
	data := filepath.Join(home, "data")
	code, found := diagnose(t, map[string]string{"DIG_DATA_DIR": data, "PATH": ""})
	want := map[string]string{"configuration": "ok zone local", "files": "ok",
		"program": "warning not both names are in PATH", "locks": "ok"}
	if local().Available {
		want["zone local"] = "ok not created yet"
	}
	expect(t, found, want)
	if code != 0 && local().Available || found["gateway"] != "" {
		t.Errorf("exit %d: %v", code, found)
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("zone local was begun")
	}
	if !local().Available {
		return
	}
	if code, _, errs := runDig(t, map[string]string{"DIG_DATA_DIR": data}, "table", "list"); code != 0 {
		t.Fatal(errs)
	}
	_, found = diagnose(t, map[string]string{"DIG_DATA_DIR": data})
	expect(t, found, map[string]string{"zone local": "ok answers, in this process"})
}

// TestDoctorFindsFaults of the settings, the files and the program.
func TestDoctorFindsFaults(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs modes of files")
	}
	dir := t.TempDir()
	file := func(path, text string, mode os.FileMode) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	file("config/config.yaml", "current: a\nprofiles:\n  a: {zone: us, projct: x}\n", 0o600)
	file("config/credentials.yaml", "profiles: {}\n", 0o644)
	file("config/.config.yaml.ABCDEFGHIJ.partial", "", 0o600)
	if err := os.Chtimes(filepath.Join(dir, "config/.config.yaml.ABCDEFGHIJ.partial"), time.Now(),
		time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	file("bin/dig", "#!/bin/sh\necho '; <<>> DiG 9.18 <<>>'\n", 0o755)
	env := map[string]string{"DIG_CONFIG_DIR": filepath.Join(dir, "config"), "PATH": filepath.Join(dir, "bin")}
	if code, out, errs := runDig(t, env, "doctor"); code != exitcode.Job || !strings.Contains(out,
		"failed   configuration  /") || !strings.Contains(out, "-> did you mean project?\n") ||
		!strings.Contains(errs, "2 failed") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	code, found := diagnose(t, env)
	expect(t, found, map[string]string{
		"configuration": "failed did you mean project?",
		"files": "failed credentials.yaml has mode 0644, so other users of this machine may read it (run: " +
			"chmod go-rwx ",
		"program": "warning dig runs " + filepath.Join(dir, "bin", "dig"), "locks": "warning 1 temporary file",
	})
	if code != exitcode.Job {
		t.Errorf("exit %d: %v", code, found)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dig", "digctl"} {
		if err := os.MkdirAll(filepath.Join(dir, "own"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(exe, filepath.Join(dir, "own", name)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{"own:bin": "ok dig and digctl run it",
		"bin:own": "warning in scripts call digctl"} {
		env["PATH"] = dir + "/" + strings.Replace(path, ":", ":"+dir+"/", 1)
		_, found := diagnose(t, env)
		expect(t, found, map[string]string{"program": want})
	}
}

// TestDoctorGateway: each step of a call is reported, the failed one as such and the later ones as skipped, and nothing
// but GET /info is sent, to the chosen gateway alone.
func TestDoctorGateway(t *testing.T) {
	var mu sync.Mutex
	var sent []string
	status, body, at := 200, `{"userId":"u","email":"ann@example.com","projectId":"AbCd1234","projectName":"sales"}`,
		func() time.Time { return time.Now() }
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		sent = append(sent, r.Method+" "+r.URL.Path)
		mu.Unlock()
		w.Header().Set("Date", at().UTC().Format(http.TimeFormat))
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
	srv := httptest.NewServer(handler)
	defer srv.Close()
	encrypted := httptest.NewTLSServer(handler)
	defer encrypted.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey}
	code, found := diagnose(t, env)
	expect(t, found, map[string]string{"key": "ok abcd1234.****", "proxy": "ok none", "dns": "ok 127.0.0.1 needs no",
		"connect": "ok 127.0.0.1", "tls": "ok none", "gateway": "ok answers",
		"clock": "ok as the gateway's", "key kind": "ok project key of ann@example.com, of project AbCd1234 sales",
		"latency": "ok", "routes": "skipped --routes"})
	if got := strings.Join(sent, ", "); code != 0 ||
		got != "GET /api/v1/info, GET /api/v1/info, GET /api/v1/info, GET /api/v1/info" {
		t.Errorf("exit %d, sent %s", code, got)
	}
	env["DIG_PROJECT"] = "other"
	_, found = diagnose(t, env)
	expect(t, found, map[string]string{"key kind": "warning the project is set to other"})
	delete(env, "DIG_PROJECT")
	at = func() time.Time { return time.Now().Add(-time.Hour) }
	code, found = diagnose(t, env)
	if expect(t, found, map[string]string{"clock": "failed off the gateway's"}); code != exitcode.Job {
		t.Errorf("exit %d", code)
	}
	at = time.Now
	for answer, want := range map[int]string{401: "failed `dig auth login` stores another key", 404: "failed",
		503: "failed", 301: "failed redirects"} {
		status = answer
		code, found = diagnose(t, env)
		if expect(t, found, map[string]string{"connect": "ok", "gateway": want,
			"key kind": "skipped"}); code != exitcode.Job {
			t.Errorf("%d: exit %d", answer, code)
		}
	}
	status, body = 200, "<html>"
	_, found = diagnose(t, env)
	expect(t, found, map[string]string{"gateway": "failed the server is not a gateway"})

	env["DIG_BASE_URL"] = encrypted.URL + "/api/v1"
	_, found = diagnose(t, env)
	expect(t, found, map[string]string{"connect": "ok", "tls": "failed cannot be verified", "gateway": "skipped"})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	env["DIG_BASE_URL"] = "http://" + l.Addr().String() + "/api/v1"
	_, found = diagnose(t, env)
	expect(t, found, map[string]string{"dns": "ok", "connect": "failed nothing answers", "tls": "skipped",
		"gateway": "skipped"})
	env["DIG_BASE_URL"] = "https://gateway.invalid/api/v1"
	_, found = diagnose(t, env)
	expect(t, found, map[string]string{"dns": "failed cannot find the host", "connect": "skipped",
		"latency": "skipped"})
}

// TestDoctorSendsNothing where it has no key for the address.
func TestDoctorSendsNothing(t *testing.T) {
	calls := 0
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ConnState = func(net.Conn, http.ConnState) { calls++ }
	srv.Start()
	defer srv.Close()
	w := &tellWorld{t: t, dir: t.TempDir(), env: map[string]string{"DIG_API_KEY": testKey}}
	w.env["HOME"], w.env["DIG_CONFIG_DIR"], w.env["DIG_DATA_DIR"] = w.dir, filepath.Join(w.dir, "config"),
		filepath.Join(w.dir, "data")
	if err := os.MkdirAll(filepath.Join(w.dir, "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.env["W"] = filepath.Join(w.dir, "work")
	w.file(config.ProjectFile, "base-url: "+srv.URL+"/api/v1\n")
	code, out, errs := w.run("doctor", "-o", "json")
	found := diagnoses(t, out, errs)
	expect(t, found, map[string]string{"key": "failed chosen by project file", "dns": "skipped", "gateway": "skipped"})
	if code != exitcode.Job || calls != 0 {
		t.Errorf("exit %d, %d connections", code, calls)
	}
}

// TestDoctorProxy: what the proxy does is told apart from what the gateway does.
func TestDoctorProxy(t *testing.T) {
	needProxyVariables(t)
	p := newHostedProxy(t, zones)
	run := func(env ...string) map[string]string {
		_, out, errs := p.dig(filepath.Join(t.TempDir(), "config"), "", append(env, "DIG_API_KEY="+keyOf("usaaaaaa"),
			"DIG_ZONE=us"), "doctor", "-o", "json")
		return diagnoses(t, out, errs)
	}
	found := run()
	expect(t, found, map[string]string{"proxy": "ok " + p.address, "dns": "skipped left to the proxy",
		"tls":      "ok certificate of partner.peaka.studio by test authority",
		"key kind": "ok partner key of ann@example.com"})
	found = run("HTTPS_PROXY=http://user:sesame@127.0.0.1:1")
	if expect(t, found, map[string]string{"proxy": "failed cannot be reached", "tls": "skipped",
		"gateway": "skipped"}); strings.Contains(fmt.Sprint(found), "sesame") {
		t.Errorf("shows the password of the proxy: %v", found)
	}
	found = run("SSL_CERT_FILE=/dev/null")
	expect(t, found, map[string]string{"proxy": "ok", "tls": "failed cannot be verified"})
}

// TestDoctorSaysWhatToDo about every setting that is not valid.
func TestDoctorSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	for text, want := range map[string]string{"profiles:\n\ta: {}\n": "`dig config edit` opens the file",
		"profiles: []\n": "`dig config edit` opens the file"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, found := diagnose(t, map[string]string{"DIG_CONFIG_DIR": dir}); !strings.Contains(found["configuration"],
			want) {
			t.Errorf("%q: %s", text, found["configuration"])
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"DIG_PROTECT", "DIG_READ_ONLY", "DIG_TIMEOUT", "DIG_ZONE", "DIG_JOURNAL",
		"DIG_HISTORY", "DIG_CONNECT_TIMEOUT", "DIG_OUTPUT"} {
		code, found := diagnose(t, map[string]string{"DIG_CONFIG_DIR": dir, name: "?"}, "--jq", ".")
		if code != exitcode.Job || !strings.Contains(found["configuration"], "failed: environment "+name) ||
			strings.Contains(found["configuration"], "()") {
			t.Errorf("%s: exit %d: %v", name, code, found["configuration"])
		}
	}
	_, found := diagnose(t, map[string]string{"DIG_CONFIG_DIR": dir, "DIG_CA_FILE": filepath.Join(dir, "no.pem"),
		"DIG_BASE_URL": "http://127.0.0.1:9/api/v1", "DIG_API_KEY": testKey})
	expect(t, found, map[string]string{"gateway": "failed `dig config explain` shows the origin"})
}
