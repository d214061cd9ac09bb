package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Named opens files that are named by absolute paths as one table. The format of a file is determined by its name, or
// by its first bytes if the name has no known extension. Several files must have the same columns, with types that fit
// the values of all files. Links are followed.
func Named(ctx context.Context, reach connector.Reach, paths []string, o rowfile.Options) (engine.Scanner, error) {
	f := newFolder("", reach)
	f.opt = o
	return named(ctx, f, paths)
}

func named(ctx context.Context, f *folder, paths []string) (engine.Scanner, error) {
	var real []string
	dir := ""
	for _, p := range paths {
		at, err := filepath.EvalSymlinks(p)
		if err != nil {
			return nil, &FileError{File: filepath.Base(p), Err: Bare(err)}
		}
		if st, err := os.Stat(at); err != nil || !st.Mode().IsRegular() {
			return nil, &FileError{File: filepath.Base(p), Err: errors.New("not a file")}
		}
		real = append(real, at)
		if dir == "" {
			dir = filepath.Dir(at)
		}
		for !within(at, dir) && filepath.Dir(dir) != dir {
			dir = filepath.Dir(dir)
		}
	}
	f.dir = dir
	r, err := f.root()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t := &parted{f: f, path: "of these files"}
	for _, p := range real {
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return nil, err
		}
		one := file{table: filepath.Base(name), path: filepath.ToSlash(name)}
		d, err := f.learn(ctx, r, one, len(real) == 1)
		if errors.Is(err, connector.ErrOwn) {
			return nil, errors.New("not a file that a statement may read")
		}
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, part{file: one, as: d})
	}
	if one := t.parts[0]; len(t.parts) == 1 {
		return f.tableOf(one.file, one.as)
	}
	for _, p := range t.parts[1:] {
		if err := sameColumns(t.parts[0], p, f.opt); err != nil {
			return nil, err
		}
	}
	return t, t.bring()
}

func within(path, dir string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// sameColumns returns an error if a file has a column that the other lacks, unless they are united by name.
func sameColumns(a, b part, o rowfile.Options) error {
	if o.Union() {
		return nil
	}
	for _, c := range []struct{ has, lacks part }{{a, b}, {b, a}} {
		names := map[string]bool{}
		for _, col := range c.lacks.as.cols {
			names[col.Name] = true
		}
		for _, col := range c.has.as.cols {
			if !names[col.Name] {
				return fmt.Errorf("file %s has no column %q, and %s has one; %s makes it NULL", c.lacks.file.path,
					col.Name, c.has.file.path, o.Way.Spell("union-by-name", "true"))
			}
		}
	}
	return nil
}
