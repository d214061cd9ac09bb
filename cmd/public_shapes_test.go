package cmd

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// publicShapes are public files that are written in another way than most, with the flags that read them, and what
// Go's reader is told: the lines to skip, and the delimiter.
var publicShapes = map[string]struct {
	flags []string
	skip  int
	comma rune
}{
	"breast_cancer.csv":          {[]string{"--skip", "1", "--header-row", "none"}, 1, ','},
	"wine_data.csv":              {[]string{"--skip", "1", "--header-row", "none"}, 1, ','},
	"unemp.csv":                  {[]string{"--header-row", "11"}, 10, ','},
	"scotland_population.csv":    {[]string{"--header-row", "18"}, 17, ','},
	"dietox.csv":                 {[]string{"--skip", "1", "--header-row", "none"}, 1, ','},
	"anes96.csv":                 {nil, 0, '\t'},
	"modechoice.csv":             {nil, 0, ';'},
	"seattle-weather-hourly.csv": {nil, 0, ','},
}

// TestPublicShapes compares each CSV and TSV file below DIG_TEST_PUBLIC_SHAPES, as dig reads it, with what Go's
// encoding/csv reads. `make public-files` downloads the files: those of npm's vega-datasets and of statsmodels and
// scikit-learn on PyPI.
func TestPublicShapes(t *testing.T) {
	dir := os.Getenv("DIG_TEST_PUBLIC_SHAPES")
	if dir == "" {
		t.Skip("DIG_TEST_PUBLIC_SHAPES is not set: make public-files downloads the files and sets it")
	}
	needLocal(t)
	home := t.TempDir()
	env := map[string]string{"HOME": home, "DIG_CONFIG_DIR": home, "DIG_STATE_DIR": home,
		"DIG_DATA_DIR": filepath.Join(home, "data")}
	equal, values := 0, 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		ext := filepath.Ext(path)
		if err != nil || e.IsDir() || ext != ".csv" && ext != ".tsv" {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil || len(raw) > 2<<20 {
			return err
		}
		how, comma := publicShapes[filepath.Base(path)], ','
		if how.comma != 0 {
			comma = how.comma
		} else if ext == ".tsv" {
			comma = '\t'
		}
		if !bytes.Contains(raw, []byte{'\n'}) { // lines end with carriage returns, which Go does not know
			raw = bytes.ReplaceAll(raw, []byte{'\r'}, []byte{'\n'})
		}
		for range how.skip {
			raw = raw[bytes.IndexByte(raw, '\n')+1:]
		}
		r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))))
		r.Comma = comma
		want, err := r.ReadAll()
		if err != nil || len(want) > 0 && len(want[0]) > 16384 {
			return nil // Go refuses it, or has other limits
		}
		if len(how.flags) == 0 || how.flags[len(how.flags)-1] != "none" {
			want = want[1:]
		}
		code, out, errs := runDig(t, env, append([]string{"sql", path, "-o", "csv", "--no-header"}, how.flags...)...)
		got, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if code != 0 || err != nil || len(got) != len(want) {
			t.Errorf("%s: exit %d, %d rows, want %d: %v %s", path, code, len(got), len(want), err, errs)
			return nil
		}
		same := true
		for i, row := range want {
			for k, v := range row {
				if values++; k >= len(got[i]) || !samePublic(got[i][k], v) {
					t.Errorf("%s, row %d, value %d: %q, want %q", path, i+1, k+1, got[i], row)
					same = false
					break
				}
			}
			if !same {
				return nil
			}
		}
		equal++
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	t.Logf("%d files with %d values are equal", equal, values)
	if equal < 150 {
		t.Errorf("%d files are equal, want 150", equal)
	}
}

// samePublic compares numbers by their value, times without zeros at their end, booleans without case.
func samePublic(got, want string) bool {
	if got == want || strings.EqualFold(got, want) && (got == "true" || got == "false") {
		return true
	}
	a, ok1 := new(big.Rat).SetString(got)
	b, ok2 := new(big.Rat).SetString(want)
	if ok1 && ok2 {
		x, _ := a.Float64()
		y, _ := b.Float64()
		return a.Cmp(b) == 0 || x == y
	}
	plain := strings.TrimSuffix(strings.Replace(want, "T", " ", 1), "Z")
	rest, ok := strings.CutPrefix(got, plain)
	return ok && len(plain) >= 16 && strings.Trim(rest, ":.0") == ""
}
