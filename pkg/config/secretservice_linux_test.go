package config

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"
)

// TestSecretService stores keys in a real gnome-keyring over a D-Bus of its own: the test runs itself again in a
// session that dbus-run-session makes.
func TestSecretService(t *testing.T) {
	if os.Getenv("DIG_TEST_SESSION") != "" {
		secretService(t)
		return
	}
	for _, program := range []string{"dbus-run-session", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("NOT RUN: the Secret Service, for want of %s", program)
		}
	}
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	// The password of standard input makes and unlocks the collection that keys are stored in.
	c := exec.CommandContext(t.Context(), "dbus-run-session", "--", "sh", "-c",
		`printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$0" -test.run `+
			`'^TestSecretService$' -test.v`, os.Args[0])
	c.Env = append(os.Environ(), "DIG_TEST_SESSION=1", "HOME="+home, "XDG_DATA_HOME="+home+"/data", "XDG_RUNTIME_DIR="+
		home+"/run", "XDG_CONFIG_HOME="+home+"/config", "XDG_CACHE_HOME="+home+"/cache")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "stored in the Secret Service") {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	// The collection is encrypted: neither its files nor those of dig contain the key.
	err = filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if bytes.Contains(raw, []byte(secretEnd)) {
			t.Errorf("%s contains the key", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if rings, err := filepath.Glob(filepath.Join(home, "data", "keyrings", "*.keyring")); err != nil ||
		len(rings) == 0 {
		t.Errorf("no keyring was written: %v, %v", rings, err)
	}
}

// secretService runs in the session.
func secretService(t *testing.T) {
	s, err := OpenStore(filepath.Join(os.Getenv("HOME"), "cfg"), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]string{"work": hostedKey, "other": "abcd1234.another"} {
		added, err := s.Add(Profile{Name: name, Zone: "eu"}, mustKey(t, k), AddOptions{Storage: "keyring"})
		if err != nil || added.Storage != "keyring" || !strings.Contains(added.Where, "Secret Service") {
			t.Fatalf("%+v, %v", added, err)
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, "credentials.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a key file: %v", err)
	}
	check := func(name, want string) {
		t.Helper()
		p, err := s.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		k, err := s.Key(p)
		if err != nil || k.Key.Reveal() != want || k.Address != DefaultAddresses(EU)[0] {
			t.Errorf("%s: %+v, %v", name, k, err)
		}
	}
	check("work", hostedKey)
	check("other", "abcd1234.another")
	if err := s.Rename("work", "acme"); err != nil {
		t.Fatal(err)
	}
	check("acme", hostedKey)
	ring := newKeyringStore(s.dir, os.Getenv)
	if _, err := ring.Get("work"); !errors.Is(err, errNoKey) {
		t.Errorf("a copy under the old name: %v", err)
	}
	if where, err := s.Logout("acme"); err != nil || !strings.Contains(where, "Secret Service") {
		t.Errorf("%q, %v", where, err)
	}
	if _, err := ring.Get("acme"); !errors.Is(err, errNoKey) {
		t.Errorf("after logout: %v", err)
	}
	if left, err := s.Remove("other"); err != nil || left != "" {
		t.Errorf("%q, %v", left, err)
	}
	if _, err := ring.Get("other"); !errors.Is(err, errNoKey) {
		t.Errorf("after removal: %v", err)
	}
	// Stored once more, so that the files can be searched for it.
	if _, err := s.Add(Profile{Name: "last", Zone: "us"}, mustKey(t, hostedKey), AddOptions{}); err != nil {
		t.Fatal(err)
	}
	p, err := s.Get("last")
	if err != nil || p.KeyStorage != "keyring" {
		t.Fatalf("%+v, %v", p, err)
	}
	// References read secrets of other programs as well.
	for service, account := range map[string]string{keyringService: "shopdb", "bank": "a/b c"} {
		if err := keyring.Set(service, account, "of "+service); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"shopdb": "of " + keyringService, keyringService + "/shopdb": "of " +
		keyringService, "bank/a/b c": "of bank"} {
		if got, err := KeyringSecret(os.Getenv, name); got != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := KeyringSecret(os.Getenv, "bank/none"); got != "" || err == nil || !strings.Contains(err.Error(),
		"no secret of service bank and account none") {
		t.Errorf("%q, %v", got, err)
	}
	t.Log("stored in the Secret Service")
}
