//go:build cgo

package duckdb

import (
	"context"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

type deafWarden struct{}

func (deafWarden) Admit(string, string) error     { return nil }
func (deafWarden) Stuck(string, []engine.Running) {}

// TestStuckForItsMemory: a statement that was ended for its memory and does not end is reported with that cause, also where the process
// stays below the hard limit.
func TestStuckForItsMemory(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name, says string
		x          *watched
		ctx        context.Context
	}{
		{"memory", "used 9 MiB of memory, more than the limit of the process of 7 MiB, and still ran", &watched{killed: true, used: 9 << 20, limit: 7 << 20}, t.Context()},
		{"cancelled", "still ran 50ms after it was cancelled", &watched{}, ended},
		{"running", "", &watched{}, t.Context()},
	} {
		w := newMemoryWatch(&engine.Options{MemoryLimit: 1 << 40, Warden: deafWarden{}, Overrun: memoryLook})
		c.x.c, c.x.ctx = &conn{p: &project{}}, c.ctx
		w.running[c.x] = struct{}{}
		why, stuck := w.look()
		if (len(stuck) == 1) != (c.says != "") || len(stuck) == 1 && !strings.HasPrefix(why, c.says) {
			t.Errorf("%s: %d stuck: %s", c.name, len(stuck), why)
		}
	}
}
