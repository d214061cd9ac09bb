package connector

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Own identifies the files of the gateway itself, which connectors must not read: keys, and the state and the rows of
// all projects. A nil Own protects nothing.
type Own struct {
	dirs    []string // directories that are protected with their contents
	configs []string // directories of which the YAML and key files are protected
	state   int64    // application_id of the state's SQLite file

	mu   sync.Mutex
	last *Held
	at   time.Time
}

// NewOwn protects the contents of dirs, the YAML and key files in configs, and every SQLite file with the
// application_id of the state. Missing directories and empty names are ignored.
func NewOwn(dirs, configs []string, state int64) *Own {
	return &Own{dirs: dirs, configs: configs, state: state}
}

// State reports whether a SQLite file with this application_id is a gateway's state.
func (o *Own) State(id int64) bool { return o != nil && id == o.state }

// ErrOwn means that a path leads to a file of the gateway itself.
var ErrOwn = errors.New("leads into the gateway's own data directory")

// Held is a snapshot of the gateway's own directories.
type Held struct {
	tops  []fs.FileInfo // the directories themselves
	ids   map[fileID]bool
	infos []fs.FileInfo // if the system has no fileID
}

// heldFor is how long a snapshot is valid for files with a single name; for files with several names a new one is
// taken.
const heldFor = time.Second

// Look takes a snapshot of the gateway's own directories. If it is incomplete the result is an error, and nothing may
// be read.
func (o *Own) Look() (*Held, error) {
	h := &Held{ids: map[fileID]bool{}}
	if o == nil {
		return h, nil
	}
	for _, dir := range o.dirs {
		if err := h.addTree(dir); err != nil {
			return nil, err
		}
	}
	for _, dir := range o.configs {
		if dir == "" {
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if configFile(e.Name()) {
				if err := h.addFile(filepath.Join(dir, e.Name())); err != nil {
					return nil, err
				}
			}
		}
	}
	o.mu.Lock()
	o.last, o.at = h, time.Now()
	o.mu.Unlock()
	return h, nil
}

// configFile matches YAML files, such as config.yaml and credentials.yaml, key files, and the temporary files that are
// renamed to them.
func configFile(name string) bool {
	for _, pattern := range []string{"*.yaml", ".*.yaml*", "*.key", ".*.key*"} {
		if ok, _ := filepath.Match(pattern, name); ok {
			return true
		}
	}
	return false
}

// lately returns a snapshot that is at most heldFor old.
func (o *Own) lately() (*Held, error) {
	if o != nil {
		o.mu.Lock()
		h, age := o.last, time.Since(o.at)
		o.mu.Unlock()
		if h != nil && age >= 0 && age < heldFor {
			return h, nil
		}
	}
	return o.Look()
}

func (h *Held) addTree(dir string) error {
	if dir == "" {
		return nil
	}
	top, err := filepath.Abs(dir)
	if err == nil {
		top, err = filepath.EvalSymlinks(top)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(top)
	if err != nil {
		return err
	}
	h.tops = append(h.tops, info)
	return filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = h.addFile(path)
		}
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			return nil
		}
		return err
	})
}

func (h *Held) addFile(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if id, _, ok := idOf(info); ok {
		h.ids[id] = true
	} else {
		h.infos = append(h.infos, info)
	}
	return nil
}

// Has reports whether a file or a directory is one of the gateway's own, whatever its name.
func (h *Held) Has(info fs.FileInfo) bool {
	if id, _, ok := idOf(info); ok {
		return h.ids[id]
	}
	return slices.ContainsFunc(h.infos, func(own fs.FileInfo) bool { return os.SameFile(own, info) })
}

// check rejects a file or a directory that is the gateway's own, or inside one of its directories; real is its path
// without links.
func (h *Held) check(info fs.FileInfo, real string) error {
	if h.Has(info) {
		return ErrOwn
	}
	for dir := filepath.Dir(real); len(h.tops) > 0; dir = filepath.Dir(dir) {
		above, err := os.Stat(dir)
		if err != nil {
			return fmt.Errorf("cannot check its parent folders: %w", bare(err))
		}
		if slices.ContainsFunc(h.tops, func(top fs.FileInfo) bool { return os.SameFile(top, above) }) {
			return ErrOwn
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return nil
}

// Refuse rejects an opened file of a folder that was itself checked.
func (o *Own) Refuse(h *Held, info fs.FileInfo) error {
	if o == nil {
		return nil
	}
	if _, names, ok := idOf(info); ok && names > 1 { // it may have got a name here after the snapshot
		var err error
		if h, err = o.Look(); err != nil {
			return err
		}
	}
	if h.Has(info) {
		return ErrOwn
	}
	return nil
}

// Folder opens a directory so that no name leads out of it, and rejects one of the gateway's own.
func (o *Own) Folder(dir string) (*os.Root, *Held, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	h, err := o.ofRoot(r, dir)
	if err == nil {
		err = noDetour(dir)
	}
	if err != nil {
		r.Close()
		return nil, nil, err
	}
	return r, h, nil
}

func (o *Own) ofRoot(r *os.Root, dir string) (*Held, error) {
	h, err := o.lately()
	if err != nil {
		return nil, err
	}
	f, err := r.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	real, err := whereabouts(f, info, dir)
	if err != nil {
		return nil, err
	}
	return h, h.check(info, real)
}

// File is a local file that was checked not to belong to the gateway. While it is held no other file can get its
// identity.
type File struct {
	fs.FileInfo
	name string
	hold *os.File // nil if the system cannot open a file without reading it
}

// Open holds a regular file. No symbolic link may lead out of its folder.
func (o *Own) Open(path string) (*File, error) {
	info, err := CheckLocalFile(path)
	if err != nil {
		return nil, err
	}
	if err := noDetour(path); err != nil {
		return nil, err
	}
	f, real, err := hold(path)
	if err != nil {
		return nil, err
	}
	if err = o.mayRead(f, info, real); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (o *Own) mayRead(f *File, seen fs.FileInfo, real string) error {
	if !os.SameFile(seen, f.FileInfo) {
		return f.changed()
	}
	h, err := o.lately()
	if err != nil {
		return err
	}
	if err := h.check(f.FileInfo, real); err != nil {
		return err
	}
	return o.Refuse(h, f.FileInfo)
}

// Opened returns an error if the file that a library opened by name is not the checked one. before are the earlier
// Descriptors.
func (f *File) Opened(before map[int]bool) error {
	if before == nil { // not supported by the system
		return f.Still()
	}
	for fd := range f.Descriptors() {
		if !before[fd] {
			return nil
		}
	}
	return f.changed()
}

// Still returns an error if a file's name now refers to another file: a library that opened the file by name may have
// opened that one.
func (f *File) Still() error {
	now, err := os.Stat(f.name)
	if err != nil || !os.SameFile(now, f.FileInfo) {
		return f.changed()
	}
	return nil
}

func (f *File) changed() error { return fmt.Errorf("file %s was replaced while it was opened", f.name) }

// Close releases the file. It does not release locks on it.
func (f *File) Close() {
	if f.hold != nil {
		f.hold.Close()
	}
}

// Path rejects a path to the gateway's own files. It ignores other errors: the caller opens the path and checks it
// again.
func (o *Own) Path(path string) error {
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	h, err := o.Look()
	if err != nil {
		return err
	}
	real, err := byName(info, path)
	if err != nil {
		return err
	}
	return h.check(info, real)
}
