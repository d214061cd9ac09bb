//go:build cgo

package duckdb

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
)

// TestCompactWhileIdle: a served gateway asks for nothing, and files get shorter.
func TestCompactWhileIdle(t *testing.T) {
	told := make(chan engine.Compaction, 1)
	e := testEngine(t, t.TempDir(), func(o *engine.Options) {
		o.IdleClose, o.CompactFree = 20*time.Millisecond, 1<<20
		o.Compacted = func(id string, c engine.Compaction, err error) {
			if id != "prjA" || err != nil {
				t.Errorf("%s: %v", id, err)
			}
			told <- c
		}
	})
	p := testProject(t, e, "prjA")
	waste(t, p)
	c := <-told
	if n, err := fileSize(p.files.Dir); err != nil || n != c.After || c.Before-c.After < 1<<20 {
		t.Errorf("%d bytes, told were %v, %v", n, c, err)
	}
	if got := one(t, p, `SELECT count(*) FROM "~data"."table".behind`); got != "50000" {
		t.Errorf("got %s", got)
	}
	closed := func(p *project) {
		for !p.files.Closed() && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
	}
	closed(p) // once more, with nothing to give back
	e.files.Opts.CompactFree = 1 << 40
	waste(t, p)
	closed(p) // with less than that
	select {
	case c := <-told:
		t.Errorf("told of %v", c)
	default:
	}
}

// found reports whether a path is there.
func found(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// fileSize is the size of a project's file and its log.
func fileSize(dir string) (n int64, err error) {
	for _, name := range []string{sharing.DataFile, sharing.DataFile + ".wal"} {
		st, err := os.Stat(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return 0, err
		default:
			n += st.Size()
		}
	}
	return n, nil
}
