package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/zalando/go-keyring"
)

// OwnKeyringEntry reports whether a name, in the form that KeyringSecret accepts, is the entry of a profile's key.
func OwnKeyringEntry(name string) bool {
	service, account, ok := strings.Cut(name, "/")
	if !ok || strings.Contains(service, " in ") { // the slash belongs to the path in the account of a profile's key
		service, account = keyringService, name
	}
	_, dir, in := strings.Cut(account, " in ")
	return strings.EqualFold(service, keyringService) && in && filepath.IsAbs(dir)
}

// KeyringSecret reads a secret of another program or of the user from the OS keyring. name is SERVICE/ACCOUNT, or an
// account of the service dig.
func KeyringSecret(getenv func(string) string, name string) (string, error) {
	service, account, ok := strings.Cut(name, "/")
	if !ok {
		service, account = keyringService, name
	}
	got := make(chan string, 1) // a late answer must not write to a variable that is read concurrently
	err := newKeyringStore("", getenv).call("return the secret", func() error {
		v, err := keyring.Get(service, account)
		got <- v
		return err
	})
	if errors.Is(err, keyring.ErrNotFound) {
		return "", fmt.Errorf("the OS keyring has no secret of service %s and account %s", service, account)
	}
	if err != nil {
		return "", err
	}
	text := <-got
	var own keyringSecret
	if strings.EqualFold(service, keyringService) && json.Unmarshal([]byte(text), &own) == nil && own.Key != "" &&
		own.Address != "" {
		return "", errors.New("it is the key of a profile")
	}
	return text, nil
}
