package gateway

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/tempfile"
)

// withKey reports whether there is a key besides those that are stored.
func (f *serveFlags) withKey() bool { return f.printKey || f.keyFile != "" }

const (
	leastKey = 32 // characters: a key is stored and compared by a plain hash, so it must be beyond guessing
	mostKey  = 4096
)

// givenKey returns the key in the file of --key-file; "" if the file does not exist, is empty, or is a device to which
// a key is to be written.
func (f *serveFlags) givenKey(e *cli.Env) (string, error) {
	if f.keyFile == "" {
		return "", nil
	}
	path := e.Abs(f.keyFile)
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !st.Mode().IsRegular() && !st.IsDir() {
		return "", nil
	}
	bad := func(format string, args ...any) error {
		return exitcode.Usagef("--key-file: "+format, args...)
	}
	if err != nil {
		return "", bad("%v", err)
	}
	if st.IsDir() {
		return "", bad("%s is a directory", path)
	}
	if st.Size() == 0 {
		return "", nil
	}
	if st.Size() > mostKey {
		return "", bad("%s holds no key: it has %d bytes", path, st.Size())
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", bad("%v", err)
	}
	key := strings.TrimSpace(string(raw))
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) || len(key) < leastKey {
		return "", exitcode.Usagef("--key-file: %s holds no key: a key is one line of at least %d characters without "+
			"blanks", path, leastKey).WithHint("name a file that does not exist, and a key is created in it")
	}
	if ofAnother(st) {
		return "", bad("%s belongs to another user", path)
	}
	if openToOthers(st) {
		return "", exitcode.Usagef("--key-file: other users can read or change %s", path).WithHint("chmod 600 %s",
			path)
	}
	return key, nil
}

// keepKey stores a new key in the file of --key-file and returns it, or the one that another gateway stored there
// first.
func (f *serveFlags) keepKey(e *cli.Env, key string) (string, error) {
	path := e.Abs(f.keyFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := tempfile.WriteNew(path, []byte(key+"\n")); !errors.Is(err, fs.ErrExist) {
			return key, e.Named("--key-file", err)
		}
	}
	if kept, err := f.givenKey(e); err != nil || kept != "" {
		return kept, err
	}
	return key, e.Named("--key-file", writeSecret(path, key))
}

// writeSecret writes a line to a file that only its owner can read. An existing file is replaced, not written to: its
// creator may still have it open. A device, such as a terminal, is written to.
func writeSecret(path, text string) error {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if st, err = f.Stat(); err == nil && ofAnother(st) {
			err = fmt.Errorf("%s belongs to another user", path)
		}
		if err != nil {
			f.Close()
			return err
		}
		_, err = io.WriteString(f, text+"\n")
		return errors.Join(err, f.Close())
	}
	return tempfile.Write(path, []byte(text+"\n"))
}
