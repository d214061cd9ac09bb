//go:build cgo && !unix

package duckdb

type stops struct{}

func (*stops) hold() (release func()) { return func() {} }
