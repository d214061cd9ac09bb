package zone

import "context"

type filesKey struct{}

// Files are the files of this machine that the statement of a request may read.
type Files struct {
	Dir  string              // that relative paths begin at
	Note func(remark string) // called with what a file has beside the rows that are read; nil for no use of it
	Off  string              // why no file may be read, "" if files may be

	Flags bool // the options of reading were given as flags of the command, by which messages name them
}

// WithFiles allows the statement of a request to read the files that it names. Only a caller in this process can set
// it, because the context of a request does not leave its process.
func WithFiles(ctx context.Context, f Files) context.Context {
	return context.WithValue(ctx, filesKey{}, f)
}

// FilesOf returns the files of WithFiles.
func FilesOf(ctx context.Context) (f Files, ok bool) {
	f, ok = ctx.Value(filesKey{}).(Files)
	return f, ok
}
