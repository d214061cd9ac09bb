package gateway

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/gateway/damage"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// Verify examines a data directory without changing it, also while other processes use it.
func Verify(ctx context.Context, o Options, depth zone.Depth) ([]zone.Finding, error) {
	o.ReadOnly = true
	g, err := Open(o)
	if err != nil {
		var lost *damage.Error
		if errors.As(err, &lost) {
			return []zone.Finding{found("state", filepath.Join(o.Dir, "state.db"), err)}, nil
		}
		return nil, err
	}
	found, err := g.verify(ctx, depth)
	return found, errors.Join(err, g.Close())
}

func (g *Gateway) verify(ctx context.Context, depth zone.Depth) ([]zone.Finding, error) {
	var state error
	if depth > zone.Look {
		state = g.Store.Check(ctx)
	}
	all := []zone.Finding{found("state", g.Store.Place(), state)}
	if state != nil {
		return all, nil
	}
	keyed := g.Sources.Vault.Check()
	all = append(all, found("secret.key", filepath.Join(g.Options.shared(), "secret.key"), keyed))
	if keyed == nil && depth == zone.Rows {
		lost, err := g.Sources.Vault.Unopened(ctx)
		if err != nil {
			return nil, err
		}
		for _, c := range lost {
			all = append(all, found("connection", c.Name+" ("+c.ID+")", sources.Unreadable))
		}
	}
	projects, err := g.Store.Projects(ctx, "")
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	checker, ok := g.Engine.(engine.Checker)
	for _, p := range projects {
		if known[p.ID] = true; !ok {
			continue
		}
		var lost []zone.Finding
		if depth == zone.Look {
			err = checker.Look(ctx, p.ID)
		} else if lost, err = g.verifyResults(ctx, checker, p, depth == zone.Rows); err != nil {
			lost = nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		f := found("project", p.Name+" ("+p.ID+")", err)
		if depth > zone.Look {
			if f.Users, err = checker.Users(p.ID); err != nil {
				return nil, err
			}
		}
		all = append(append(all, f), lost...)
	}
	files, err := g.verifyExports(ctx)
	if err != nil {
		return nil, err
	}
	all = append(all, files...)
	dirs, err := os.ReadDir(filepath.Join(g.Options.Dir, "projects"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		err = nil
	}
	for _, d := range dirs {
		if !known[d.Name()] {
			all = append(all, zone.Finding{Part: "project", Name: d.Name(), Status: zone.StatusLeftover,
				Problem: "no project has this id: " + filepath.Join(g.Options.Dir, "projects", d.Name()),
				Remedy:  "remove it if its rows are not needed"})
		}
	}
	return all, err
}

// found is the finding for the error of a check.
func found(part, name string, err error) zone.Finding {
	if err == nil {
		return zone.Finding{Part: part, Name: name, Status: zone.StatusOK}
	}
	f := fault.Of(err)
	return zone.Finding{Part: part, Name: name, Status: zone.StatusDamaged, Problem: f.Message, Remedy: f.Hint}
}

// tellDamage logs what a served gateway cannot read. It serves everything else.
func (g *Gateway) tellDamage(ctx context.Context) {
	all, err := g.verify(ctx, zone.Look)
	if err != nil {
		g.log.Error("cannot verify the data directory", "error", err)
	}
	for _, f := range all {
		if f.Status == zone.StatusDamaged {
			g.log.Error("the data directory is damaged", "part", f.Part, "name", f.Name, "problem", f.Problem, "remedy",
				f.Remedy)
		}
	}
}

// RenewKey replaces the key of the sealed credentials, which cannot be opened any more.
func RenewKey(dir string, now func() time.Time) error {
	if err := unserved(dir); err != nil {
		return err
	}
	st, err := store.Open(dir, now)
	if err != nil {
		return err
	}
	return errors.Join(sources.NewVault(dir, st).Renew(), st.Close())
}

// SettleKey gives a restored data directory that is without the key of its credentials that of the former directory, if
// it is theirs, else a new one. It lists the connections whose credentials cannot be opened any more.
func SettleKey(ctx context.Context, dir, former string, now func() time.Time) (kept bool, names []string, err error) {
	st, err := store.Open(dir, now)
	if err != nil {
		return false, nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	was := sources.NewVault(former, st)
	lost, err := was.Unopened(ctx)
	var unfit *damage.Error
	if err == nil {
		kept, err = was.CopyTo(dir)
	} else if errors.As(err, &unfit) {
		if lost, err = st.SealedCredentials(ctx); err == nil {
			err = sources.NewVault(dir, st).Renew()
		}
	}
	return kept, each.Map(lost, func(c store.Sealed) string { return c.Name }), err
}
