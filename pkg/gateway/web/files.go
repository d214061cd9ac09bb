package web

import (
	"context"

	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// FilesOf returns the files that the statement of a request from this process may read.
func FilesOf(ctx context.Context) (f zone.Files, ok bool) {
	source, _ := ctx.Value(SourceKey{}).(string)
	f, ok = zone.FilesOf(ctx)
	return f, ok && source == SourceProcess
}
