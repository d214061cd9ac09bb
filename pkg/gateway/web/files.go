package web

import (
	"context"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// FilesOf returns the files that the statement of a request from this process may read.
func FilesOf(ctx context.Context) (f zone.Files, ok bool) {
	source, _ := ctx.Value(SourceKey{}).(string)
	f, ok = zone.FilesOf(ctx)
	return f, ok && source == SourceProcess
}

// DocumentOf returns the document that a request from this process imports; nil if it is in the body of the request.
func DocumentOf(ctx context.Context) csv.Document {
	if source, _ := ctx.Value(SourceKey{}).(string); source != SourceProcess {
		return nil
	}
	if d := zone.DocumentOf(ctx); d != nil {
		return d
	}
	return nil
}
