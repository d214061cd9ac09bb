package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/config"
)

// keyOf is a key in the form of the hosted zones.
func keyOf(prefix string) string { return prefix + ".abcdefghijklmnopqrstuvwxyz012345" }

// zones answers GET /info as the hosted zones do: 401 for a key that the zone does not know.
func zones(w http.ResponseWriter, r *http.Request) {
	known := map[string]map[string]string{
		"partner.peaka.studio": {keyOf("usaaaaaa"): `{"userId":"11111111-1111-4111-8111-111111111111","email":"ann@example.com"}`},
		"partner.eu.peaka.studio": {keyOf("euaaaaaa"): `{"userId":"11111111-1111-4111-8111-111111111112",` +
			`"email":"bob@example.com","projectId":"AbCd1234","projectName":"sales"}`},
	}
	if info := known[r.Host][strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]; info != "" {
		fmt.Fprint(w, info)
		return
	}
	w.WriteHeader(http.StatusUnauthorized)
}

// hostedDig runs dig as a process that reaches the hosted zones by the proxy only.
func (p *hostedProxy) dig(config, stdin string, env []string, args ...string) (code int, out, errs string) {
	p.t.Helper()
	c := process(p.t, p.t.TempDir(), args...)
	c.Env = append(c.Env, "DIG_CONFIG_DIR="+config, "HTTPS_PROXY="+p.address, "SSL_CERT_FILE="+p.caFile,
		"DIG_KEY_STORAGE=file", "DIG_CACHE_DIR="+filepath.Join(config, "cache"))
	c.Env = append(c.Env, env...)
	c.Stdin = strings.NewReader(stdin)
	var o, x bytes.Buffer
	c.Stdout, c.Stderr = &o, &x
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), o.String(), x.String()
}

func needProxyVariables(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("SSL_CERT_FILE is not read on this system")
	}
}

// TestLogin: the address is said before the key is sent, the owner of the key is kept and told offline, and a key is
// sent to no address that was not named.
func TestLogin(t *testing.T) {
	needProxyVariables(t)
	p := newHostedProxy(t, zones)
	dir := filepath.Join(t.TempDir(), "config")
	code, out, errs := p.dig(dir, keyOf("usaaaaaa")+"\n", nil, "auth", "login", "--zone", "us",
		"--with-key", "-o", "json")
	if code != 0 || !strings.Contains(errs, "the key is sent to https://partner.peaka.studio/api/v1") ||
		!strings.Contains(errs, "credentials.yaml (mode 0600)") {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	if sent := p.sent(); sent != "partner.peaka.studio Bearer "+keyOf("usaaaaaa")+" GET /api/v1/info" {
		t.Errorf("sent %s", sent)
	}
	code, out, _ = p.dig(dir, "", nil, "auth", "whoami", "--jq", "[.profile,.keyKind,.user,.key] | join(\" \")")
	if code != 0 || out != "us partner ann@example.com usaaaaaa.****\n" || p.sent() != "" {
		t.Errorf("exit %d: %s", code, out)
	}
	// of the first address of zone eu; the key of a project sets the profile's project
	code, _, errs = p.dig(dir, "", []string{"DIG_API_KEY=" + keyOf("euaaaaaa")}, "auth", "login", "acme",
		"--zone", "eu")
	if sent := p.sent(); code != 0 || sent != "partner.eu.peaka.studio Bearer "+keyOf("euaaaaaa")+" GET /api/v1/info" ||
		!strings.Contains(errs, "taking the key from DIG_API_KEY") {
		t.Errorf("exit %d, sent %s: %s", code, sent, errs)
	}
	code, out, _ = p.dig(dir, "", nil, "auth", "whoami", "-o", "json", "--jq",
		"[.profile,.keyKind,.user,.project,.projectName] | join(\" \")")
	if code != 0 || out != "acme project bob@example.com AbCd1234 sales\n" || p.sent() != "" {
		t.Errorf("exit %d: %s", code, out)
	}
	if code, out, errs = p.dig(dir, "", nil, "config", "get", "project"); out != "AbCd1234\n" {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	// a project's key is refused partner's operations without asking again
	if code, _, errs = p.dig(dir, "", nil, "org", "list"); code != exitcode.NotAllowed || p.sent() != "" {
		t.Errorf("exit %d: %s", code, errs)
	}
	code, out, _ = p.dig(dir, "", nil, "auth", "status", "--check", "-o", "json", "--jq",
		".[] | [.profile,.state] | join(\" \")")
	if sent := p.sent(); code != 0 || out != "us accepted\nacme accepted\n" || strings.Count(sent, "\n") != 1 {
		t.Errorf("exit %d: %s, sent %s", code, out, sent)
	}
	if code, _, errs = p.dig(dir, "", nil, "auth", "switch"); code != 0 || !strings.Contains(errs,
		"profile us is now current (https://partner.peaka.studio/api/v1)") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if code, _, errs = p.dig(dir, "", nil, "auth", "logout", "--yes"); code != 0 || !strings.Contains(errs,
		"removed the key of profile us from the file") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if code, _, _ = p.dig(dir, "", nil, "auth", "whoami"); code != exitcode.NotAllowed {
		t.Errorf("exit %d after logout", code)
	}
	if code, _, errs = p.dig(dir, "", nil, "auth", "status", "us"); code != exitcode.NotAllowed ||
		!strings.Contains(errs, "no profile has a usable key") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "credentials.yaml")); err != nil || strings.Contains(string(raw),
		keyOf("usaaaaaa")) {
		t.Errorf("the key remains: %v", err)
	}
}

// TestLoginRefused: a key that the zone does not know is not stored, and is sent to the other zone only where this was
// allowed.
func TestLoginRefused(t *testing.T) {
	needProxyVariables(t)
	p := newHostedProxy(t, zones)
	dir := filepath.Join(t.TempDir(), "config")
	code, _, errs := p.dig(dir, keyOf("euaaaaaa")+"\n", nil, "auth", "login", "--zone", "us", "--with-key")
	if sent := p.sent(); code != exitcode.NotAllowed || strings.Contains(sent, "eu.peaka") || !strings.Contains(errs,
		"zone us does not know it") || !strings.Contains(errs, "--zone eu") {
		t.Errorf("exit %d, sent %s: %s", code, sent, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "config.yaml")); err == nil {
		t.Error("something was stored")
	}
	code, out, errs := p.dig(dir, keyOf("euaaaaaa")+"\n", nil, "auth", "login", "--zone", "us", "--with-key",
		"--other-zone", "--jq", ".profile + \" \" + .zone")
	if sent := p.sent(); code != 0 || out != "eu eu\n" || !strings.Contains(sent, "partner.eu.peaka.studio Bearer") ||
		!strings.Contains(errs, "it is sent to https://partner.eu.peaka.studio") {
		t.Errorf("exit %d, sent %s: %s%s", code, sent, out, errs)
	}
	// the key is known to be of zone eu now: it is not sent to zone us at all
	code, _, errs = p.dig(dir, keyOf("euaaaaaa")+"\n", nil, "auth", "login", "mine", "--zone", "us", "--with-key")
	if sent := p.sent(); code != exitcode.NotAllowed || sent != "" || !strings.Contains(errs,
		"this is the key of profile eu, for zone eu") {
		t.Errorf("exit %d, sent %s: %s", code, sent, errs)
	}
	// a key that neither knows; a profile that exists does not change its zone
	code, _, errs = p.dig(dir, keyOf("nobodyaa")+"\n", nil, "auth", "login", "mine", "--zone", "us", "--with-key",
		"--other-zone")
	if code != exitcode.NotAllowed || !strings.Contains(errs, "zone us does not know it; zone eu: ") ||
		strings.Contains(errs, "nobodyaa.a") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if code, _, errs = p.dig(dir, "x\n", nil, "auth", "login", "eu", "--zone", "us",
		"--with-key"); code != exitcode.Conflict {
		t.Errorf("exit %d: %s", code, errs)
	}
	p.sent()
	for _, args := range [][]string{{"auth", "login"}, {"auth", "login", "x", "--zone", "local"},
		{"auth", "login", "--zone", "us", "--storage", "vault"}} {
		if code, _, errs := p.dig(filepath.Join(t.TempDir(), "none"), "x\n", nil, args...); code != exitcode.Usage ||
			p.sent() != "" {
			t.Errorf("%v: exit %d: %s", args, code, errs)
		}
	}
	// no keyring where it is asked for: nothing is stored elsewhere
	code, _, errs = p.dig(dir, keyOf("usaaaaaa")+"\n", nil, "auth", "login", "ringed", "--zone", "us", "--with-key",
		"--storage", "keyring")
	if code == 0 || !strings.Contains(errs, "keyring") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if code, out, _ := p.dig(dir, "", nil, "profile", "list", "--jq", ".[].name"); code != 0 || out != "eu\n" {
		t.Errorf("profiles: %s", out)
	}
}

// TestLoginToGateways: at an address without zones, what answers decides; a file of a repository does not choose it.
func TestLoginToGateways(t *testing.T) {
	var calls int
	status, body := 200, `{"userId":"u","email":"ann@example.com"}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	defer srv.Close()
	w := &tellWorld{t: t, dir: t.TempDir(), env: map[string]string{"DIG_KEY_STORAGE": "file", "DIG_API_KEY": testKey}}
	w.env["DIG_CONFIG_DIR"], w.env["DIG_CACHE_DIR"], w.env["HOME"] = filepath.Join(w.dir, "config"),
		filepath.Join(w.dir, "cache"), w.dir
	if err := os.MkdirAll(filepath.Join(w.dir, "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(w.dir, "work", config.ProjectFile)
	if err := os.WriteFile(project, []byte("base-url: "+srv.URL+"/api/v1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := w.run("auth", "login"); code != exitcode.Usage || calls != 0 {
		t.Errorf("an address of a project file: exit %d, %d calls: %s", code, calls, errs)
	}
	if err := os.Remove(project); err != nil {
		t.Fatal(err)
	}
	at := []string{"auth", "login", "gate", "--base-url", srv.URL + "/api/v1"}
	for _, c := range []struct {
		status int
		body   string
		exit   int
		says   string
	}{
		{401, `{}`, exitcode.NotAllowed, "the key was not stored"}, {403, `{}`, exitcode.NotAllowed,
			"the key was not stored"},
		{404, `{"error":"Not Found"}`, exitcode.NotFound, "there is no gateway at this address"},
		{200, `<html>`, exitcode.Failed, "there is no gateway at this address"},
		{200, ``, exitcode.Unavailable, "not stored"}, {200, `{}`, exitcode.Failed, "not stored"},
		{503, ``, exitcode.Unavailable, "--no-check"},
	} {
		status, body = c.status, c.body
		code, _, errs := w.run(at...)
		if code != c.exit || !strings.Contains(errs, c.says) {
			t.Errorf("%d %s: exit %d: %s", c.status, c.body, code, errs)
		}
		if _, err := os.Stat(filepath.Join(w.env["DIG_CONFIG_DIR"], "config.yaml")); err == nil {
			t.Fatalf("%d %s: something was stored", c.status, c.body)
		}
	}
	calls = 0
	if code, _, errs := w.run(append(at, "--no-check")...); code != 0 || calls != 0 {
		t.Errorf("unchecked: exit %d, %d calls: %s", code, calls, errs)
	}
	status, body = 200, `{"userId":"u","email":"ann@example.com"}`
	if code, out, errs := w.run("auth", "whoami", "--refresh", "--jq", ".user"); code != 0 ||
		out != "ann@example.com\n" {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	if code, _, errs := w.run(at...); code != 0 {
		t.Errorf("again: exit %d: %s", code, errs)
	}
}

// TestTwentyProfileEdits: twenty processes that change the settings file at once all succeed, and nothing is lost.
func TestTwentyProfileEdits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "config")
	st, err := config.OpenStore(dir, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"base", "old0", "old1", "gone"} {
		if _, err := st.Add(config.Profile{Name: name, Zone: "us"}, config.Key{}, config.AddOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	lines := []string{
		"config set profiles.base.org o", "config set profiles.base.workspace w", "--profile base config set project=p",
		"config set profiles.base.output=csv profiles.base.timeout=90",
		"config set profiles.base.history 1MiB", "--profile base config set spool 2GiB", "profile rename old0 new0",
		"profile rename old1 new1", "profile remove gone --yes", "auth switch base",
	}
	for i := range 10 {
		lines = append(lines, fmt.Sprintf("profile add made%d --zone eu --use=false --project n%d", i, i))
	}
	var wg sync.WaitGroup
	for _, line := range lines {
		c := process(t, t.TempDir(), strings.Fields(line)...)
		c.Env = append(c.Env, "DIG_CONFIG_DIR="+dir)
		wg.Go(func() {
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("dig %s: %v\n%s", line, err, out)
			}
		})
	}
	wg.Wait()
	all, current, err := st.List()
	if err != nil || current != "base" {
		t.Fatalf("current %q, %v", current, err)
	}
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
		switch {
		case p.Name == "base":
			if want := (config.Profile{Name: "base", Zone: "us", Org: "o", Workspace: "w", Project: "p", Output: "csv",
				Timeout: "90", History: "1MiB", Spool: "2GiB"}); p != want {
				t.Errorf("%+v, want %+v", p, want)
			}
		case strings.HasPrefix(p.Name, "made") && (p.Zone != "eu" || p.Project != "n"+p.Name[4:]):
			t.Errorf("%+v", p)
		}
	}
	slices.Sort(names)
	if got := strings.Join(names,
		" "); got != "base made0 made1 made2 made3 made4 made5 made6 made7 made8 made9 new0 new1" {
		t.Errorf("profiles %s", got)
	}
}

// TestConfigEdit edits the file with an editor that is a shell script.
func TestConfigEdit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	w := &tellWorld{t: t, dir: t.TempDir(), env: map[string]string{}}
	w.env["DIG_CONFIG_DIR"], w.env["HOME"] = filepath.Join(w.dir, "config"), w.dir
	if err := os.MkdirAll(filepath.Join(w.dir, "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	editor := func(script string) {
		w.env["EDITOR"] = filepath.Join(w.dir, "editor")
		if err := os.WriteFile(w.env["EDITOR"], []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(w.env["DIG_CONFIG_DIR"], "config.yaml")
	text := func(name string) string {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	editor(`printf '# mine\ncurrent: a\nprofiles:\n  a: {zone: us}\n' > "$1"`)
	if code, _, errs := w.run("config", "edit"); code != 0 || !strings.HasPrefix(text(path), "# mine") {
		t.Fatalf("exit %d: %s", code, errs)
	}
	before := text(path)
	for script, want := range map[string]struct {
		exit int
		says string
	}{
		`true`:                     {0, "nothing was changed"},
		`: > "$1"`:                 {exitcode.Usage, "the edited text is empty"},
		`exit 1`:                   {exitcode.Failed, "editor"},
		`echo 'current: b' > "$1"`: {exitcode.Usage, "config.yaml.rejected"},
		`echo 'key: x' >> "$1"`:    {exitcode.Usage, "unknown field"},
		`echo '# other' >> ` + path + `; echo '# mine too' >> "$1"`: {exitcode.Conflict, "config.yaml.rejected"},
	} {
		editor(script)
		code, _, errs := w.run("config", "edit")
		if code != want.exit || !strings.Contains(errs, want.says) {
			t.Errorf("%s: exit %d: %s", script, code, errs)
		}
		if want.exit == exitcode.Conflict {
			if text(path) != before+"# other\n" || !strings.Contains(text(path+".rejected"), "# mine too") {
				t.Errorf("%s\n%s", text(path), text(path+".rejected"))
			}
			if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
		} else if text(path) != before {
			t.Errorf("%s changed the file:\n%s", script, text(path))
		}
	}
}

// TestLogoutReadOnly: the key is on this machine only, so a protected profile in use does not keep it there.
func TestLogoutReadOnly(t *testing.T) {
	w := &tellWorld{t: t, dir: t.TempDir(), env: map[string]string{"DIG_KEY_STORAGE": "file", "DIG_PROFILE": "shut"}}
	w.env["DIG_CONFIG_DIR"], w.env["HOME"] = filepath.Join(w.dir, "config"), w.dir
	if err := os.MkdirAll(filepath.Join(w.dir, "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	st, err := config.OpenStore("", func(name string) string { return w.env[name] })
	if err != nil {
		t.Fatal(err)
	}
	key, err := config.NewKey("abcd1234.0123456789abcdef0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Add(config.Profile{Name: "shut", Zone: "us", Protect: config.ReadOnly}, key,
		config.AddOptions{}); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := w.run("auth", "logout"); code != exitcode.Confirm {
		t.Errorf("without --yes: exit %d: %s", code, errs)
	}
	if code, _, errs := w.run("auth", "logout", "--yes"); code != 0 {
		t.Errorf("exit %d: %s", code, errs)
	}
	if p, err := st.Get("shut"); err != nil || p.KeyStorage != "" {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestConfigEditAgain: a text that was refused is kept if the editor fails when it is edited again.
func TestConfigEditAgain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	env := map[string]string{"DIG_CONFIG_DIR": filepath.Join(dir, "config"), "HOME": dir,
		"EDITOR": filepath.Join(dir, "editor")}
	script := "#!/bin/sh\ntest -e " + dir + "/once && exit 1\ntouch " + dir + "/once\necho 'current: b' > \"$1\"\n"
	if err := os.WriteFile(env["EDITOR"], []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	var o, x bytes.Buffer
	e := &cli.Env{Zone: local(), Name: "dig", Args: []string{"config", "edit"}, In: strings.NewReader("y\n"), Out: &o,
		Err:    &x,
		InTerm: true, ErrTerm: true, Dir: dir, Now: time.Now, Getenv: environ(t, env)}
	code := Run(t.Context(), e)
	raw, err := os.ReadFile(filepath.Join(env["DIG_CONFIG_DIR"], "config.yaml.rejected"))
	if code != exitcode.Failed || err != nil || string(raw) != "current: b\n" || !strings.Contains(x.String(),
		"config.yaml.rejected") {
		t.Errorf("exit %d, %v, %q: %s", code, err, raw, x.String())
	}
}

// TestLoginAsks: on a terminal the key does not show, and it is sent to the other zone after a yes only.
func TestLoginInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var o, x bytes.Buffer
	e := &cli.Env{Zone: local(), Name: "dig", Args: []string{"auth", "login", "--zone", "us", "--with-key"},
		In: neverRead{}, Out: &o,
		Err: &x, Dir: t.TempDir(), Getenv: environ(t, map[string]string{"DIG_CONFIG_DIR": t.TempDir(),
			"HOME": t.TempDir()})}
	if code := Run(ctx, e); code != exitcode.Interrupted {
		t.Errorf("exit %d: %s", code, x.String())
	}
}

type neverRead struct{}

func (neverRead) Read([]byte) (int, error) { select {} }
