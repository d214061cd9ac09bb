//go:build cgo

package duckdb

import "sync"

// nameSpace remembers what was made in the in-memory catalogs of an instance: catalogs, schemas and views by definition.
type nameSpace struct {
	mu       sync.Mutex
	catalogs map[string]bool   // lower-case name
	schemas  map[string]bool   // quoted catalog.schema, lower case
	views    map[string]string // quoted name, lower case: its definition
}

func (n *nameSpace) init() {
	n.catalogs = map[string]bool{}
	n.schemas = map[string]bool{}
	n.views = map[string]string{}
}
