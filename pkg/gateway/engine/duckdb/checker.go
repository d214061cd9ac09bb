//go:build cgo

package duckdb

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
)

// Compact rewrites the data of a project.
func (d *duck) Compact(ctx context.Context, id string) (engine.Compaction, error) {
	if d.files.Opts.ReadOnly {
		return engine.Compaction{}, errors.New("the data is open for reading only")
	}
	p, err := d.lookup(id)
	if err != nil {
		return engine.Compaction{}, err
	}
	return p.files.Compact(ctx)
}

// Look implements engine.Checker.
func (d *duck) Look(ctx context.Context, id string) error {
	p, err := d.lookup(id)
	if err != nil {
		return err
	}
	return p.files.Look(ctx)
}

// Users implements engine.Checker.
func (d *duck) Users(id string) ([]engine.User, error) {
	p, err := d.lookup(id)
	if err != nil {
		return nil, err
	}
	return sharing.Users(p.files.Dir)
}

// Check implements engine.Checker.
func (d *duck) Check(ctx context.Context, id string, rows bool) error {
	p, err := d.lookup(id)
	if err != nil {
		return err
	}
	return p.files.Check(ctx, rows)
}
