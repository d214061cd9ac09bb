package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"
)

// The keyring tests share the library's one provider, so they are one test without parallel parts.
func TestKeyring(t *testing.T) {
	bus := []string{"DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent"}
	keyring.MockInit()
	s := openStore(t, env(bus...))
	added, err := s.Add(Profile{Name: "w", Zone: "eu"}, mustKey(t, hostedKey), AddOptions{})
	if err != nil || added.Storage != "keyring" || added.Why != "" {
		t.Fatalf("%+v, %v", added, err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "credentials.yaml")); err == nil {
		t.Error("a key file was written beside the keyring")
	}
	p, _ := s.Get("w")
	if k, err := s.Key(p); err != nil || k.Key.Reveal() != hostedKey || k.Address != DefaultAddresses(EU)[0] {
		t.Errorf("%+v, %v", k, err)
	}
	other := openStore(t, env(bus...))
	if _, err := other.Key(Profile{Name: "w", KeyStorage: "keyring"}); !errors.Is(err, ErrNotAllowed) {
		t.Errorf("another configuration directory reads the key: %v", err)
	}
	if err := keyring.Set(keyringService, newKeyringStore(s.dir, s.getenv).account("w"), `{"key":"`+hostedKey+
		`"`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Key(p); !errors.Is(err, ErrStorage) || strings.Contains(err.Error(), secretEnd) {
		t.Errorf("damaged entry: %v", err)
	}
	forced := openStore(t, env(append(bus, "DIG_KEY_STORAGE", "file")...))
	if added, err := forced.Add(Profile{Name: "w", Zone: "us"}, mustKey(t, hostedKey), AddOptions{}); err != nil ||
		added.Storage != "file" {
		t.Errorf("forced to file: %+v, %v", added, err)
	}
	moved, _ := OpenStore(s.dir, env(append(bus, "DIG_KEY_STORAGE", "file")...))
	if _, err := moved.Add(Profile{Name: "w", Zone: "eu"}, mustKey(t, hostedKey),
		AddOptions{Replace: true}); err != nil {
		t.Error(err)
	}
	if _, err := keyring.Get(keyringService, newKeyringStore(s.dir, s.getenv).account("w")); !errors.Is(err,
		keyring.ErrNotFound) {
		t.Errorf("the old copy stayed in the keyring: %v", err)
	}

	keyring.MockInit()
	s = openStore(t, env(bus...))
	if _, err := s.Add(Profile{Name: "w", Zone: "us"}, mustKey(t, hostedKey), AddOptions{}); err != nil {
		t.Fatal(err)
	}
	keyring.MockInitWithError(errors.New("the collection is locked"))
	p, _ = s.Get("w")
	if _, err := s.Key(p); !errors.Is(err, ErrStorage) || !strings.Contains(err.Error(), "locked") {
		t.Errorf("locked: %v", err)
	}
	left, err := s.Remove("w")
	if err != nil || !strings.Contains(left, "may remain") {
		t.Errorf("remove with a locked keyring: %q, %v", left, err)
	}
	fallback := openStore(t, env(bus...))
	added, err = fallback.Add(Profile{Name: "w", Zone: "us"}, mustKey(t, hostedKey), AddOptions{})
	if err != nil || added.Storage != "file" || !strings.Contains(added.Why, "locked") {
		t.Errorf("fallback: %+v, %v", added, err)
	}
	strict := openStore(t, env(append(bus, "DIG_KEY_STORAGE", "keyring")...))
	if _, err := strict.Add(Profile{Name: "w", Zone: "us"}, mustKey(t, hostedKey), AddOptions{}); !errors.Is(err,
		ErrStorage) {
		t.Errorf("forced keyring: %v", err)
	}
	if list, _, _ := strict.List(); len(list) != 0 {
		t.Errorf("a profile without its key was written: %v", list)
	}
}

func TestKeyringThatNeverAnswers(t *testing.T) {
	ring := newKeyringStore(t.TempDir(), env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent"))
	ring.wait = 10 * time.Millisecond
	release := make(chan struct{})
	defer close(release)
	err := ring.call("store the key", func() error { <-release; return nil })
	if !errors.Is(err, ErrStorage) || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("%v", err)
	}
}

func TestHeadlessMachineFallsBackToTheFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("macOS and Windows have a keyring without a session bus")
	}
	for _, e := range [][]string{nil, {"XDG_RUNTIME_DIR", t.TempDir()}, {"DBUS_SESSION_BUS_ADDRESS", "autolaunch:"}} {
		s := openStore(t, env(e...))
		added, err := s.Add(Profile{Name: "w", Zone: "us"}, mustKey(t, "odd"), AddOptions{})
		if err != nil || added.Storage != "file" || !strings.Contains(added.Why, "no session bus") ||
			len(added.Hints) != 1 {
			t.Errorf("%v: %+v, %v", e, added, err)
		}
	}
}

func TestCredentialFileErrors(t *testing.T) {
	const head = "profiles:\n  w:\n"
	for text, want := range map[string]string{
		head + "    key: " + hostedKey + "\n":                                         "lacks its address",
		head + "    address: https://h.example\n":                                     "lacks its address or its key",
		head + "    address: http://h.example\n    key: " + hostedKey + "\n":          ":3: base-url",
		head + "    address: https://h.example\n    kay: " + hostedKey + "\n":         ":4: kay: unknown field",
		head + "    address: https://h.example\n    key: \"a b " + secretEnd + "\"\n": ":4: key",
		head + "    address: https://h.example\n    key: [" + secretEnd +
			"]\n": ":4: key: is not a single value",
		"profiles:\n  w: " + hostedKey + "\n":                                           ":2: w: is not a mapping",
		"w:\n  key: " + hostedKey + "\n":                                                ":1: w: unknown field",
		"profiles:\n  v:\n    key: " + hostedKey + "\n    address: https://h.example\n": "no key is stored",
	} {
		s := openStore(t, fileEnv())
		write(t, filepath.Join(s.dir, "credentials.yaml"), text)
		_, err := s.Key(Profile{Name: "w", KeyStorage: "file"})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secretEnd) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
