package cmd

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFileFaults: each fault of a file names it as it is typed, and exits with 1, by FROM and by an import. No name of
// the gateway is in it.
func TestFileFaults(t *testing.T) {
	needLocal(t)
	own := filepath.Join("testdata", "files")
	cut := func(name string, from, to int) string {
		t.Helper()
		raw, err := os.ReadFile(filepath.Join(own, name))
		if err != nil {
			t.Fatal(err)
		}
		if to <= 0 {
			to += len(raw)
		}
		return string(raw[from:to])
	}
	// a byte in the middle of the data of a file is another one
	flip := func(name string, at int) string {
		raw := []byte(cut(name, 0, 0))
		raw[at] ^= 0xff
		return string(raw)
	}
	dir, home := t.TempDir(), t.TempDir()
	env := map[string]string{"HOME": home, "DIG_CONFIG_DIR": home, "DIG_STATE_DIR": home,
		"DIG_DATA_DIR": filepath.Join(home, "data")}
	for name, c := range map[string]struct{ text, want string }{
		"empty.csv":        {"", "the file is empty"},
		"short.csv":        {"a,b\n1\n", "line 2"},
		"quote.csv":        {"a,b\n\"1", "line 2"},
		"latin.csv":        {"a\n\xff\n", "line 2"},
		"twice.json":       {`{"a":1,"a":2}`, `record 1 has the member "a" twice`},
		"cut.json":         {`[{"a":1}`, "record 2"},
		"list.json":        {`[1]`, "record 1 is not an object"},
		"bare.json":        {"{}\n{}\n", "2 records without members"},
		"short.parquet":    {"PAR1", "too short for a Parquet file"},
		"cut.parquet":      {cut("kinds.parquet", 0, -100), ""},
		"headless.parquet": {"PAR1" + cut("kinds.parquet", 400, 0), "column"},
		"flipped.parquet":  {flip("kinds.parquet", 60), "column"},
		"short.xlsx":       {"PK\x03\x04", "list of parts"},
		"cut.xlsx":         {cut("numbers.xlsx", 0, -100), "list of parts"},
		"flipped.xlsx":     {flip("numbers.xlsx", 2200), "of the workbook"},
		"cut.csv.gz":       {"\x1f\x8b\x08\x00", "gzip"},
		"damaged.csv.zst":  {"\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff", "zstd"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"sql", "SELECT * FROM '" + path + "'"},
			{"sql", "SELECT count(*) FROM '" + path + "' WHERE 1 = 2"}, {"table", "import", "t", path, "--create"}} {
			code, out, errs := runDig(t, env, args...)
			said := unescaped(errs)
			if args[0] == "sql" && strings.Contains(args[1], "count") && code == 0 {
				continue // only the values are damaged, and none is needed
			}
			if code != 1 || !strings.Contains(said, path+": ") || !strings.Contains(said, c.want) {
				t.Errorf("%q: exit %d, want 1 and %q: %s%s", args, code, c.want, out, errs)
			}
			for _, internal := range []string{"file:", "~", hex.EncodeToString([]byte(path)),
				"index out of range", "slice bounds", "invalid memory"} {
				if strings.Contains(said, internal) {
					t.Errorf("%q: %q in %s", args, internal, errs)
				}
			}
		}
	}
}
