package store

import (
	"testing"
	"time"
)

// TestClaimTidying: a project is compacted once in an interval, whichever gateway asks.
func TestClaimTidying(t *testing.T) {
	onBoth(t, func(t *testing.T, open func() *Store) { claimTidying(t, open()) })
}

func claimTidying(t *testing.T, s *Store) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, step := range []struct {
		project string
		after   time.Duration
		mine    bool
	}{{"a", 0, true}, {"a", 0, false}, {"b", 0, true}, {"a", 23 * time.Hour, false}, {"a", 25 * time.Hour, true},
		{"a", 26 * time.Hour, false}} {
		at := now.Add(step.after)
		if mine, err := s.ClaimTidying(t.Context(), step.project, at, at.Add(-24*time.Hour)); mine != step.mine ||
			err != nil {
			t.Errorf("%s after %v: %v, %v", step.project, step.after, mine, err)
		}
	}
}
