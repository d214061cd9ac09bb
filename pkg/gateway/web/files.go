package web

import "context"

type filesKey struct{}

// WithFiles lets the statement of a request read files of this machine that it names, in paths relative to dir. The context
// of a request stays in its process: no other caller can say so.
func WithFiles(ctx context.Context, dir string) context.Context {
	return context.WithValue(ctx, filesKey{}, dir)
}

// FilesOf returns the directory of WithFiles, for a request from this process.
func FilesOf(ctx context.Context) (dir string, ok bool) {
	source, _ := ctx.Value(SourceKey{}).(string)
	dir, ok = ctx.Value(filesKey{}).(string)
	return dir, ok && source == SourceProcess
}
