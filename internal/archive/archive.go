// Package archive stores directories of files as backups and exported projects: as a directory, or as a tar file, plain
// or compressed. The first file is manifest.json, which says what the others are; the last is SHA256SUMS, with the
// checksums of all others in the form of sha256sum. Without it an archive is incomplete.
package archive

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/klauspost/compress/zstd"
)

// Names of files in every archive.
const (
	ManifestName = "manifest.json"
	SumsName     = "SHA256SUMS"
)

// Version is that of the form of archives. One with a higher number is not read.
const Version = 1

// Kinds of archives.
const (
	KindBackup  = "backup"
	KindProject = "project"
)

// Manifest describes the files of an archive.
type Manifest struct {
	Form    string `json:"form"` // always Form
	Version int    `json:"version"`
	Kind    string `json:"kind"`
	Dig     string `json:"dig"` // the version that wrote it
	Moment  string `json:"moment"`

	Schema   int       `json:"schema,omitempty"`   // of the state file of a backup
	Key      string    `json:"key,omitempty"`      // of a backup: where the key of the stored credentials is
	Projects []Project `json:"projects,omitempty"` // of a backup
	Tables   []Table   `json:"tables,omitempty"`   // of a project
}

// Form marks the manifests of this package.
const Form = "dig-archive"

// Project is a project in a backup.
type Project struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Table is a table of an exported project and the file with its rows.
type Table struct {
	Kind string `json:"kind"` // table or bitable
	Name string `json:"name"`
	File string `json:"file"`
	Rows int64  `json:"rows"`
}

// other are the endings of archives of other forms.
var other = late.Regexp(`(?i)\.(?:zip|7z|rar|gz|zst|bz2|xz|tbz2?|txz)$`)

// Named fails for a path under which nobody expects a directory: an empty one, as of a variable that is not set, -, or
// that of an archive of another form.
func Named(path string) error {
	switch {
	case path == "":
		return errors.New("the name is empty")
	case path == "-":
		return errors.New("an archive cannot be written to standard output")
	case !IsFile(path) && other().MatchString(filepath.Base(path)):
		return fmt.Errorf("%s is neither a .tar, .tar.zst or .tar.gz nor the name of a directory", path)
	}
	return nil
}

// IsFile reports whether a path is one of a tar file; archives under other names are directories.
func IsFile(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return slices.ContainsFunc([]string{".tar", ".tar.zst", ".tzst", ".tar.gz", ".tgz"}, func(end string) bool {
		return strings.HasSuffix(name, end)
	})
}

// place is the error of a path to which no archive can be written: fs.ErrExist or fs.ErrNotExist.
type place struct {
	text string
	kind error
}

func (p *place) Error() string { return p.text }
func (p *place) Unwrap() error { return p.kind }

// Vacant fails unless an archive can be written to a path: nothing is there, or an empty directory.
func Vacant(to string) error {
	st, err := os.Stat(to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if up, err := os.Stat(filepath.Dir(to)); err != nil || !up.IsDir() {
			return &place{filepath.Dir(to) + ": no such directory", fs.ErrNotExist}
		}
		return nil
	case err != nil:
		return err
	case st.IsDir() && !IsFile(to):
		left, err := os.ReadDir(to)
		if err == nil && len(left) > 0 {
			err = &place{to + " is not empty", fs.ErrExist}
		}
		return err
	}
	return occupied(to)
}

func occupied(to string) error { return &place{to + " exists already", fs.ErrExist} }

// Write stores the files of a directory as an archive at a path where nothing is, or an empty directory. An archive
// that is not complete does not get the name, or as a directory no SumsName.
func Write(ctx context.Context, to, from string, m Manifest) error {
	m.Form, m.Version = Form, Version
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	raw = append(raw, '\n')
	names, err := filesIn(from)
	if err != nil {
		return err
	}
	if IsFile(to) {
		return writeFile(ctx, to, from, raw, names)
	}
	return writeDir(ctx, to, from, raw, names)
}

// filesIn lists the regular files below a directory, by their paths in it. Files whose names begin with a dot are
// those of tempfile.
func filesIn(dir string) (names []string, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular():
			names = append(names, name)
		case !d.IsDir():
			return fmt.Errorf("%s is neither a file nor a directory", filepath.Join(dir, filepath.FromSlash(name)))
		}
		return nil
	})
	return names, err
}

// sums are the lines of SumsName.
type sums struct{ text strings.Builder }

func (s *sums) add(name string, h hash.Hash) {
	fmt.Fprintf(&s.text, "%s  %s\n", hex.EncodeToString(h.Sum(nil)), name)
}

func writeFile(ctx context.Context, to, from string, manifest []byte, names []string) error {
	tempfile.SweepOf(to)
	f, err := tempfile.Create(to, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	z, err := packer(to, f)
	if err != nil {
		return err
	}
	w := tar.NewWriter(z)
	var s sums
	add := func(name string, size int64, src io.Reader) error {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600}); err != nil {
			return err
		}
		h := sha256.New()
		if _, err := io.Copy(io.MultiWriter(w, h), until{ctx, src}); err != nil {
			return err
		}
		s.add(name, h)
		return nil
	}
	if err := add(ManifestName, int64(len(manifest)), strings.NewReader(string(manifest))); err != nil {
		return err
	}
	for _, name := range names {
		if err := withFile(filepath.Join(from, filepath.FromSlash(name)), func(src *os.File, size int64) error {
			return add(name, size, src)
		}); err != nil {
			return err
		}
	}
	end := s.text.String()
	if err := add(SumsName, int64(len(end)), strings.NewReader(end)); err != nil {
		return err
	}
	if err := errors.Join(w.Close(), z.Close(), f.Sync(), f.Close()); err != nil {
		return err
	}
	err = tempfile.Publish(f.Name(), to)
	if errors.Is(err, fs.ErrExist) { // since Vacant
		return occupied(to)
	}
	return err
}

func withFile(path string, fn func(f *os.File, size int64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	return fn(f, st.Size())
}

// packer compresses as the name of a file says.
func packer(name string, w io.Writer) (io.WriteCloser, error) {
	switch name = strings.ToLower(name); {
	case strings.HasSuffix(name, "gz"):
		return gzip.NewWriter(w), nil
	case strings.HasSuffix(name, "zst"):
		return zstd.NewWriter(w)
	}
	return plain{w}, nil
}

type plain struct{ io.Writer }

func (plain) Close() error { return nil }

// until is a reader that fails when ctx has ended.
type until struct {
	ctx context.Context
	src io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.src.Read(p)
}

func writeDir(ctx context.Context, to, from string, manifest []byte, names []string) (err error) {
	made := os.Mkdir(to, 0o700)
	if made != nil && !errors.Is(made, fs.ErrExist) {
		return made
	}
	if err := Vacant(to); err != nil {
		return err
	}
	var s sums
	store := func(name string, src io.Reader) error {
		h := sha256.New()
		if err := create(filepath.Join(to, filepath.FromSlash(name)), io.TeeReader(until{ctx, src}, h)); err != nil {
			return err
		}
		s.add(name, h)
		return nil
	}
	err = store(ManifestName, strings.NewReader(string(manifest)))
	if errors.Is(err, fs.ErrExist) { // the directory is of the process that has created this file
		return occupied(filepath.Join(to, ManifestName))
	}
	defer func() {
		if err != nil {
			for _, name := range append(tops(names), ManifestName, SumsName) {
				_ = os.RemoveAll(filepath.Join(to, name))
			}
			if made == nil {
				_ = os.Remove(to)
			}
		}
	}()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := withFile(filepath.Join(from, filepath.FromSlash(name)), func(src *os.File, _ int64) error {
			return store(name, src)
		}); err != nil {
			return err
		}
	}
	if err := syncDirs(to); err != nil {
		return err
	}
	if err := create(filepath.Join(to, SumsName), strings.NewReader(s.text.String())); err != nil {
		return err
	}
	return errors.Join(tempfile.SyncDir(to), tempfile.SyncDir(filepath.Dir(to)))
}

// tops are the first parts of names.
func tops(names []string) (list []string) {
	for _, name := range names {
		top, _, _ := strings.Cut(name, "/")
		list = append(list, top)
	}
	return slices.Compact(list)
}

// create writes a new file of mode 0600, and the directories above it, and syncs the file.
func create(path string, src io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, src)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncDirs makes the names in a directory and those below it durable.
func syncDirs(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = tempfile.SyncDir(path)
		}
		return err
	})
}

// local reports whether the name of a file is one that an archive may have.
func local(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && path.Clean(name) == name && !strings.Contains(name, `\`)
}
