package manifest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/late"
	"go.yaml.in/yaml/v3"
)

// ErrNoProject is the error for a directory without Marker.
var ErrNoProject = errors.New("it is not a project: it has no " + Marker)

// Invalid lists the mistakes in the files of a project.
type Invalid []Problem

// Problem is a mistake in a file.
type Problem struct {
	Position
	Column int // of a statement, 0 where it is not known
	Text   string
	Reads  bool // a statement reads an object that will not exist
}

func (p Problem) String() string {
	switch {
	case p.Line == 0:
		return p.File + ": " + p.Text
	case p.Column == 0:
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text)
}

func (v Invalid) Error() string {
	lines := make([]string, len(v))
	for i, p := range v {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// reader reads the files of a project.
type reader struct {
	dir   string
	p     *Project // nil if it reads one file, whose objects are found and added later
	bad   Invalid
	found []Object
}

// Read reads a project. Its error is ErrNoProject, Invalid, or one of the file system.
func Read(dir string) (*Project, error) {
	r := &reader{dir: dir, p: New()}
	raw, err := r.regular(Marker)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNoProject
	case err != nil:
		return nil, err
	case len(r.bad) > 0:
		return nil, r.bad
	}
	var head fileProject
	if at := r.decode(Marker, raw, &head); at != nil && head.Version != version {
		r.problem(at.line("version"), "version %d is not known to this release of dig, which reads version %d",
			head.Version, version)
		return nil, r.bad
	}
	if err := r.misspelt(); err != nil {
		return nil, err
	}
	for _, d := range dirs() {
		if err := r.folder(d, nil); err != nil {
			return nil, err
		}
	}
	r.check()
	if len(r.bad) > 0 {
		slices.SortStableFunc(r.bad, func(a, b Problem) int {
			return cmp.Or(cmp.Compare(a.File, b.File),
				cmp.Compare(a.Line, b.Line))
		})
		return nil, r.bad
	}
	return r.p, nil
}

func (r *reader) problem(at Position, format string, args ...any) {
	r.bad = append(r.bad, Problem{Position: at, Text: fmt.Sprintf(format, args...)})
}

// add adds an object at the line where it is described.
func (r *reader) add(o Object) {
	if r.p == nil {
		r.found = append(r.found, o)
		return
	}
	b := o.base()
	if !utf8.ValidString(b.Name) { // the name of the file is not UTF-8; its contents are always read as UTF-8
		r.problem(b.At, "the name %q is not text in UTF-8, so no object can have it", b.Name)
		return
	}
	if !r.p.Add(o) {
		other := r.p.Get(b.Kind, b.Name)
		where := ""
		if other != nil {
			where = ", " + other.base().At.File + " has one too"
		}
		r.problem(b.At, "there are two of %s %s%s", strings.ReplaceAll(string(b.Kind), "-", " "),
			Change{Ref: Ref{b.Kind, b.Name}}.Title(), where)
	}
}

// folder reads a folder of the project; up are the names of the folders of queries that it is in.
func (r *reader) folder(rel string, up []string) error {
	full := filepath.Join(r.dir, filepath.FromSlash(rel))
	st, err := os.Lstat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !st.IsDir():
		r.problem(Position{File: rel}, "it is not a folder")
		return nil
	}
	entries, err := os.ReadDir(full)
	if err != nil {
		return err
	}
	top, _, _ := strings.Cut(rel, "/")
	var files []string
	have := map[string]bool{}
	for _, e := range entries {
		have[e.Name()] = true
	}
	for _, e := range entries {
		name, file := e.Name(), path.Join(rel, e.Name())
		switch {
		case name == folderFile && top == dirQueries && len(up) > 0:
			if err := r.renamedFolder(file, up); err != nil {
				return err
			}
		case strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".md"):
		case e.Type()&fs.ModeSymlink != 0:
			r.problem(Position{File: file}, "symbolic links are not followed")
		case e.IsDir() && top == dirQueries:
			below := append(slices.Clone(up), objectName(name))
			if bad := badFolderName(objectName(name)); bad || len(below) > maxFolders {
				r.problem(Position{File: file}, "it cannot be the name of a folder of queries")
				continue
			}
			r.add(&Folder{Base{Ref: Ref{KindFolder, "/" + strings.Join(below, "/")}, At: Position{File: file}}})
			if err := r.folder(file, below); err != nil {
				return err
			}
		case e.IsDir():
			r.problem(Position{File: file}, "%s has no folders in it", top)
		case strings.HasSuffix(name, endYAML) || strings.HasSuffix(name, endSQL) &&
			(top == dirQueries || top == dirGolden):
			files = append(files, file)
		default:
			r.problem(Position{File: file}, "%s", strange(top))
		}
	}
	return r.files(files, top, up, have)
}

// files reads files of a folder, several at once, and adds what they describe in their order.
func (r *reader) files(files []string, top string, up []string, have map[string]bool) error {
	parts, failed := make([]*reader, len(files)), make([]error, len(files))
	err := each.Parallel(len(files), func() func(int) {
		return func(i int) {
			parts[i] = &reader{dir: r.dir}
			stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(files[i]), endSQL), endYAML)
			failed[i] = parts[i].file(top, files[i], stem, up, have)
		}
	})
	if err != nil {
		return err
	}
	for i, part := range parts {
		if failed[i] != nil {
			return failed[i]
		}
		for _, p := range part.bad {
			if !slices.Contains(r.bad, p) { // a statement and the file beside it
				r.bad = append(r.bad, p)
			}
		}
		for _, o := range part.found {
			r.add(o)
		}
	}
	return nil
}

// regular reads a regular file. Reading anything else, such as a named pipe, may never end; it is recorded as a
// problem, and the result is nil.
func (r *reader) regular(file string) ([]byte, error) {
	full := filepath.Join(r.dir, filepath.FromSlash(file))
	stat := os.Lstat
	if file == Marker {
		stat = os.Stat // it may be a link
	}
	st, err := stat(full)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		at := Position{File: file}
		if !slices.ContainsFunc(r.bad, func(p Problem) bool { return p.Position == at }) {
			r.problem(at, "it is not a regular file")
		}
		return nil, nil
	}
	most, kind := int64(maxFile), "files of a project"
	switch {
	case file == Marker:
		most, kind = maxMarker, "this file"
	case strings.HasSuffix(file, endSQL):
		most, kind = maxStatement, "statements"
	}
	if st.Size() > most {
		r.problem(Position{File: file}, "it has %d bytes, more than %d, the maximum for %s", st.Size(), most, kind)
		return nil, nil
	}
	raw, err := os.ReadFile(full)
	if raw == nil {
		raw = []byte{}
	}
	return raw, err
}

// The sizes of files are limited: parsing takes a multiple of them in memory.
const (
	maxFile      = 16 << 20 // such as the tables of a catalog
	maxStatement = 1 << 20  // the gateways run no longer ones
	maxMarker    = 64 << 10
)

// misspelt finds folders with a name similar to one that is read: their objects would be missing, and prune would
// delete them.
func (r *reader) misspelt() error {
	entries, err := os.ReadDir(r.dir)
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() && e.Type()&fs.ModeSymlink == 0 || strings.HasPrefix(name, ".") || slices.Contains(dirs(), name) {
			continue
		}
		near := nearest.Of(name, dirs())
		if strings.EqualFold(name, "query") {
			near = dirQueries
		}
		if more := len(name) - len(near); near != "" && -2 <= more && more <= 2 {
			r.problem(Position{File: name},
				"a folder of this name is not read; did you mean %s? Give it another name if it is something else",
				near)
		}
	}
	return err
}

// maxFolders limits the nesting of folders.
const maxFolders = 32

func badFolderName(name string) bool {
	return name == "" || name == "." || name == ".." || strings.TrimSpace(name) != name || strings.Contains(name, "/")
}

// strange describes which files a folder may contain.
func strange(top string) string {
	if top == dirQueries || top == dirGolden {
		return "files here end in .sql or .yaml; names that start with a dot or end in .md are ignored"
	}
	return "files here end in .yaml; names that start with a dot or end in .md are ignored"
}

func (r *reader) renamedFolder(file string, up []string) error {
	raw, err := r.regular(file)
	if raw == nil || err != nil {
		return err
	}
	var f fileFolder
	if at := r.decode(file, raw, &f); at != nil {
		o := r.p.Get(KindFolder, "/"+strings.Join(up, "/"))
		if b := o.base(); f.RenamedFrom != "" {
			b.RenamedFrom, b.At = "/"+strings.Trim(f.RenamedFrom, "/"), at.line("renamed-from")
		}
	}
	return nil
}

// doc is a parsed YAML file, for the lines of its members.
type doc struct {
	file string
	root *yaml.Node
}

// line returns the place of a member, which is given by its path of names and indexes.
func (d *doc) line(members ...any) Position {
	n := d.root
	at := Position{d.file, 1}
	for _, m := range members {
		if n == nil {
			break
		}
		switch m := m.(type) {
		case int:
			if n.Kind != yaml.SequenceNode || m >= len(n.Content) {
				return at
			}
			n = n.Content[m]
			at.Line = n.Line
		case string:
			var next *yaml.Node
			for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
				if n.Content[i].Value == m {
					next, at.Line = n.Content[i+1], n.Content[i].Line
				}
			}
			n = next
		}
	}
	return at
}

var (
	yamlLine    = late.Regexp(`^(?:yaml: )?line (\d+): (.*)$`)
	yamlUnknown = late.Regexp(`^field (\S+) not found in type (\S+)$`)
	yamlWrong   = late.Regexp("^cannot unmarshal !!(\\S+) (?:`(.*)` )?into (\\S+)$")
)

// decode parses a file. If it is invalid, it records the mistake and returns nil.
func (r *reader) decode(file string, raw []byte, into any) *doc {
	raw = bytes.TrimPrefix(raw, []byte(rowfile.Mark))
	d := &doc{file: file, root: &yaml.Node{}}
	err := yaml.Unmarshal(raw, d.root)
	if err == nil {
		if _, err := (expansion{}).size(d.root); err != nil {
			r.problem(Position{File: file}, "%v", err)
			return nil
		}
		dec := yaml.NewDecoder(bytes.NewReader(raw))
		dec.KnownFields(true)
		if err = dec.Decode(into); err == io.EOF {
			err = nil // an empty file
		} else if err == nil && dec.Decode(new(yaml.Node)) == nil {
			r.problem(Position{File: file}, "it has more than one document")
			return nil
		}
	}
	if len(d.root.Content) > 0 {
		d.root = d.root.Content[0]
	}
	if err == nil && !r.filled(d, into) {
		return nil
	}
	if err == nil {
		return r.complete(d, into)
	}
	lines := []string{err.Error()}
	var te *yaml.TypeError
	if errors.As(err, &te) {
		lines = te.Errors
	}
	for _, l := range lines {
		at := Position{File: file}
		if m := yamlLine().FindStringSubmatch(l); m != nil {
			at.Line, _ = strconv.Atoi(m[1])
			l = m[2]
		}
		if m := yamlUnknown().FindStringSubmatch(l); m != nil {
			l = fmt.Sprintf("unknown member %q", m[1])
			if near := nearest.Of(m[1], membersOf(reflect.TypeOf(into), m[2])); near != "" {
				l += fmt.Sprintf("; did you mean %q?", near)
			}
		} else if m := yamlWrong().FindStringSubmatch(l); m != nil {
			l = fmt.Sprintf("%s is not %s", cmp.Or(m[2], map[string]string{"seq": "a list", "map": "an object"}[m[1]],
				m[1]), shapeOf(m[3]))
		}
		r.problem(at, "%s", strings.TrimPrefix(l, "yaml: "))
	}
	return nil
}

func shapeOf(goType string) string {
	switch {
	case strings.HasPrefix(goType, "[]") || goType == "manifest.fileRelations":
		return "a list"
	case goType == "string":
		return "a text"
	case goType == "bool":
		return "true or false"
	case goType == "int":
		return "an integer"
	}
	return "an object with members"
}
