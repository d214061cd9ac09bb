package connector

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// LocalPath reads a credential field that names a file of this machine.
func (c Credential) LocalPath(field string) (string, error) {
	p := c.Text(field)
	if !filepath.IsAbs(p) {
		return "", fmt.Errorf("credential field %q must be an absolute path", field)
	}
	if slices.Contains(strings.Split(filepath.ToSlash(p), "/"), "..") {
		return "", fmt.Errorf("credential field %q must not contain \"..\" elements", field)
	}
	return filepath.Clean(p), nil
}

// Within reports whether a path is a directory or inside it. Neither contains symbolic links.
func Within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// CheckLocalFile checks that a path is a regular file and that no symbolic link leads out of its folder. The file may
// change between this check and its opening by a driver, so the folder must be one that only trusted users can write
// to.
func CheckLocalFile(path string) (fs.FileInfo, error) {
	dir, name := filepath.Split(path)
	root, err := os.OpenRoot(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, noFile(path)
	case err != nil:
		return nil, bare(err)
	}
	defer root.Close()
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, noFile(path)
	case err != nil:
		return nil, fmt.Errorf("file %s: %w", path, bare(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return info, nil
}

func noFile(path string) error { return engine.Unusable(missing(path)) }

// missing is the error for a file that does not exist; its value is the path.
type missing string

func (m missing) Error() string        { return "there is no file " + string(m) }
func (m missing) Is(target error) bool { return target == fs.ErrNotExist }

// byName returns the path of a file without symbolic links, if its name still refers to it.
func byName(info fs.FileInfo, name string) (string, error) {
	real, err := filepath.EvalSymlinks(name)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return "", bare(err)
	}
	now, err := os.Stat(real)
	if err != nil || !os.SameFile(now, info) {
		return "", fmt.Errorf("%s was replaced while it was opened", name)
	}
	return real, nil
}

func bare(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}
