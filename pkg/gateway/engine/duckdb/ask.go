//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/merge"
)

// Merge implements engine.Merger.
func (p *project) Merge(ctx context.Context, m engine.Merge) (engine.Merged, bool, error) {
	return merge.Merge(ctx, p, m)
}

// DropScratch implements engine.Merger.
func (p *project) DropScratch(ctx context.Context, schema, into string) error {
	var all error
	for _, table := range merge.Scratch(into) {
		if err := p.DropStored(ctx, schema, table); err != nil {
			all = errors.Join(all, fmt.Errorf("table %s: %w", table, err))
		}
	}
	return all
}

// Compare implements engine.Merger.
func (p *project) Compare(ctx context.Context, c engine.Comparison) (engine.Changes, error) {
	return merge.Compare(ctx, p, c)
}

// CheckKey implements engine.Merger.
func (p *project) CheckKey(ctx context.Context, schema, table string, key []string) error {
	return merge.CheckKey(ctx, p, schema, table, key)
}
