//go:build cgo

package cmd

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/archive"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// backedUpZone is a data directory with rows, an export and a sealed credential, and a file with a passphrase.
func backedUpZone(t *testing.T) (data, word string) {
	t.Helper()
	home := t.TempDir()
	data, word = filepath.Join(home, "data"), filepath.Join(home, "word")
	rows := writeNumbers(t, 20_000)
	if err := os.WriteFile(word, []byte("a word\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"table", "import", "numbers", rows, "--create"},
		{"connection", "create", "files", "--type", "files", "--credential", "path=" + filepath.Dir(rows)},
		{"query", "create", "q", "--sql", "SELECT id FROM sample.shop.orders"}, {"export", "query", "q", "--wait"}} {
		mustZone(t, data, args...)
	}
	return data, word
}

func mustZone(t *testing.T, data string, args ...string) string {
	t.Helper()
	code, out, errs := runDig(t, map[string]string{"DIG_DATA_DIR": data}, args...)
	if code != 0 {
		t.Fatalf("dig %s: exit %d: %s", strings.Join(args, " "), code, errs)
	}
	return out
}

// resum writes the checksums of an unpacked archive again, so that only what is read of its files shows the damage.
func resum(dir string) error {
	raw, err := os.ReadFile(filepath.Join(dir, archive.SumsName))
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		_, name, _ := strings.Cut(line, "  ")
		file, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(file)
		fmt.Fprintf(&b, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	}
	return os.WriteFile(filepath.Join(dir, archive.SumsName), []byte(b.String()), 0o600)
}

// TestBackupDamage: each kind of damage of a backup is found by `gateway verify`, which names it, and refused by
// `gateway restore`, which leaves nothing behind. TestDamage does that for data directories.
func TestBackupDamage(t *testing.T) {
	needLocal(t)
	data, word := backedUpZone(t)
	good, file := filepath.Join(t.TempDir(), "good"), filepath.Join(t.TempDir(), "good.tar.gz")
	mustZone(t, data, "gateway", "backup", good, "--passphrase-file", word)
	mustZone(t, data, "gateway", "backup", file, "--passphrase-file", word)
	export, err := filepath.Glob(filepath.Join(good, "exports", "*"))
	if err != nil || len(export) != 1 {
		t.Fatalf("%v %v", export, err)
	}
	rows, state, sealed := "projects/localdev/data.duckdb", "state.db", "secret.key.age"
	gone := func(name string) func(string) error {
		return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
	}
	at := func(name string, harm func(string) error) func(string) error {
		return func(dir string) error { return harm(filepath.Join(dir, name)) }
	}
	summed := func(harm func(string) error) func(string) error {
		return func(dir string) error { return errors.Join(harm(dir), resum(dir)) }
	}
	rewrite := func(name, old, with string) func(string) error {
		return func(dir string) error {
			raw, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			text := strings.Replace(string(raw), old, with, 1)
			return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
		}
	}
	whole := func(string) string { return file }
	for _, c := range []struct {
		name  string
		path  func(dir string) string // of the archive, nil for the directory
		harm  func(path string) error
		says  string
		about string // the name of the file that verify names, "" for an archive that is not read at all
	}{
		{"flipped rows", nil, at(rows, flip(300_000)), "checksum", rows},
		{"flipped state", nil, at(state, flip(5000)), "checksum", state},
		{"flipped key", nil, at(sealed, flip(20)), "checksum", sealed},
		{"short rows", nil, at(rows, cut(400_000)), "checksum", rows},
		{"no rows", nil, gone(rows), "is missing", rows},
		{"no state", nil, gone(state), "is missing", state},
		{"no key", nil, gone(sealed), "is missing", sealed},
		{"no export", nil, gone("exports/" + filepath.Base(export[0])), "is missing",
			"exports/" + filepath.Base(export[0])},
		{"a file more", nil, at("projects/other", func(path string) error {
			return os.WriteFile(path, []byte("x"), 0o600)
		}), "added later", "projects/other"},
		{"another moment", nil, rewrite(archive.ManifestName, `"moment": "2`, `"moment": "3`), "checksum",
			archive.ManifestName},
		{"no manifest", nil, gone(archive.ManifestName), "is missing", archive.ManifestName},
		{"no checksums", nil, gone(archive.SumsName), "not complete", archive.SumsName},
		{"half a line of checksums", nil, at(archive.SumsName, cut(100)), "not a checksum", archive.SumsName},
		{"rows damaged before", nil, summed(at(rows, flipRows)), "is damaged", "default (localdev)"},
		{"rows lost before", nil, summed(at(rows, cut(0))), "is empty", "default (localdev)"},
		{"state damaged before", nil, summed(at(state, flip(8))), "damaged", "state.db"},
		{"newer form", nil, summed(rewrite(archive.ManifestName, `"version": 1`, `"version": 9`)), "form 9", ""},
		{"newer state", nil, summed(rewrite(archive.ManifestName, `"schema": `, `"schema": 9`)), "schema 9", ""},
		{"other program", nil, summed(rewrite(archive.ManifestName, archive.Form, "other")), "not an archive", ""},
		{"half a file", whole, cut(60_000), "cannot be read", "*"},
		{"flipped file", whole, flip(50_000), "", "*"},
		{"empty file", whole, cut(0), "not an archive", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "backup")
			if err := os.CopyFS(path, os.DirFS(good)); err != nil {
				t.Fatal(err)
			}
			if c.path != nil {
				path += ".tar.gz"
				raw, err := os.ReadFile(c.path(path))
				if err == nil {
					err = os.WriteFile(path, raw, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := c.harm(path); err != nil {
				t.Fatal(err)
			}
			code, out, errs := runDig(t, nil, "gateway", "verify", path, "-o", "json", "--passphrase-file", word)
			var found []zone.Finding
			if c.about == "" {
				if c.name != "newer state" && (code != exitcode.Failed || !strings.Contains(errs, c.says)) {
					t.Errorf("verify: exit %d: %s%s", code, out, errs)
				}
			} else if err := json.Unmarshal([]byte(out), &found); err != nil || code != exitcode.Job {
				t.Errorf("verify: exit %d: %v %s%s", code, err, out, errs)
			} else if !slices.ContainsFunc(found, func(f zone.Finding) bool {
				return f.Status == zone.StatusDamaged && strings.Contains(f.Problem, c.says) && f.Remedy != "" &&
					(c.about == "*" || f.Name == c.about)
			}) {
				t.Errorf("verify: %+v", found)
			}
			into := filepath.Join(t.TempDir(), "data")
			code, _, errs = runDig(t, map[string]string{"DIG_DATA_DIR": into}, "gateway", "restore", path,
				"--passphrase-file", word)
			if c.name == "rows damaged before" { // all blocks are read by verify only
				return
			}
			if code != exitcode.Failed || !strings.Contains(errs, c.says) {
				t.Errorf("restore: exit %d: %s", code, errs)
			}
			if left, err := os.ReadDir(into); err != nil || len(left) > 1 {
				t.Errorf("restore has left %v, %v", left, err)
			}
		})
	}
	into := filepath.Join(t.TempDir(), "data")
	mustZone(t, into, "gateway", "restore", file, "--passphrase-file", word)
	if got := mustZone(t, into, "sql", "-o", "csv", "--no-header", "SELECT count(*), sum(n) FROM numbers"); got !=
		"20000,199990000\n" {
		t.Errorf("restored: %s", got)
	}
}

// TestEarlierZonesAreBackedUp: data directories of earlier versions are upgraded by a backup, and restored elsewhere.
func TestEarlierZonesAreBackedUp(t *testing.T) {
	needLocal(t)
	for _, name := range []string{"e9aa4bb", "287868a"} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			data, into := filepath.Join(home, "data"), filepath.Join(home, "into")
			file := filepath.Join(home, "zone.tar")
			untar(t, filepath.Join("..", "pkg", "gateway", "testdata", "earlier", name+".tar.gz"), data)
			mustZone(t, data, "gateway", "backup", file)
			mustZone(t, into, "gateway", "restore", file)
			mustZone(t, into, "gateway", "verify")
			const all = `SELECT * FROM peaka."table".people ORDER BY 1`
			rows := []string{"sql", all, "-o", "csv"}
			if was, got := mustZone(t, data, rows...), mustZone(t, into, rows...); got != was ||
				!strings.Contains(got, "bob") {
				t.Errorf("restored:\n%s\nwas:\n%s", got, was)
			}
			list := []string{"query", "list", "-o", "json"}
			if was, got := mustZone(t, data, list...), mustZone(t, into, list...); got != was {
				t.Errorf("restored:\n%s\nwas:\n%s", got, was)
			}
		})
	}
}

// untar unpacks a tar.gz into a new directory.
func untar(t *testing.T, path, dir string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(to, 0o700)
		} else {
			raw, rerr := io.ReadAll(r)
			err = errors.Join(rerr, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, raw, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
