package names

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/connector/files"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// lookupFile finds a file that a statement names by its path.
func (r Resolver) lookupFile(ctx context.Context, n engine.TableName) (sql.Source, error) {
	path, given, ok := n.File()
	if !ok {
		return sql.Source{}, nil
	}
	if r.named.Off != "" {
		return sql.Source{}, &engine.Error{Kind: engine.KindUnknownTable, Message: path +
			": statements may not name files: " + r.named.Off}
	}
	if path == "" {
		return sql.Source{}, &engine.Error{Kind: engine.KindUnknownTable, Message: "the path of a file is empty"}
	}
	at := path
	if !filepath.IsAbs(at) {
		at = filepath.Join(r.named.Dir, at)
	}
	named := namedFile{path}
	o := rowfile.Options{Way: rowfile.ByWith}
	for _, option := range given {
		if err := o.Set(option[0], option[1]); err != nil {
			return sql.Source{}, &engine.Error{Kind: engine.KindSyntax, Message: named.message(err), Err: err}
		}
	}
	if r.named.Flags {
		o.Way = rowfile.ByFileFlag
	}
	scan, err := r.g.Sources.File(ctx, at, o)
	if err != nil {
		return sql.Source{}, named.unreadable(err)
	}
	r.remark(scan)
	s := scannerOf(scan, named)
	if g, ok := s.(guesser); ok {
		return sql.Source{Scan: guessedFile{g, named}}, nil
	}
	return sql.Source{Scan: s}, nil
}

// guessedFile is a file that is read for its columns when they have to be certain.
type guessedFile struct {
	guesser
	named namedFile
}

// Columns implements engine.Scanner.
func (f guessedFile) Columns(ctx context.Context) ([]engine.ColumnInfo, error) {
	cols, err := f.guesser.scanner.Scanner.Columns(ctx)
	if err != nil && ctx.Err() == nil {
		err = f.named.unreadable(err)
	}
	return cols, err
}

// namedFile is the path of a file, or a pattern, as the statement names it.
type namedFile struct{ path string }

func (f namedFile) Describe() string { return "file " + f.path }

// Fault names the file of an error as the statement does. To read it again would be no remedy.
func (f namedFile) Fault(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	var ee *engine.Error
	if errors.As(err, &ee) {
		return err
	}
	return &engine.Error{Kind: engine.KindData, Message: f.message(err), Err: err}
}

// unreadable is the error for a file that cannot be a table.
func (f namedFile) unreadable(err error) error {
	kind := engine.KindUnknownTable
	if errors.Is(err, fs.ErrNotExist) {
		kind = engine.KindNoFile
	}
	return &engine.Error{Kind: kind, Message: f.message(err), Err: err}
}

func (f namedFile) message(err error) string {
	var file *files.FileError
	var column *engine.ColumnError
	at, reason := f.path, err
	switch {
	case errors.As(err, &column):
		at, reason = fmt.Sprintf("%s, column %q", at, column.Column), column.Err
	case errors.As(err, &file) && filepath.Base(file.File) == filepath.Base(f.path):
		at, reason = at+file.At, file.Err
	}
	return at + ": " + reason.Error()
}
