package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestEditorOfWords: VISUAL and EDITOR are words of a shell, as for git: a path with a blank is quoted, and an argument may be empty.
func TestEditorOfWords(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	w := &tellWorld{t: t, dir: t.TempDir(), env: map[string]string{}}
	w.env["DIG_CONFIG_DIR"], w.env["HOME"] = filepath.Join(w.dir, "config"), w.dir
	program := filepath.Join(w.dir, "an editor")
	if err := errors.Join(os.MkdirAll(filepath.Join(w.dir, "work"), 0o700), os.WriteFile(program, []byte("#!/bin/sh\n[ $# = 3 ] && [ -z \"$2\" ] && echo '# '$1 >> \"$3\"\n"), 0o700)); err != nil {
		t.Fatal(err)
	}
	w.must("profile", "add", "a", "--zone", "us", "--no-key")
	w.env["EDITOR"] = "'" + program + "' -a ''"
	w.must("config", "edit")
	if raw, err := os.ReadFile(filepath.Join(w.env["DIG_CONFIG_DIR"], "config.yaml")); err != nil || !strings.Contains(string(raw), "# -a\n") {
		t.Errorf("%v: %s", err, raw)
	}
}
