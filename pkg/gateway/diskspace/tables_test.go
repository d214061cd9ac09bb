package diskspace_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
)

// tidier is an engine that says which projects it compacts.
type tidier struct {
	engine.Engine
	compacted []string
}

func (t *tidier) Compact(_ context.Context, id string) (engine.Compaction, error) {
	t.compacted = append(t.compacted, id)
	return engine.Compaction{}, nil
}

func (*tidier) Interval() time.Duration { return 24 * time.Hour }

// TestTidyTables: each call compacts one project, each project once in the interval.
func TestTidyTables(t *testing.T) {
	g := gatewaytest.OpenWith(t, gateway.Options{})
	all, err := g.Store.Projects(t.Context(), "")
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", all, err)
	}
	other, err := g.Store.CreateProject(t.Context(), gateway.DefaultWorkspace, "other", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	e := &tidier{}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, after := range []time.Duration{0, time.Minute, 2 * time.Minute, 23 * time.Hour, 25 * time.Hour} {
		if err := g.DiskSpace.TidyTables(t.Context(), e, now.Add(after)); err != nil {
			t.Fatal(err)
		}
		g.Jobs.Running.Wait()
	}
	if len(e.compacted) != len(all)+2 || !slices.Contains(e.compacted, other.ID) ||
		e.compacted[0] != e.compacted[len(e.compacted)-1] {
		t.Errorf("compacted %q of %d projects", e.compacted, len(all)+1)
	}
}
