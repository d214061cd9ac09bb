package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestKeyWithoutProfile: a profile that is removed in an editor leaves its key, which the command tells, and `auth
// logout` removes it by the name that the profile had.
func TestKeyWithoutProfile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	w := &tellWorld{t: t, dir: t.TempDir(), env: map[string]string{"DIG_KEY_STORAGE": "file"}}
	w.env["DIG_CONFIG_DIR"], w.env["HOME"], w.env["EDITOR"] = filepath.Join(w.dir, "config"), w.dir,
		filepath.Join(w.dir, "editor")
	if err := os.MkdirAll(filepath.Join(w.dir, "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(want int, says string, args ...string) {
		t.Helper()
		code, out, errs := w.run(args...)
		if code != want || !strings.Contains(out+errs, says) || strings.Contains(out+errs, testKey) {
			t.Fatalf("%v: exit %d, want %d, says %q: %s%s", args, code, want, says, out, errs)
		}
	}
	keys := filepath.Join(w.env["DIG_CONFIG_DIR"], "credentials.yaml")
	for _, name := range []string{"gone", "kept"} {
		w.env["DIG_API_KEY"] = testKey
		run(0, "stored", "auth", "login", name, "--zone", "us", "--no-check")
	}
	delete(w.env, "DIG_API_KEY")
	if err := os.WriteFile(w.env["EDITOR"], []byte("#!/bin/sh\nsed -i.bak '/gone:/,/key-storage/d' \"$1\"\n"),
		0o700); err != nil {
		t.Fatal(err)
	}
	run(0, "the key of profile gone remains (file); `dig auth logout gone` removes it", "config", "edit")
	run(exitcode.Confirm, "no profile refers to the key stored as gone", "auth", "logout", "gone")
	run(0, "would remove the key stored as gone", "auth", "logout", "gone", "--dry-run", "--yes")
	if !bytes.Contains(read(t, keys), []byte("gone:")) {
		t.Fatal("removed without a yes")
	}
	run(0, "removed the key stored as gone", "auth", "logout", "gone", "--yes")
	if raw := read(t, keys); bytes.Contains(raw, []byte("gone:")) || !bytes.Contains(raw, []byte("kept:")) {
		t.Errorf("%s", bytes.ReplaceAll(raw, []byte(testKey), []byte("KEY")))
	}
	run(exitcode.NotFound, `there is no profile "gone"`, "auth", "logout", "gone", "--yes")
	run(0, "removed the key of profile kept", "auth", "logout", "kept", "--yes")
	run(exitcode.NotFound, "profile kept has no key", "auth", "logout", "kept", "--yes")

	if err := os.WriteFile(w.env["EDITOR"], []byte("#!/bin/sh\nrm \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	run(exitcode.Failed, "removed the copy that it was to edit; nothing was changed", "config", "edit")
}

// TestKeyIsOneLine: the key may be in another line than the first, and all else is checked before it is asked for.
func TestKeyIsOneLine(t *testing.T) {
	env := map[string]string{"DIG_CONFIG_DIR": t.TempDir(), "DIG_KEY_STORAGE": "file", "HOME": t.TempDir()}
	run := func(in string, args ...string) (int, string) {
		var o, x bytes.Buffer
		e := &cli.Env{Zone: local(), Name: "dig", Args: args, In: strings.NewReader(in), Out: &o, Err: &x,
			Dir: t.TempDir(),
			Now: time.Now, Getenv: environ(t, env)}
		code := Run(t.Context(), e)
		if strings.Contains(o.String()+x.String(), testKey) {
			t.Errorf("%v shows the key", args)
		}
		return code, o.String() + x.String()
	}
	login := []string{"auth", "login", "work", "--zone", "us", "--with-key", "--no-check"}
	for _, args := range [][]string{login, {"auth", "login", "work", "--zone", "us", "--no-check"}} {
		for _, in := range []string{"us-key\n" + testKey + "\n", testKey + "\n\n" + testKey} {
			if code, says := run(in, args...); code != exitcode.Usage || !strings.Contains(says, "more than one line") {
				t.Errorf("%v, %q: exit %d: %s", args, in, code, says)
			}
		}
	}
	code, says := run("\n", login...)
	if code != exitcode.Usage || !strings.Contains(says, "no key given") {
		t.Errorf("exit %d: %s", code, says)
	}
	if code, says := run(testKey+"\r\n \n", login...); code != 0 {
		t.Errorf("exit %d: %s", code, says)
	}
	for _, args := range [][]string{{"auth", "login", "a/b", "--zone", "us"}, {"auth", "login", "WORK", "--zone", "us"},
		{"profile", "add", "WORK", "--zone", "us"}} {
		var o, x bytes.Buffer
		e := &cli.Env{Zone: local(), Name: "dig", Args: args, In: neverRead{}, Out: &o, Err: &x, Dir: t.TempDir(),
			Now:    time.Now,
			Getenv: environ(t, env)}
		if code := Run(t.Context(), e); code != exitcode.Usage && code != exitcode.Conflict ||
			strings.Contains(x.String(), "sent to") {
			t.Errorf("%v: exit %d: %s", args, code, x.String())
		}
	}
}
