package gateway

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/gateway"
)

// TestGivenKey: a file holds a key, or none yet, or is refused; it is never taken for something else.
func TestGivenKey(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key := gateway.NewServeKey()
	for _, c := range []struct{ path, key, refused string }{
		{write("key", key+"\n", 0o600), key, ""},
		{write("crlf", key+"\r\n", 0o400), key, ""},
		{write("of-a-group", key, 0o440), key, ""},
		{filepath.Join(dir, "missing"), "", ""},
		{write("empty", "", 0o644), "", ""},
		{os.DevNull, "", ""},
		{dir, "", "is a directory"},
		{filepath.Join(dir, "key", "below"), "", "not a directory"},
		{write("short", "secret\n", 0o600), "", "holds no key"},
		{write("blank", "\n\n", 0o600), "", "holds no key"},
		{write("words", "a text that is long enough but has blanks", 0o600), "", "holds no key"},
		{write("two", key+"\n"+key+"\n", 0o600), "", "holds no key"},
		{write("long", strings.Repeat("k", 5000), 0o600), "", "holds no key"},
		{write("binary", strings.Repeat("k\x00", 40), 0o600), "", "holds no key"},
		{write("of-all", key, 0o644), "", "other users can read or change"},
		{write("written-by-group", key, 0o660), "", "other users can read or change"},
	} {
		if runtime.GOOS == "windows" && (strings.HasPrefix(c.refused, "other users") || c.path == os.DevNull ||
			c.refused == "not a directory") {
			continue
		}
		f := serveFlags{keyFile: c.path}
		got, err := f.givenKey(&cli.Env{Dir: dir})
		if got != c.key || (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(),
			c.refused) {
			t.Errorf("%s: %q, %v", c.path, got, err)
		}
		if err != nil && strings.Contains(err.Error(), key) {
			t.Errorf("%s: the error tells the key", c.path)
		}
	}
}

// A key is never written into a file that was there before: whoever made it, or has it open, would read the key.
func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	theirs, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	before, err := theirs.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := writeSecret(path, "the key"); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if os.SameFile(before, after) || after.Mode().Perm() != 0o600 {
		t.Errorf("the same file %v, mode %v", os.SameFile(before, after), after.Mode())
	}
	if raw, _ := os.ReadFile(path); string(raw) != "the key\n" {
		t.Errorf("%q", raw)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestKeepKey: gateways that start at once with one file that does not exist have one key.
func TestKeepKey(t *testing.T) {
	f, e := serveFlags{keyFile: filepath.Join(t.TempDir(), "key")}, &cli.Env{}
	var kept [8]string
	var all sync.WaitGroup
	for i := range kept {
		all.Go(func() {
			var err error
			if kept[i], err = f.keepKey(e, gateway.NewServeKey()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, key := range kept {
		if given, err := f.givenKey(e); key != given || key == "" || err != nil {
			t.Errorf("a gateway has %q, the file %q, %v", key, given, err)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(f.keyFile)); len(left) != 1 || err != nil {
		t.Errorf("files: %v, %v", left, err)
	}
}
