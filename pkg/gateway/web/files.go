package web

import "context"

type filesKey struct{}

// WithFiles allows the statement of a request to read files of this machine that it names by paths relative to dir. Only a caller in
// this process can set it, because the context of a request does not leave its process.
func WithFiles(ctx context.Context, dir string) context.Context {
	return context.WithValue(ctx, filesKey{}, dir)
}

// FilesOf returns the directory of WithFiles, for a request from this process.
func FilesOf(ctx context.Context) (dir string, ok bool) {
	source, _ := ctx.Value(SourceKey{}).(string)
	dir, ok = ctx.Value(filesKey{}).(string)
	return dir, ok && source == SourceProcess
}
