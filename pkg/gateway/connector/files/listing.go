package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// place is the open folder. Its methods reject names that lead out of the folder, and know the gateway's own files.
type place struct {
	*os.Root
	f    *folder
	held *connector.Held
	self fs.FileInfo
	at   time.Time
	refs int // under the folder's mu
}

// rootTime is how long a folder stays open for the next access, if its name still refers to it.
const rootTime = time.Second

// root opens the folder.
func (f *folder) root() (*place, error) {
	f.looks.Add(1)
	self, err := os.Stat(f.dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		err = engine.Unusable(err)
	}
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	if p := f.opened; p != nil && f.now().Sub(p.at).Abs() < rootTime && os.SameFile(p.self, self) {
		p.refs++
		f.mu.Unlock()
		return p, nil
	}
	f.mu.Unlock()
	f.looks.Add(2)
	r, held, err := f.own.Folder(f.dir)
	if err != nil {
		return nil, err
	}
	p := &place{Root: r, f: f, held: held, at: f.now(), refs: 1}
	if p.self, err = r.Stat("."); err != nil {
		p.Close()
		return nil, err
	}
	f.mu.Lock()
	old := f.opened
	f.opened = p
	p.refs++
	f.mu.Unlock()
	if old != nil {
		old.Close()
	}
	safely.AfterFunc(rootTime, func() { f.shut(p) })
	return p, nil
}

// shut closes a folder that stayed open for the next access.
func (f *folder) shut(p *place) {
	f.mu.Lock()
	mine := p != nil && f.opened == p
	if mine {
		f.opened = nil
	}
	f.mu.Unlock()
	if mine {
		p.Close()
	}
}

// Close closes the folder after its last use.
func (p *place) Close() error {
	p.f.mu.Lock()
	p.refs--
	last := p.refs == 0
	p.f.mu.Unlock()
	if last {
		return p.Root.Close()
	}
	return nil
}

// stat returns the file info for a name; connector.ErrOwn if it belongs to the gateway.
func (p *place) stat(name string) (fs.FileInfo, error) {
	p.f.looks.Add(1)
	info, err := p.Stat(name)
	if err == nil && p.held.Has(info) {
		err = connector.ErrOwn
	}
	return info, err
}

// listing is the contents of a directory that could be tables and schemas.
type listing struct {
	stamp connector.Stamp
	files []file            // in the order of their names
	dirs  []string          // except hidden ones
	links map[string]bool   // files that are symbolic links
	named map[string][]int  // files by table name, in lower case
	base  map[string][]int  // the same by their full name
	under map[string]string // dirs by lower-case name, or "" if several differ in case only
	other map[string]file   // by table name, files that are no tables: they are packed in a way that is not read
	split bool              // contains folders named key=value, and no file that is a table by itself
}

// maxListed limits the number of cached names of unchanged directories.
const maxListed = 500_000

// look lists a directory, unless the listing is cached and the directory has not changed.
func (p *place) look(dir string) (*listing, error) {
	info, err := p.stat(dir)
	if err != nil {
		return nil, err
	}
	stamp, settled := connector.StampOf(info, p.f.now())
	p.f.mu.Lock()
	l := p.f.lists[dir]
	p.f.mu.Unlock()
	if l != nil && l.stamp == stamp {
		return l, nil
	}
	p.f.looks.Add(1)
	entries, err := fs.ReadDir(p.FS(), dir)
	if err != nil {
		return nil, err
	}
	l = p.f.index(dir, entries)
	l.stamp = stamp
	if !settled {
		return l, nil
	}
	p.f.mu.Lock()
	defer p.f.mu.Unlock()
	if p.f.listed += len(entries); p.f.listed > maxListed {
		p.f.lists, p.f.listed = map[string]*listing{}, len(entries)
	}
	p.f.lists[dir] = l
	return l, nil
}

func (f *folder) index(dir string, entries []fs.DirEntry) *listing {
	l := &listing{links: map[string]bool{}, named: map[string][]int{}, base: map[string][]int{},
		under: map[string]string{}, other: map[string]file{}}
	alone := false
	for _, e := range entries {
		name := e.Name()
		t, ok := classify(name)
		if ok && !e.IsDir() && !strings.HasPrefix(name, "_") {
			alone = true
		}
		switch {
		case e.IsDir():
			if _, _, ok := partition(name); ok {
				l.split = true
			}
			if strings.HasPrefix(name, ".") {
				continue
			}
			lower := strings.ToLower(name)
			if _, twice := l.under[lower]; twice {
				l.under[lower] = ""
			} else {
				l.under[lower] = name
			}
			l.dirs = append(l.dirs, name)
		case !ok && !e.IsDir() && foreign(name) != "":
			t.path = path.Join(dir, name)
			l.other[strings.ToLower(foreign(name))] = t
		case !ok || f.pattern != "" && !matches(f.pattern, name):
		case e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0:
			l.links[name] = e.Type()&fs.ModeSymlink != 0
			t.path = path.Join(dir, name)
			i := len(l.files)
			l.files = append(l.files, t)
			l.named[strings.ToLower(t.table)] = append(l.named[strings.ToLower(t.table)], i)
			l.base[strings.ToLower(name)] = append(l.base[strings.ToLower(name)], i)
		}
	}
	l.split = l.split && !alone
	return l
}

// foreign is the table that a file would be if it were packed in another way; "" if it would be none.
func foreign(name string) string {
	base, ok := rowfile.CutForeign(name)
	if t, is := classify(base); is {
		base = t.table
	}
	if !ok {
		return ""
	}
	return base
}

// isSplit reports whether a folder is a partitioned table. It returns false for a missing folder, and for the gateway's
// own.
func (p *place) isSplit(dir string) (bool, error) {
	l, err := p.look(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, connector.ErrOwn) {
		return false, nil
	}
	return err == nil && l.split, err
}

// isSchema reports whether a subfolder is a schema: neither the gateway's own nor a partitioned table. An unreadable
// subfolder counts as a schema; listing its tables returns the error.
func (p *place) isSchema(name string) (bool, error) {
	if _, err := p.stat(name); errors.Is(err, fs.ErrNotExist) || errors.Is(err, connector.ErrOwn) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	split, err := p.isSplit(name)
	if errors.Is(err, fs.ErrPermission) {
		err = nil
	}
	return !split && name != rootSchema, err
}

// directory returns the directory of a schema.
func (p *place) directory(schema string) (string, error) {
	if schema == rootSchema {
		return ".", nil
	}
	top, err := p.look(".")
	if err != nil {
		return "", err
	}
	names := []string{rootSchema}
	for _, d := range top.alike(schema) {
		if ok, err := p.isSchema(d); err != nil {
			return "", err
		} else if ok {
			names = append(names, d)
		}
	}
	found, ok, err := connector.Pick("schema", schema, names)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", connector.ErrNoSchema
	case found == rootSchema:
		return ".", nil
	}
	return found, nil
}

// alike returns the directories with names that match a name ignoring case.
func (l *listing) alike(name string) []string {
	one, ok := l.under[strings.ToLower(name)]
	if ok && one == "" {
		return slices.DeleteFunc(slices.Clone(l.dirs), func(d string) bool { return !strings.EqualFold(d, name) })
	}
	if !ok {
		return nil
	}
	return []string{one}
}

// group finds the tables with a given name: those that share it are named with their extensions. Unreadable files are
// listed, so that reading them is the error; a broken link, or one that leads out of the folder or to the gateway's own
// data, is not a table.
func (p *place) group(l *listing, dir, name string) ([]file, error) {
	var out []file
	for _, d := range l.alike(name) {
		at := path.Join(dir, d)
		if ok, err := p.isSplit(at); err != nil && !errors.Is(err, fs.ErrPermission) {
			return nil, err
		} else if ok || err != nil {
			out = append(out, file{table: d, path: at, ending: parts})
		}
	}
	for _, i := range l.named[strings.ToLower(name)] {
		t := l.files[i]
		if l.links[path.Base(t.path)] {
			info, err := p.stat(t.path)
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, connector.ErrOwn) || leadsOut(err) || err == nil &&
				!info.Mode().IsRegular() {
				continue
			}
		}
		out = append(out, t)
	}
	if len(out) > 1 {
		for i := range out {
			out[i].table = path.Base(out[i].path)
		}
	}
	return out, nil
}

// leadsOut reports whether err is the error of os.Root for a link that leads out of the folder; it is not exported.
func leadsOut(err error) bool {
	return err != nil && Bare(err).Error() == "path escapes from parent"
}

// list finds the tables of a schema. Files that would share a name are listed with their extensions.
func (p *place) list(schema string) ([]file, error) {
	dir, err := p.directory(schema)
	if err != nil {
		return nil, err
	}
	l, err := p.look(dir)
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	var out []file
	add := func(name string) error {
		lower := strings.ToLower(name)
		if done[lower] {
			return nil
		}
		done[lower] = true
		g, err := p.group(l, dir, name)
		out = append(out, g...)
		return err
	}
	for _, d := range l.dirs {
		if err := add(d); err != nil {
			return nil, err
		}
	}
	for _, t := range l.files {
		if err := add(t.table); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return out, nil
}

// find finds one table without listing the others.
func (p *place) find(schema, table string) (file, error) {
	dir, err := p.directory(schema)
	if err != nil {
		return file{}, err
	}
	l, err := p.look(dir)
	if err != nil {
		return file{}, err
	}
	groups := []string{table}
	for _, i := range l.base[strings.ToLower(table)] { // it may be named with its extension
		groups = append(groups, l.files[i].table)
	}
	done := map[string]bool{}
	var all []file
	var names []string
	for _, name := range groups {
		if lower := strings.ToLower(name); done[lower] {
			continue
		} else {
			done[lower] = true
		}
		g, err := p.group(l, dir, name)
		if err != nil {
			return file{}, err
		}
		for _, t := range g {
			all, names = append(all, t), append(names, t.table)
		}
	}
	found, ok, err := connector.Pick("table", table, names)
	if t, packed := l.other[strings.ToLower(table)]; err == nil && !ok && packed {
		return t, nil // to read it is an error that says so
	}
	if err == nil && !ok {
		err = connector.ErrNoTable
	}
	if err != nil {
		return file{}, err
	}
	return all[slices.Index(names, found)], nil
}

func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // the pattern was checked when the connection was opened
	return ok
}
