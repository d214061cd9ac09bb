package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zalando/go-keyring"
)

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
	return <-got, nil
}
