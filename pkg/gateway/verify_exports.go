package gateway

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/exports/files"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// verifyExports compares the files of exports with the exports.
func (g *Gateway) verifyExports(ctx context.Context) (all []zone.Finding, err error) {
	if objects, ok := g.files.(*files.Objects); ok {
		return g.verifyObjects(ctx, objects)
	}
	dir := filepath.Join(g.Options.shared(), "exports")
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return nil, err
	}
	there := map[string]bool{}
	for _, f := range files {
		there[f.Name()] = true
	}
	live, err := g.Store.LiveExports(ctx) // after the files: one that is left over has no export then
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(live)) {
		if !live[id] || there[id] { // it has not ended
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, id)); errors.Is(err, fs.ErrNotExist) {
			all = append(all, zone.Finding{Part: "export", Name: id, Status: zone.StatusDamaged,
				Problem: "the file of the export does not exist: " + filepath.Join(dir, id), Remedy: "export it again"})
		}
	}
	for _, f := range files {
		if _, known := live[f.Name()]; !known && f.Type().IsRegular() && filepath.Ext(f.Name()) == "" {
			all = append(all, zone.Finding{Part: "export", Name: f.Name(), Status: zone.StatusLeftover,
				Problem: "no export has this file: " + filepath.Join(dir, f.Name()),
				Remedy:  "the next export removes it"})
		}
	}
	return all, nil
}

// verifyObjects is verifyExports for a bucket. What has no export there goes with the next sweep.
func (g *Gateway) verifyObjects(ctx context.Context, objects *files.Objects) (all []zone.Finding, err error) {
	live, err := g.Store.LiveExports(ctx)
	if err != nil || len(live) == 0 {
		return nil, err
	}
	there, err := objects.List(ctx) // after the exports: an object is there before its export has ended
	if err != nil {
		return nil, err
	}
	now, err := g.Store.LiveExports(ctx) // without those that have expired meanwhile
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(live)) {
		if live[id] && now[id] && !there[id] {
			all = append(all, zone.Finding{Part: "export", Name: id, Status: zone.StatusDamaged,
				Problem: "the object of the export does not exist in " + g.Options.Bucket.String(),
				Remedy:  "export it again"})
		}
	}
	return all, nil
}

// verifyResults checks the data of a project, and with rows that it has what the caches and queries refer to.
func (g *Gateway) verifyResults(ctx context.Context, checker engine.Checker, p store.Project,
	rows bool) (lost []zone.Finding, err error) {
	var want []engine.TableName
	var owners map[string]string
	if rows { // the references first: rows are stored before they are referred to
		var all []store.Result
		if all, owners, err = g.Store.CurrentResults(ctx, p.ID); err != nil {
			return nil, err
		}
		want = each.Map(all, func(r store.Result) engine.TableName {
			return engine.TableName{Schema: r.Kind, Table: r.ID}
		})
	}
	missing, err := checker.Check(ctx, p.ID, rows, want...)
	if err != nil {
		return nil, err
	}
	for _, n := range missing {
		if current, err := g.Store.IsCurrent(ctx, n.Table); err != nil {
			return nil, err
		} else if !current { // replaced meanwhile
			continue
		}
		f := zone.Finding{Part: "cache", Name: owners[n.Table] + " (" + p.Name + ")", Status: zone.StatusDamaged,
			Problem: "its stored rows are not in the data file of the project, which may be an older one",
			Remedy:  "`dig cache refresh` stores them again"}
		if n.Schema == store.ResultOfQuery {
			f.Part, f.Remedy = "query", "`dig materialized refresh` stores them again"
		}
		lost = append(lost, f)
	}
	return lost, nil
}
