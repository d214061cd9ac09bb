//go:build cgo

package e2e

import (
	_ "github.com/duckdb/duckdb-go/v2"
	_ "modernc.org/sqlite"
)
