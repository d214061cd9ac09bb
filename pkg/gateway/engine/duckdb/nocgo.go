//go:build !cgo

// Package duckdb implements the engine contract on embedded DuckDB. This build has no cgo and therefore no engine.
package duckdb

import "github.com/dig-cli/dig/pkg/gateway/engine"

// Available reports whether the build has an engine.
const Available = false

// Open always fails with engine.ErrNoEngine in a build without cgo.
func Open(engine.Options) (engine.Engine, error) { return nil, engine.ErrNoEngine }
