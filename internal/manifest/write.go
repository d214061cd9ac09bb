package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/tempfile"
	"go.yaml.in/yaml/v3"
)

const header = "# The objects of a project as files: `dig plan DIR` compares them with a project, `dig apply DIR` " +
	"changes a project to match them.\n"

// Files returns the files of a project by their paths, with slashes.
func Files(p *Project) (map[string][]byte, error) {
	w := &writer{out: map[string][]byte{}, names: map[Kind]map[string]string{}}
	w.out[Marker] = fmt.Appendf(nil, "%sversion: %d\n", header, version)
	for _, c := range Of[*Connection](p, KindConnection) {
		w.each(dirConnections, p, KindConnection, c.Name, func(other string) any {
			return fileConnection{other, c.RenamedFrom, c.Type, c.Credential}
		})
	}
	for _, c := range Of[*Catalog](p, KindCatalog) {
		w.each(dirCatalogs, p, KindCatalog, c.Name, func(other string) any {
			return fileCatalog{other, unless(c.DisplayName, c.Name), c.Connection, c.Parameters}
		})
	}
	for _, c := range Of[*SemanticCatalog](p, KindSemanticCatalog) {
		tables := map[string]string{}
		for _, t := range Of[*SemanticTable](p, KindSemanticTable) {
			if t.Catalog == c.Name {
				tables[JoinName(t.Schema, t.Table)] = t.Query
			}
		}
		w.each(dirSemantic, p, KindSemanticCatalog, c.Name, func(other string) any {
			return fileSemantic{other, unless(c.DisplayName, c.Name), tables}
		})
	}
	for k, dir := range map[Kind]string{KindTable: dirTables, KindBITable: dirBITables} {
		for _, t := range Of[*Table](p, k) {
			w.each(dir, p, k, t.Name, func(other string) any { return tableFile(t, other) })
		}
	}
	w.queries(p)
	w.golden(p)
	w.perCatalog(p)
	return w.out, w.err
}

type writer struct {
	out   map[string][]byte
	names map[Kind]map[string]string // of the files, by those of the objects
	err   error
}

func (w *writer) put(file string, v any) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(v)
	w.err = errors.Join(w.err, err, enc.Close())
	w.out[file] = b.Bytes()
}

// each writes the file of an object. of returns its contents; its argument is the name of the object if the name of the
// file cannot represent it, and "" otherwise.
func (w *writer) each(dir string, p *Project, k Kind, name string, of func(other string) any) {
	if w.names[k] == nil {
		var names []string
		for ref := range p.all {
			if ref.Kind == k {
				names = append(names, ref.Name)
			}
		}
		w.names[k] = fileNames(names)
	}
	file, other := w.names[k][name], ""
	if objectName(file) != name {
		other = name
	}
	w.put(path.Join(dir, file+endYAML), of(other))
}

// unless returns a text, or "" if it is the default.
func unless(text, absent string) string {
	if text == absent {
		return ""
	}
	return text
}

func tableFile(t *Table, other string) fileTable {
	f := fileTable{Name: other, Columns: []fileColumn{}}
	for _, c := range t.Columns {
		f.Columns = append(f.Columns, fileColumn{c.Column, c.RenamedFrom, c.Type, unless(c.DisplayName, c.Column),
			c.Default, c.NotNull, c.Unique, c.Description})
	}
	return f
}

// queries writes the folders and the saved queries in them.
func (w *writer) queries(p *Project) {
	queries, folders := map[string][]*Query{}, map[string][]string{}
	for _, q := range Of[*Query](p, KindQuery) {
		queries[q.Folder] = append(queries[q.Folder], q)
	}
	for _, f := range Of[*Folder](p, KindFolder) {
		up, name := path.Split(f.Name)
		up = "/" + strings.Trim(up, "/")
		folders[up] = append(folders[up], name)
	}
	var walk func(folder, dir string)
	walk = func(folder, dir string) {
		var names []string
		for _, q := range queries[folder] {
			names = append(names, q.Name)
		}
		files := fileNames(names)
		for _, q := range queries[folder] {
			stem := path.Join(dir, files[q.Name])
			w.out[stem+endSQL] = []byte(q.SQL + "\n")
			f := fileQuery{RenamedFrom: q.RenamedFrom, Materialized: q.Materialized}
			if objectName(files[q.Name]) != q.Name {
				f.Name = q.Name
			}
			if q.Schedule != (Schedule{}) {
				s := fileSchedule(q.Schedule)
				f.Schedule = &s
			}
			if f != (fileQuery{}) {
				w.put(stem+endYAML, f)
			}
		}
		subs := fileNames(folders[folder])
		for _, name := range folders[folder] {
			path, file := strings.TrimSuffix(folder, "/")+"/"+name, dir+"/"+subs[name]
			if objectName(subs[name]) != name {
				w.err = errors.Join(w.err, fmt.Errorf("the name of folder %s is too long for a file system", path))
			}
			switch o, _ := p.Get(KindFolder, path).(*Folder); {
			case o.RenamedFrom != "":
				w.put(file+"/"+folderFile, fileFolder{o.RenamedFrom})
			case len(queries[path]) == 0 && len(folders[path]) == 0:
				w.out[file+"/"+keepFile] = nil
			}
			walk(path, file)
		}
	}
	walk("/", dirQueries)
}

// golden writes golden statements. A file that a question has already keeps its name.
func (w *writer) golden(p *Project) {
	taken := map[string]bool{}
	all := Of[*GoldenSQL](p, KindGoldenSQL)
	put := func(g *GoldenSQL, stem string) {
		taken[strings.ToLower(stem)] = true
		w.put(stem+endYAML, fileGolden{g.Prompt})
		w.out[stem+endSQL] = []byte(g.SQL + "\n")
	}
	var fresh []*GoldenSQL
	for _, g := range all {
		if stem := strings.TrimSuffix(g.At.File, endYAML); stem != "" && !taken[strings.ToLower(stem)] {
			put(g, stem)
		} else {
			fresh = append(fresh, g)
		}
	}
	for _, g := range fresh {
		base := dirGolden + "/" + fileName(slug(g.Prompt), false)
		stem := base
		for n := 2; taken[strings.ToLower(stem)]; n++ {
			stem = fmt.Sprintf("%s-%d", base, n)
		}
		put(g, stem)
	}
}

// perCatalog writes the files of which each catalog has one.
func (w *writer) perCatalog(p *Project) {
	caches, parametric, metadata, relations := map[string]fileCaches{}, map[string]fileParametric{},
		map[string]fileMetadata{}, map[string]fileRelations{}
	for _, c := range Of[*Cache](p, KindCache) {
		set(caches, c.Catalog, JoinName(c.Schema, c.Table), fileCache{c.Incremental, c.Full, c.Key,
			c.UpdatedAt, c.InsertOnly})
	}
	for _, t := range Of[*ParametricTable](p, KindParametricTable) {
		set(parametric, t.Catalog, JoinName(t.Schema, t.Table), fileParametricTable{JoinName(t.FromSchema, t.FromTable),
			t.Values})
	}
	for _, m := range Of[*Metadata](p, KindMetadata) {
		f := fileTableMetadata{Description: m.Description}
		if m.Hidden {
			f.UseWithAI = new(bool)
		}
		for name, c := range m.Columns {
			if f.Columns == nil {
				f.Columns = map[string]fileColumnMetadata{}
			}
			f.Columns[name] = fileColumnMetadata(c)
		}
		set(metadata, m.Catalog, JoinName(m.Schema, m.Table), f)
	}
	for _, r := range Of[*Relation](p, KindRelation) {
		relations[r.Source[0]] = append(relations[r.Source[0]], fileRelation{JoinName(r.Source[1:]...),
			JoinName(r.Target[:]...), r.Type})
	}
	putAll(w, dirCaches, caches)
	putAll(w, dirParametric, parametric)
	putAll(w, dirMetadata, metadata)
	putAll(w, dirRelations, relations)
}

func set[M ~map[string]V, V any](in map[string]M, catalog, name string, v V) {
	if in[catalog] == nil {
		in[catalog] = M{}
	}
	in[catalog][name] = v
}

func putAll[V any](w *writer, dir string, by map[string]V) {
	files := fileNames(slices.Collect(maps.Keys(by)))
	for catalog, v := range by {
		if objectName(files[catalog]) != catalog {
			w.err = errors.Join(w.err, fmt.Errorf("the name of catalog %s is too long for a file system", catalog))
		}
		w.put(path.Join(dir, files[catalog]+endYAML), v)
	}
}

// Changed compares the files of a project with those of a directory. Files that do not belong to a project are
// ignored.
func Changed(dir string, files map[string][]byte) (write, remove []string, err error) {
	there := map[string]bool{}
	for _, d := range dirs() {
		err := filepath.WalkDir(filepath.Join(dir, d), func(p string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(dir, p)
			if err != nil {
				return err
			}
			name := e.Name()
			if e.Type()&fs.ModeSymlink != 0 {
				return fmt.Errorf("%s is a symbolic link; nothing is written through one", rel)
			}
			ours := strings.HasSuffix(name, endYAML) || strings.HasSuffix(name, endSQL) || name == keepFile
			if !e.IsDir() && ours && (!strings.HasPrefix(name, ".") || name == keepFile || name == folderFile) {
				there[filepath.ToSlash(rel)] = true
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		// the file system ignores case, and the file exists in another spelling
		otherCase := file != Marker && !there[file]
		if err != nil || otherCase || !bytes.Equal(raw, files[file]) && (file != Marker || len(raw) == 0) {
			write = append(write, file)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(there)) {
		if _, ok := files[file]; !ok {
			remove = append(remove, file)
		}
	}
	return write, remove, nil
}

// Write writes files, each atomically, and then removes others and the folders that become empty. A run that is
// interrupted must not leave files that describe fewer objects than before, because prune would delete the missing
// ones. Marker is therefore written last. Only files that block another file are removed first, such as a file whose
// name differs only in case on a file system that ignores case.
func Write(dir string, files map[string][]byte, write, remove []string) error {
	needed := map[string]bool{} // the paths of files and of their folders, in lower case
	for _, file := range write {
		for at := strings.ToLower(file); at != "." && !needed[at]; at = path.Dir(at) {
			needed[at] = true
		}
	}
	var later []string
	for _, file := range remove {
		if !needed[strings.ToLower(file)] {
			later = append(later, file)
		} else if err := removeFile(dir, file); err != nil {
			return err
		}
	}
	if at := slices.Index(write, Marker); at >= 0 {
		write = append(slices.Delete(slices.Clone(write), at, at+1), Marker)
	}
	swept, contents := map[string]bool{}, map[string][]byte{}
	var paths []string
	for _, file := range write {
		full := filepath.Join(dir, filepath.FromSlash(file))
		in := filepath.Dir(full)
		paths, contents[full] = append(paths, full), files[file]
		if !swept[in] {
			if err := os.MkdirAll(in, 0o777); err != nil {
				return err
			}
			tempfile.Sweep(in)
			swept[in] = true
		}
	}
	data := func(path string) []byte { return contents[path] }
	last := len(paths)
	if slices.Contains(write, Marker) { // it makes the directory a project
		last--
	}
	for _, part := range [][]string{paths[:last], paths[last:]} {
		if err := tempfile.WriteAll(part, data); err != nil {
			return err
		}
	}
	for _, file := range later {
		if err := removeFile(dir, file); err != nil {
			return err
		}
	}
	return nil
}

// removeFile removes a file and the folders that become empty.
func removeFile(dir, file string) error {
	full := filepath.Join(dir, filepath.FromSlash(file))
	if err := tempfile.Remove(full); err != nil {
		return err
	}
	for up := filepath.Dir(full); up != filepath.Clean(dir) &&
		strings.HasPrefix(up, filepath.Clean(dir)); up = filepath.Dir(up) {
		if os.Remove(up) != nil { // it is not empty
			break
		}
	}
	return nil
}
