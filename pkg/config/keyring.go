package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/zalando/go-keyring"
)

// keyringWait limits one call to the OS keyring. A session bus may accept a connection and never answer.
const keyringWait = 2 * time.Second

const keyringService = "dig"

// keyringStore stores each key, with its address, as one secret of the OS keyring (Secret Service, macOS Keychain,
// Windows Credential Manager). The entry's account includes the configuration directory: two directories with a profile
// of the same name must not share a key.
type keyringStore struct {
	dir    string
	getenv func(string) string
	wait   time.Duration
}

type keyringSecret struct {
	Address string `json:"address"`
	Key     string `json:"key"`
}

func newKeyringStore(dir string, getenv func(string) string) *keyringStore {
	return &keyringStore{dir: dir, getenv: getenv, wait: keyringWait}
}

func (s *keyringStore) Name() string { return "keyring" }

func (s *keyringStore) Where() string {
	switch runtime.GOOS {
	case "darwin":
		return "the macOS Keychain"
	case "windows":
		return "the Windows Credential Manager"
	}
	return "the desktop keyring (Secret Service)"
}

// account is the name of an entry. Some keyrings do not distinguish capitals, so that none is asked to.
func (s *keyringStore) account(profile string) string {
	return strings.ToLower(profile) + " in " + s.dir
}

// missing returns the reason why there is no keyring, nil if there may be one. It is called before the library, which
// would start a bus of its own if there is none.
func (s *keyringStore) missing() error {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return nil
	}
	if addr := s.getenv("DBUS_SESSION_BUS_ADDRESS"); addr != "" && !strings.HasPrefix(addr, "autolaunch:") {
		return nil
	}
	if run := s.getenv("XDG_RUNTIME_DIR"); run != "" {
		if _, err := os.Stat(filepath.Join(run, "bus")); err == nil {
			return nil
		}
	}
	return errors.New("there is no session bus on this machine")
}

// call runs one keyring operation with a timeout. An operation that does not return is abandoned; it ends with the
// process.
func (s *keyringStore) call(what string, op func() error) error {
	unavailable := func(cause error) error {
		return &Error{Kind: ErrStorage, Msg: fmt.Sprintf("the OS keyring cannot %s", what), cause: cause,
			hint: "unlock the keyring, or set DIG_KEY_STORAGE=file, or give the key in DIG_API_KEY"}
	}
	if err := s.missing(); err != nil {
		return unavailable(err)
	}
	done := make(chan error, 1)
	go func() { done <- op() }()
	timer := time.NewTimer(s.wait)
	defer timer.Stop()
	select {
	case err := <-done:
		if err == nil || errors.Is(err, keyring.ErrNotFound) {
			return err
		}
		return unavailable(err)
	case <-timer.C:
		return unavailable(fmt.Errorf("it did not answer within %s", s.wait))
	}
}

func (s *keyringStore) Set(profile string, k StoredKey) error {
	secret, err := json.Marshal(keyringSecret{Address: k.Address, Key: k.Key.Reveal()})
	if err != nil {
		return &Error{Kind: ErrStorage, Msg: "the key cannot be encoded", cause: err}
	}
	return s.call("store the key", func() error {
		return keyring.Set(keyringService, s.account(profile),
			string(secret))
	})
}

func (s *keyringStore) Get(profile string) (StoredKey, error) {
	var secret string
	// the value is sent over a channel: a late answer must not write to a variable that is read concurrently
	got := make(chan string, 1)
	err := s.call("return the key", func() error {
		v, err := keyring.Get(keyringService, s.account(profile))
		got <- v
		return err
	})
	if errors.Is(err, keyring.ErrNotFound) {
		return StoredKey{}, fmt.Errorf("%w for profile %s in %s", errNoKey, profile, s.Where())
	}
	if err != nil {
		return StoredKey{}, err
	}
	secret = <-got
	damaged := &Error{Kind: ErrStorage, Msg: fmt.Sprintf("the entry of profile %s in %s is corrupt",
		profile, s.Where()),
		hint: "store the key again: dig auth login " + profile}
	var v keyringSecret
	if json.Unmarshal([]byte(secret), &v) != nil { // its error could contain the secret
		return StoredKey{}, damaged
	}
	key, kerr := NewKey(v.Key)
	addr, _, aerr := CheckBaseURL(v.Address)
	if kerr != nil || aerr != nil {
		return StoredKey{}, damaged
	}
	return StoredKey{Key: key, Address: addr}, nil
}

func (s *keyringStore) Delete(profile string) error {
	err := s.call("remove the key", func() error { return keyring.Delete(keyringService, s.account(profile)) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}
