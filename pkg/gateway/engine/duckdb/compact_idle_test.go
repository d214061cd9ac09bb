//go:build cgo

package duckdb

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
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
	if n, err := dataSize(p.dir); err != nil || n != c.After || c.Before-c.After < 1<<20 {
		t.Errorf("%d bytes, told were %v, %v", n, c, err)
	}
	if got := one(t, p, `SELECT count(*) FROM "~data"."table".behind`); got != "50000" {
		t.Errorf("got %s", got)
	}
	closed := func(p *project) {
		for there := true; there; time.Sleep(time.Millisecond) {
			p.mu.Lock()
			there = p.inst != nil
			p.mu.Unlock()
		}
		p.turn <- struct{}{}
		<-p.turn
	}
	closed(p) // once more, with nothing to give back
	e.opts.CompactFree = 1 << 40
	waste(t, p)
	closed(p) // with less than that
	select {
	case c := <-told:
		t.Errorf("told of %v", c)
	default:
	}
}

// TestCompactGivesWay: what nobody has asked for ends when somebody wants to use the project, what was asked for does
// not.
func TestCompactGivesWay(t *testing.T) {
	for _, yields := range []bool{true, false} {
		e := testEngine(t, t.TempDir())
		p := testProject(t, e, "prjA")
		p.closeIdle()
		ctx, cancel := context.WithCancel(t.Context())
		p.turn <- struct{}{}
		p.mu.Lock()
		p.pack = &packing{cancel: cancel, yields: yields}
		p.mu.Unlock()
		came := make(chan struct{})
		go func() {
			one(t, p, `SELECT 1`)
			close(came)
		}()
		for there := false; !there; time.Sleep(time.Millisecond) {
			p.mu.Lock()
			there = p.next != nil
			p.mu.Unlock()
		}
		if got := ctx.Err() != nil; got != yields {
			t.Errorf("yields %v: ended %v", yields, got)
		}
		p.mu.Lock()
		p.pack = nil
		p.mu.Unlock()
		<-p.turn
		<-came
		cancel()
	}
}

// found reports whether a path is there.
func found(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
