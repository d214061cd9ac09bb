package sync

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/config"
)

// errOwnKey rejects a reference to a key of this program: the author of the files also chose the address that the value
// is sent to.
var errOwnKey = errors.New("is a key of this program, which is not sent to connections")

// permitted returns why a reference must not be looked up. It reads no secrets except those in variables.
func (s secrets) permitted(r manifest.Reference) error {
	switch r.Kind {
	case "env":
		if slices.ContainsFunc([]string{"DIG_API_KEY", "DIG_CLIENT_KEY"},
			func(name string) bool { return strings.EqualFold(name, r.Name) }) {
			return fmt.Errorf("%s %w", r, errOwnKey)
		}
		return s.foreign(r, s.e.Getenv(r.Name))
	case "file":
		return s.permittedFile(r)
	case "keyring":
		if config.OwnKeyringEntry(r.Name) {
			return fmt.Errorf("%s %w", r, errOwnKey)
		}
	}
	return nil
}

// foreign returns an error if a value contains the key of this run.
func (s secrets) foreign(r manifest.Reference, value string) error {
	key := ""
	if set := s.e.Run.Settings; set != nil {
		key = set.Key.Reveal()
	}
	for _, own := range []string{key, s.e.Getenv("DIG_API_KEY")} {
		if own != "" && strings.Contains(value, own) {
			return fmt.Errorf("%s %w", r, errOwnKey)
		}
	}
	return nil
}

// path is the file that a reference names.
func (s secrets) path(r manifest.Reference) string {
	if filepath.IsAbs(r.Name) {
		return filepath.Clean(r.Name)
	}
	return filepath.Join(s.dir, r.Name)
}

// permittedFile allows the files below the directory of the project and those given by --secrets-from, except this
// program's own files. Links are followed first.
func (s secrets) permittedFile(r manifest.Reference) error {
	path := s.path(r)
	whole, settings := config.OwnDirs(s.e.Getenv)
	for _, own := range slices.Concat(whole, settings) {
		if within(own, path) && !within(own, s.dir) {
			return fmt.Errorf("%s is in %s, which has this program's own files; they are not sent to connections", r,
				own)
		}
	}
	own := []string{s.e.Getenv("DIG_CLIENT_KEY")}
	if set := s.e.Run.Settings; set != nil {
		own = append(own, set.ClientKey.Value)
	}
	if dir, err := config.ConfigDir(s.e.Getenv); err == nil {
		own = append(own, filepath.Join(dir, "credentials.yaml"), filepath.Join(dir, "config.yaml"))
	}
	if is, err := os.Stat(path); err == nil {
		for _, name := range own {
			if st, err := os.Stat(name); err == nil && os.SameFile(is, st) {
				return fmt.Errorf("%s %w", r, errOwnKey)
			}
		}
	}
	if within(s.dir, path) || slices.ContainsFunc(s.from, func(dir string) bool { return within(s.e.Abs(dir), path) }) {
		return nil
	}
	return fmt.Errorf("%s is outside the directory of the project; --secrets-from %s allows it", r,
		filepath.Dir(real(path)))
}

// within reports whether a file is in a directory, after links are followed.
func within(dir, path string) bool {
	rel, err := filepath.Rel(real(dir), real(path))
	return err == nil && filepath.IsLocal(rel)
}

// real follows the links of a path as far as it exists.
func real(path string) string {
	if got, err := filepath.EvalSymlinks(path); err == nil {
		return got
	}
	up := filepath.Dir(path)
	if up == path {
		return path
	}
	return filepath.Join(real(up), filepath.Base(path))
}

// allowed checks all references in the files, also those that are not looked up now.
func (s secrets) allowed(p *manifest.Project) error {
	var bad manifest.Invalid
	check := func(at manifest.Position, what string, values map[string]manifest.Value) {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			for _, r := range referencesIn(values[name]) {
				if err := s.permitted(r); err != nil {
					bad = append(bad, manifest.Problem{Position: at, Text: fmt.Sprintf("%s %s: %v", what, name, err)})
				}
			}
		}
	}
	for _, c := range manifest.Of[*manifest.Connection](p, manifest.KindConnection) {
		check(c.At, "credential", c.Credential)
	}
	for _, c := range manifest.Of[*manifest.Catalog](p, manifest.KindCatalog) {
		check(c.At, "parameters", c.Parameters)
	}
	if len(bad) == 0 {
		return nil
	}
	f := exitcode.Usagef("%s", bad.Error())
	f.Code = "secret-not-allowed"
	return f
}

func referencesIn(v manifest.Value) []manifest.Reference {
	text, ok := v.Text()
	if !ok {
		return nil
	}
	refs, _ := manifest.References(text) // a mistake is reported where the value is used
	return refs
}

// sends returns the references that a change of a connection or catalog resolves, and where their values are sent; nil
// if there are none.
func (s secrets) sends(ch manifest.Change, files *manifest.Project) *manifest.Sent {
	if ch.Want == nil || files == nil {
		return nil
	}
	var values map[string]manifest.Value
	var out manifest.Sent
	switch o := files.Get(ch.Kind, ch.Name).(type) {
	case *manifest.Connection:
		if ch.Action != manifest.Create && !slices.ContainsFunc(ch.Fields,
			func(f manifest.Difference) bool { return f.Name != "name" }) {
			return nil
		}
		values, out.To = o.Credential, s.addresses(o)
	case *manifest.Catalog:
		if values = o.Parameters; ch.Action != manifest.Create {
			return nil
		}
		if c, ok := files.Get(manifest.KindConnection, o.Connection).(*manifest.Connection); ok {
			out.To = s.addresses(c)
		} else {
			out.To = []string{"connection " + o.Connection}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, r := range referencesIn(values[name]) {
			out.Reads = append(out.Reads, manifest.Sending{Field: name, Reference: r.String()})
		}
	}
	if out.Reads == nil {
		return nil
	}
	return &out
}

// addresses describes the fields of a credential that determine where it is sent.
func (s secrets) addresses(c *manifest.Connection) []string {
	out := []string{}
	for _, name := range slices.Sorted(maps.Keys(c.Credential)) {
		if !addresses(name) {
			continue
		}
		v := c.Credential[name]
		if x, err := s.expand(name, v); err == nil {
			v = x
		}
		out = append(out, name+" "+secret.Hide(v.String()))
	}
	if len(out) == 0 {
		out = append(out, "the service of type "+c.Type)
	}
	return out
}

// mark sets the field Sends of changes.
func (s secrets) mark(todo []manifest.Change, files *manifest.Project) {
	for i := range todo {
		todo[i].Sends = s.sends(todo[i], files)
	}
}
