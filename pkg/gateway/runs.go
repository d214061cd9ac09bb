package gateway

import (
	"context"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/schedule"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// LateRun is a run that a schedule should have started a while ago: while no gateway served, because too many others
// run, or because the last one has ended with its process.
type LateRun struct{ Kind, Project, Object, Name, Due string }

// LateRuns lists the runs that are late.
func (g *Gateway) LateRuns(ctx context.Context, now time.Time) ([]LateRun, error) {
	before := now.Add(-schedule.Overdue)
	queries, err := g.Store.Due(ctx, before)
	if err != nil {
		return nil, err
	}
	var out []LateRun
	for _, q := range queries {
		out = append(out, LateRun{jobs.JobMaterialized, q.ProjectID, q.ID, q.Name, *q.Materialized.Schedule.Next})
	}
	caches, err := g.Store.DueCaches(ctx, before)
	for _, c := range caches {
		out = append(out, LateRun{jobs.JobCache, c.ProjectID, c.ID, c.SchemaName + "." + c.TableName, *c.Due()})
	}
	return out, err
}

// tellLate is a duty that logs each run that is late, once.
func (g *Gateway) tellLate() jobs.Duty {
	told := map[LateRun]bool{}
	return jobs.Duty{Name: "runs that are late", Every: time.Minute, Run: func(ctx context.Context,
		now time.Time) error {
		all, err := g.LateRuns(ctx, now)
		if err != nil {
			return err
		}
		late := map[LateRun]bool{}
		for _, r := range all {
			if late[r] = true; !told[r] {
				g.log.Warn("a run is late", "kind", r.Kind, "project", r.Project, "id", r.Object, "name", r.Name, "due",
					r.Due)
			}
		}
		told = late
		return nil
	}}
}

// Watched lists the materialized queries and the caches of all projects, by kind.
func (g *Gateway) Watched(ctx context.Context) (map[string][]store.Watched, error) {
	queries, err := g.Store.WatchedQueries(ctx)
	if err != nil {
		return nil, err
	}
	caches, err := g.Store.WatchedCaches(ctx, engine.SampleCatalog)
	return map[string][]store.Watched{jobs.JobMaterialized: queries, jobs.JobCache: caches}, err
}

// Failing calls tell for each materialized query and cache whose latest run has failed, with the start of that.
func (g *Gateway) Failing(ctx context.Context, tell func(e jobs.End, since time.Time)) error {
	all, err := g.Watched(ctx)
	if err != nil {
		return err
	}
	for kind, list := range all {
		for _, w := range list {
			since, err := time.Parse(time.RFC3339, w.Started)
			if err != nil || api.JobState(w.Status) != api.StateFailed {
				continue
			}
			tell(jobs.End{Kind: kind, Project: w.Project, Object: w.ID, Name: w.Name, Status: w.Status, Reason: w.Error,
				Rows: -1}, since)
		}
	}
	return nil
}
