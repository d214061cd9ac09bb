//go:build cgo

package process

import (
	"context"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	_ "github.com/duckdb/duckdb-go-bindings" // DuckDB, whose allocator is bounded
)

type deafWarden struct{}

func (deafWarden) Admit(string, string) error     { return nil }
func (deafWarden) Stuck(string, []engine.Running) {}

// TestStuckForItsMemory: a statement that was ended for its memory and does not end is reported with that cause, also
// where the process stays below the hard limit.
func TestStuckForItsMemory(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name, says string
		x          *watched
		ctx        context.Context
	}{
		{"memory", "used 9 MiB of memory, more than the limit of the process of 7 MiB, and still ran",
			&watched{killed: true, used: "9 MiB of memory, more than the limit of the process of 7 MiB"}, t.Context()},
		{"cancelled", "still ran 50ms after it was cancelled", &watched{sql: "SELECT 1"}, ended},
		{"running", "", &watched{}, t.Context()},
		{"change", "", &watched{}, ended},
	} {
		w := NewWatch(&engine.Options{MemoryLimit: 1 << 40, Warden: deafWarden{}, Overrun: memoryLook})
		c.x.c, c.x.ctx = &Client{Kill: func(error) {}}, c.ctx
		w.running[c.x] = struct{}{}
		why, stuck := w.look()
		if (len(stuck) == 1) != (c.says != "") || len(stuck) == 1 && !strings.HasPrefix(why, c.says) {
			t.Errorf("%s: %d stuck: %s", c.name, len(stuck), why)
		}
	}
}

// TestGreediest: the statement during which the process has grown is ended, alone, and the next one only if that is not
// enough.
func TestGreediest(t *testing.T) {
	w := NewWatch(&engine.Options{MemoryLimit: 1 << 40})
	w.Instances.Store(1)
	bound := w.bound()
	before, large, small := &watched{}, &watched{}, &watched{}
	w.running[before] = struct{}{}
	grow := func(n int64) *watched { return w.greediest(w.share(w.before + n)) }
	w.before = bound - 10*greedy
	grow(2 * greedy)
	w.running[large] = struct{}{}
	grow(4 * greedy)
	w.running[small] = struct{}{}
	if x := grow(greedy); x != nil || small.grown >= greedy {
		t.Fatalf("ended below the limit, or %d is the share of the last", small.grown)
	}
	delete(w.running, before)
	w.before = bound
	if x := w.greediest(bound + 1); x != large {
		t.Fatalf("%p is ended, not %p", x, large)
	}
	large.killed, w.killedAt, w.wait = true, bound+1, killLooks
	for range 3 * killLooks {
		if x := w.greediest(bound + 1); x != nil {
			t.Fatal("one that took little is ended")
		}
	}
	w.wait, small.grown = killLooks, greedy
	if x := w.greediest(bound + 1); x != nil {
		t.Fatal("the ended one has no time")
	}
	if x := w.greediest(bound + 1 + hardSlack/4); x != small {
		t.Fatal("the process grows on, and nothing is ended")
	}
}
