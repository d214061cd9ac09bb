package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestConnectionsReadNoOwnFiles: a connection to any of this program's own directories is refused, so that no key of a
// project reads the journal of its operator, the ledgers of imports or stored results.
func TestConnectionsReadNoOwnFiles(t *testing.T) {
	f := newFront(t, "local")
	f.vars = map[string]string{}
	own := map[string]string{}
	for name, variable := range map[string]string{"state": "DIG_STATE_DIR", "cache": "DIG_CACHE_DIR",
		"settings": "DIG_CONFIG_DIR", "data": "DIG_DATA_DIR"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(filepath.Join(dir, "journal"), 0o700); err != nil {
			t.Fatal(err)
		}
		own[name], f.vars[variable] = dir, dir
	}
	for _, file := range []string{"state/journal/changes.jsonl", "state/imports/x.json", "cache/last/x.json",
		"data/x.csv", "settings/credentials.yaml"} {
		name, rest, _ := strings.Cut(file, "/")
		path := filepath.Join(own[name], filepath.FromSlash(rest))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("a: planted-s3cret\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (int, string) {
		t.Helper()
		env := map[string]string{"HOME": f.home}
		for k, v := range f.vars {
			env[k] = v
		}
		code, out, errs := runDig(t, env, args...)
		if strings.Contains(out+errs, "planted-s3cret") {
			t.Errorf("%v shows what an own file has: %s%s", args, out, errs)
		}
		return code, out + errs
	}
	for name, dir := range own {
		if name == "settings" { // the directory may have other files; those with keys are not read
			continue
		}
		for _, path := range []string{dir, filepath.Join(dir, "journal")} {
			if code, text := run("connection", "create", "own-"+name, "--type", "files", "--credential",
				"path="+path); code == 0 {
				t.Errorf("%s: a connection is created: %s", path, text)
			}
		}
	}
	for _, file := range []string{filepath.Join(own["state"], "journal", "changes.jsonl"), filepath.Join(own["cache"],
		"last", "x.json"), filepath.Join(own["data"], "x.csv")} {
		if code, text := run("query", "execute", "SELECT * FROM '"+file+"'"); code == 0 {
			t.Errorf("%s is read: %s", file, text)
		}
	}
}

// TestFilesOff: where files are off, a statement names none, whatever else allows it; all else works.
func TestFilesOff(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "a.csv")
	if err := os.WriteFile(file, []byte("id\n41\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": home, "DIG_DATA_DIR": filepath.Join(home, "data"),
		"DIG_CONFIG_DIR": filepath.Join(home, "config"), "DIG_STATE_DIR": filepath.Join(home, "state"),
		"DIG_CACHE_DIR": filepath.Join(home, "cache")}
	statement := []string{"query", "execute", "SELECT * FROM '" + file + "'", "-o", "csv"}
	read := func(want bool, more map[string]string, args ...string) {
		t.Helper()
		all := map[string]string{}
		for _, m := range []map[string]string{env, more} {
			for k, v := range m {
				all[k] = v
			}
		}
		code, out, errs := runDig(t, all, args...)
		if (code == 0) != want || strings.Contains(out, "41") != want || !want && !strings.Contains(errs,
			"may not name files") {
			t.Errorf("%v %v: exit %d: %s%s", more, args, code, out, errs)
		}
	}
	read(true, nil, statement...)
	read(true, map[string]string{"DIG_READ_ONLY": "1"}, statement...)
	read(true, map[string]string{"DIG_NO_FILES": "0"}, statement...)
	read(false, map[string]string{"DIG_NO_FILES": "1"}, statement...)
	read(false, map[string]string{"DIG_FILES": "off"}, statement...)
	read(false, map[string]string{"DIG_NO_FILES": "1", "DIG_FILES": "on"}, statement...)
	read(false, map[string]string{"DIG_NO_FILES": "1"}, "sql", "SELECT count(*) FROM (SELECT * FROM '"+file+
		"') WHERE id = 41", "-o", "csv")
	read(false, map[string]string{"DIG_NO_FILES": "1"}, "query", "execute", "EXPLAIN SELECT * FROM '"+file+"'")
	if code, out, errs := runDig(t, env, "profile", "add", "agent", "--zone", "local"); code != 0 {
		t.Fatal(out, errs)
	}
	if code, out, errs := runDig(t, env, "config", "set", "files", "off"); code != 0 {
		t.Fatal(out, errs)
	}
	read(false, nil, statement...)
	read(false, map[string]string{"DIG_FILES": "on"}, statement...)
	if code, _, errs := runDig(t, env, "query", "execute", "SELECT 1"); code != 0 {
		t.Errorf("another statement: %s", errs)
	}
	if code, _, errs := runDig(t, env, "config", "set", "files", "maybe"); code != exitcode.Usage ||
		!strings.Contains(errs, "neither on nor off") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// TestUnknownAddress: what works on zone local only does not take a gateway at another address for it.
func TestUnknownAddress(t *testing.T) {
	env := map[string]string{"DIG_BASE_URL": "https://gateway.example/api/v1", "DIG_API_KEY": testKey,
		"DIG_PROJECT": "Abcd1234"}
	for _, args := range [][]string{{"query", "execute", "SELECT 1", "--live", "--dry-run"}, {"gateway", "path"}} {
		if _, out, errs := runDig(t, env, args...); strings.Contains(out+errs, "zone local only") &&
			!strings.Contains(out+errs, "the gateway at https://gateway.example") {
			t.Errorf("%v: %s%s", args, out, errs)
		}
	}
	_, out, errs := runDig(t, env, "query", "execute", "SELECT 1", "--live", "--dry-run")
	if !strings.Contains(out+errs,
		"on the gateway at https://gateway.example/api/v1: only zone local can bypass a cache") {
		t.Errorf("%s%s", out, errs)
	}
}
