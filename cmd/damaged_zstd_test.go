package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// panickingFrame is a frame of Zstandard with two blocks whose Huffman weights have a table log of 15. The decompressor
// panicked at the second: the only count of its table overflows 16 bits (GO-2026-6865).
func panickingFrame() []byte {
	first := slices.Concat([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38, 0x74, 0x06, 0x00, 0x42, 0xb8, 0x32, 0x0d, 0x1a,
		0x00, 0x00, 0x00, 0x90, 0xaf, 0xfa, 0xff, 0x03, 0x00, 0x80, 0xff, 0x7f},
		bytes.Repeat([]byte{0xa5, 0x94, 0x52, 0x4a, 0x29}, 37), []byte{0xa5, 0x94, 0x12})
	return slices.Concat(first,
		[]byte{0x00, 0xad, 0x56, 0x03, 0xee, 0xff, 0xdf, 0xb3, 0x1a, 0x1c, 0x1a, 0x00, 0xe0, 0xff, 0x1f, 0x0f, 0xb1,
			0x9c, 0x5a, 0xcf, 0x4d, 0xe4, 0x1d, 0x7b, 0xab, 0x99, 0x5e, 0x01, 0x51, 0xa4, 0x73, 0xd8, 0xb1, 0xf3, 0x39,
			0x4b, 0x67, 0xf6, 0xab, 0x1a, 0xab, 0x1a, 0xab, 0x1a},
		bytes.Repeat([]byte{0x8c, 0x31, 0xc6, 0x18, 0x63}, 1365), []byte{0x8c, 0x31},
		bytes.Repeat([]byte{0x63, 0x8c, 0x31, 0xc6, 0x18}, 1365), []byte{0x63, 0x2c},
		bytes.Repeat([]byte{0x31, 0xc6, 0x18, 0x63, 0x8c}, 1365), []byte{0x31, 0x46},
		bytes.Repeat([]byte{0x31, 0xc6, 0x18, 0x63, 0x8c}, 1365), []byte{0x31, 0x06, 0x00})
}

// TestPanickingZstd: a file at which the decompressor once panicked is a damaged file to each command that reads it.
func TestPanickingZstd(t *testing.T) {
	needLocal(t)
	data, dir := t.TempDir(), t.TempDir()
	good := filepath.Join(dir, "good.csv")
	if err := os.WriteFile(good, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{"csv", "ndjson", "json", "tsv"} {
		path := filepath.Join(dir, "bad."+ending+".zst")
		if err := os.WriteFile(path, panickingFrame(), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"table", "import", "t", path, "--create", "--column", "a:bigint"}, {"table", "import", "t", path,
				"--create"}, {"table", "import", "t", path, "--check"},
			{"query", "diff", good, path, "--key", "a"}, {"query", "diff", path, good, "--key", "a"},
			{"query", "execute", "SELECT * FROM '" + path + "'"},
		} {
			c := process(t, data, args...)
			out, err := c.CombinedOutput()
			said := string(out)
			code := exitcode.Failed
			if args[1] == "diff" {
				code = exitcode.Usage // as diff(1): the sides cannot be compared
			}
			if err == nil || c.ProcessState.ExitCode() != code || !strings.Contains(said, filepath.Base(path)) ||
				!strings.Contains(said, "zstd data is damaged") || strings.Contains(said, "goroutine") {
				t.Errorf("%q: exit code %d: %s", args, c.ProcessState.ExitCode(), said)
			}
		}
	}
}
