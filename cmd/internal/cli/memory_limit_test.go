package cli

import "testing"

// TestMemoryFor: a small container leaves room beside the engine, a large one changes nothing.
func TestMemoryFor(t *testing.T) {
	for allowed, want := range map[int64]int64{0: 0, -1: 0, 4 << 30: 0, 1<<63 - 4096: 0, 2 << 30: 0, 1000: 600} {
		if got := MemoryFor(allowed); got != want {
			t.Errorf("%d bytes allowed: %d, want %d", allowed, got, want)
		}
	}
}
