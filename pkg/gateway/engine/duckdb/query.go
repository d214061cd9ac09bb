//go:build cgo

package duckdb

import (
	"context"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

var _ engine.Project = (*project)(nil)

// Query checks, plans and starts one SELECT.
func (p *project) Query(context.Context, engine.Query) (engine.Result, error) {
	return nil, &engine.Error{Kind: engine.KindUnsupported, Message: "statements are not available in this engine"}
}

// Materialize runs a SELECT and stores its rows.
func (p *project) Materialize(context.Context, string, string, engine.Query) (int64, error) {
	return 0, &engine.Error{Kind: engine.KindUnsupported, Message: "stored results are not available in this engine"}
}
