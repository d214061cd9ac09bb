package names

import "github.com/dig-cli/dig/pkg/gateway/engine"

// ScanOf is a table of a source that a statement reads and that is not cached.
type ScanOf struct {
	Project   string
	Catalog   string // its id
	Name      engine.TableName
	Cacheable bool
	Scan      engine.Scanner
}
