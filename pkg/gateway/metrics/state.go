package metrics

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
)

// state are the metrics of what is stored. If the state file cannot be read, dig_state_up is 0 and they are left out.
func (m *Metrics) state(ctx context.Context) []*family {
	have, err := m.stored(ctx)
	up := 1.0
	if err != nil {
		m.Log.Error("metrics of the state cannot be read", "error", err.Error())
		have, up = nil, 0
	}
	return append(have, single("dig_state_up", gauge, "Whether the state file can be read.", up))
}

func (m *Metrics) stored(ctx context.Context) ([]*family, error) {
	objects := &family{name: "dig_jobs", kind: gauge, help: "Caches and materialized queries by the state of their " +
		"latest run, and exports by their state."}
	age := &family{name: "dig_rows_age_seconds", kind: gauge, help: "Time since the run started that has stored the " +
		"rows of a cache or a materialized query."}
	failing := &family{name: "dig_run_failing", kind: gauge, help: "Caches and materialized queries whose latest run " +
		"has failed."}
	late := &family{name: "dig_runs_late", kind: gauge, help: "Scheduled runs that have not started ten minutes " +
		"after their time."}
	now := m.Now()
	all, err := m.Gateway.Watched(ctx)
	if err != nil {
		return nil, err
	}
	for kind, list := range all {
		late.add(0, "kind", kind)
		for _, w := range list {
			state := strings.ToLower(api.JobState(w.Status))
			if state == "" {
				state = "never"
			}
			objects.add(1, "kind", kind, "state", state)
			of := []string{"kind", kind, "project", w.Project, "id", w.ID, "name", w.Name}
			if state == "failed" {
				failing.add(1, of...)
			}
			if at, err := time.Parse(time.RFC3339, w.Stored); err == nil {
				age.add(max(0, now.Sub(at).Seconds()), of...)
			}
		}
	}
	behind, err := m.Gateway.LateRuns(ctx, now)
	if err != nil {
		return nil, err
	}
	for _, r := range behind {
		late.add(1, "kind", r.Kind)
	}
	exports, err := m.Gateway.Store.TotalExports(ctx)
	if err != nil {
		return nil, err
	}
	for _, x := range exports {
		objects.add(float64(x.Number), "kind", jobs.JobExport, "state", strings.ToLower(x.Status))
	}
	return []*family{objects, age, failing, late}, nil
}

// diskEvery is how long the size of the data directory counts as known.
const diskEvery = 30 * time.Second

// disk is the size of the data directory by parts, when it was last looked at.
type disk struct {
	at    time.Time
	sizes map[string]float64
}

// diskSizes returns the sizes of the parts of the data directory. Files without names are in none of them.
func (m *Metrics) diskSizes() map[string]float64 {
	now := m.Now()
	if m.disk.sizes != nil && now.Sub(m.disk.at).Abs() < diskEvery {
		return m.disk.sizes
	}
	dir := m.Gateway.Options.Dir
	sizes := map[string]float64{"state": 0, "projects": 0, "exports": 0, "spool": 0}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // files come and go meanwhile
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		st, err := d.Info()
		if err != nil {
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return nil
		}
		sizes[part(filepath.ToSlash(rel))] += float64(st.Size())
		return nil
	})
	m.disk = disk{now, sizes}
	return sizes
}

func part(rel string) string {
	folder, rest, below := strings.Cut(rel, "/")
	switch {
	case !below:
		return "state"
	case folder == "projects" && strings.Count(rest, "/") > 1, strings.Contains(rest, ".tmp"):
		return "spool"
	case folder == "projects", folder == "exports":
		return folder
	}
	return "state"
}
