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

	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// verifyExports compares the files of exports with the exports.
func (g *Gateway) verifyExports(ctx context.Context) (all []zone.Finding, err error) {
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
