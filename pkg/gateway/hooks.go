package gateway

import (
	"context"
	"io"
	"net/http"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/spec"
)

// hooks are where the faults and quirks that a served gateway shows on purpose hang. A hook that is nil changes nothing.
type hooks struct {
	route    func(op spec.Op, next http.HandlerFunc) http.HandlerFunc // around the handler of an operation
	download func(next http.HandlerFunc) http.HandlerFunc             // around that of the files of exports
	job      func(ctx context.Context, kind string) bool              // before background work; true: it is not done
	refresh  func(ctx context.Context, table string) bool             // before the refresh of a cache; true: it is not done
	export   func(rows int64) error                                   // after an export is written; an error fails it
	document func(src io.Reader, req *api.ImportRequest) io.Reader    // before a document is imported
	scan     func(context.Context, scanOf) (engine.Scanner, error)    // what a statement reads of a table that is not cached
}

// scanOf is a table of a source that a statement reads and that is not cached.
type scanOf struct {
	Project   string
	Catalog   string // its id
	Name      engine.TableName
	Cacheable bool
	Scan      engine.Scanner
}
