package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestEditorOfWords: VISUAL and EDITOR are words of a shell, as for git: a path with a blank is quoted, and an argument
// may be empty.
func TestEditorOfWords(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	w := &tellWorld{t: t, dir: t.TempDir(), env: map[string]string{}}
	w.env["DIG_CONFIG_DIR"], w.env["HOME"] = filepath.Join(w.dir, "config"), w.dir
	program := filepath.Join(w.dir, "an editor")
	if err := errors.Join(os.MkdirAll(filepath.Join(w.dir, "work"), 0o700),
		os.WriteFile(program, []byte("#!/bin/sh\n[ $# = 3 ] && [ -z \"$2\" ] && echo '# '$1 >> \"$3\"\n"), 0o700)); err != nil {
		t.Fatal(err)
	}
	w.must("profile", "add", "a", "--zone", "us")
	w.env["EDITOR"] = "'" + program + "' -a ''"
	w.must("config", "edit")
	if raw, err := os.ReadFile(filepath.Join(w.env["DIG_CONFIG_DIR"], "config.yaml")); err != nil ||
		!strings.Contains(string(raw), "# -a\n") {
		t.Errorf("%v: %s", err, raw)
	}
}

// TestEditorRepairs: the file that keeps all other commands from running can be corrected with `config edit`.
func TestEditorRepairs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	w := &tellWorld{t: t, dir: t.TempDir(), env: map[string]string{}}
	w.env["DIG_CONFIG_DIR"], w.env["HOME"] = filepath.Join(w.dir, "config"), w.dir
	path := filepath.Join(w.env["DIG_CONFIG_DIR"], "config.yaml")
	if err := errors.Join(os.MkdirAll(filepath.Join(w.dir, "work"), 0o700), os.MkdirAll(w.env["DIG_CONFIG_DIR"],
		0o700)); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(w.dir, "editor")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf 'profiles:\n  a:\n    zone: us\n' > \"$1\"\n"),
		0o700); err != nil {
		t.Fatal(err)
	}
	w.env["EDITOR"] = program
	for _, broken := range []string{"profiles:\n  a:\n    zoone: us\n", "profiles:\n\ta: {}\n",
		"profiles:\n  a: {}\n  A: {}\n", "current: b\n"} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := w.run("config", "edit", "--dry-run"); code != 0 {
			t.Errorf("%q, dry run: exit %d: %s", broken, code, errs)
		}
		if code, out, errs := w.run("config", "edit", "-o", "json"); code != 0 || !strings.Contains(out, `"ok":true`) {
			t.Errorf("%q: exit %d: %s%s", broken, code, out, errs)
		}
		if code, _, errs := w.run("profile", "list"); code != 0 {
			t.Errorf("%q: exit %d: %s", broken, code, errs)
		}
	}
}
