package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/tempfile"
)

const (
	keyName    = "secret.key"
	sealedName = "secret.key.age" // in a backup
	maxKey     = 1 << 20          // no key is longer
)

// passphrase reads the passphrase of --passphrase-file: the first line, "" without the flag.
func passphrase(e *cli.Env, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	raw, err := e.ReadFile("--passphrase-file", file)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		return "", exitcode.Usagef("--passphrase-file: the first line of %s is empty", file)
	}
	e.Run.Mask.Hide(line)
	return line, nil
}

// sealKey stores the key of the credentials, encrypted, among the files of a backup, and returns what it did.
func sealKey(path, into, phrase string) (string, error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return keyNone, nil
	case err != nil:
		return "", err
	case phrase == "":
		return keyLeftOut, nil
	case !st.Mode().IsRegular() || st.Size() > maxKey:
		return "", fmt.Errorf("%s is no key: it cannot be stored in a backup", path)
	}
	key, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	to, err := age.NewScryptRecipient(phrase)
	if err != nil {
		return "", err
	}
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, to)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(key); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return keySealed, tempfile.Write(filepath.Join(into, sealedName), sealed.Bytes())
}

// noSealedKey is the error of a passphrase for a backup that was made without one.
func noSealedKey() error {
	return exitcode.Usagef("--passphrase-file: the key of the stored credentials was left out of the backup")
}

// unsealKey decrypts the key of an unpacked backup.
func unsealKey(dir, phrase string) error {
	path := filepath.Join(dir, sealedName)
	sealed, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	from, err := age.NewScryptIdentity(phrase)
	if err != nil {
		return err
	}
	r, err := age.Decrypt(bytes.NewReader(sealed), from)
	var key []byte
	if err == nil {
		key, err = io.ReadAll(io.LimitReader(r, maxKey))
	}
	if err != nil {
		return exitcode.Usagef("--passphrase-file: the passphrase does not open %s: %v", sealedName, err)
	}
	if err := tempfile.Write(filepath.Join(dir, keyName), key); err != nil {
		return err
	}
	return os.Remove(path)
}
