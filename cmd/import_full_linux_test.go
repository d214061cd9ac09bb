//go:build cgo

package cmd

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/tempfile/smalldisk"
)

// TestImportWithoutTempSpace: what has no space for temporary files names their directory and TMPDIR, not the data
// directory, and says that nothing was sent. The disk is one of a process with its own mounts.
func TestImportWithoutTempSpace(t *testing.T) {
	needLocal(t)
	if !smalldisk.Inside(t) {
		return
	}
	data, files, temp := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "temp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString("a,b\n")
	for i := range 200_000 {
		fmt.Fprintf(&text, "%d,text%d\n", i, i*7919)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(text.String())); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{"r.csv": []byte(text.String()), "r.csv.gz": packed.Bytes()} {
		if err := os.WriteFile(filepath.Join(files, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, data, "table", "create", "t", "--column", "a:bigint", "--column", "b:varchar")
	smalldisk.Mount(t, temp, "1m")
	if err := os.WriteFile(filepath.Join(temp, "fill"), make([]byte, 2<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	for _, args := range [][]string{
		{"r.csv", "--check"}, {"r.csv.gz", "--check"}, {"-", "--check"}, {"-"},
	} {
		c := process(t, data, append([]string{"table", "import", "t"}, args...)...)
		c.Dir = files
		c.Env = append(c.Env, "TMPDIR="+temp)
		c.Stdin = strings.NewReader(text.String()) // a pipe
		var errs bytes.Buffer
		c.Stderr = &errs
		out, _ := c.Output()
		code, said := c.ProcessState.ExitCode(), errs.String()
		if code != exitcode.Failed || len(out) > 0 || strings.Contains(said, data) ||
			!strings.Contains(said, "no space is left for temporary files in "+temp) ||
			!strings.Contains(said, "set TMPDIR to another directory; nothing was sent") {
			t.Errorf("%v: exit %d: %s%s", args, code, out, said)
		}
	}
	if got := count(t, data, "t"); got != 0 {
		t.Errorf("%d rows are stored", got)
	}
}
