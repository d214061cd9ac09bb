package sources

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/connector/files"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// File opens a file, or the files that a pattern matches as one table, as the connector for folders reads them. The
// path is absolute.
func (s *Service) File(ctx context.Context, path string, o rowfile.Options) (engine.Scanner, error) {
	all := []string{path}
	_, err := os.Stat(path)
	if err != nil && (!errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(path, "*?[")) {
		return nil, files.Bare(err)
	}
	if err != nil {
		if strings.Contains(path, "**") { // which stands for any number of folders elsewhere
			return nil, errors.New("** is not supported in a pattern; * stands for the names in one folder")
		}
		if all, err = filepath.Glob(path); err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(p string) bool {
			st, err := os.Stat(p)
			return err == nil && st.IsDir() || hidden(path, p)
		})
		if len(all) == 0 {
			return nil, errNoMatch
		}
		slices.Sort(all)
	}
	return files.Named(ctx, s.Reach(nil), all, o)
}

// errNoMatch is the error for a pattern without a file.
var errNoMatch error = noMatch{}

type noMatch struct{}

func (noMatch) Error() string        { return "no file matches" }
func (noMatch) Is(target error) bool { return target == fs.ErrNotExist }

// hidden reports whether a part of a name that a pattern matches begins with a dot which the pattern does not have, as
// in a shell.
func hidden(pattern, name string) bool {
	wanted, parts := strings.Split(pattern, string(filepath.Separator)), strings.Split(name, string(filepath.Separator))
	for i, part := range parts {
		if strings.HasPrefix(part, ".") && i < len(wanted) && !strings.HasPrefix(wanted[i], ".") {
			return true
		}
	}
	return false
}
