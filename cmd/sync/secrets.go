package sync

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
)

// secrets resolves references. dir is the directory of the project, to which paths are relative.
type secrets struct {
	e    *cli.Env
	dir  string
	from []string // the directories of --secrets-from
}

func (s secrets) lookup(field string, r manifest.Reference) (string, error) {
	if err := s.permitted(r); err != nil {
		return "", err
	}
	var text string
	switch r.Kind {
	case "env":
		if text = s.e.Getenv(r.Name); text == "" {
			return "", fmt.Errorf("variable %s is not set, or empty", r.Name)
		}
	case "file":
		raw, err := os.ReadFile(s.path(r))
		if err != nil {
			return "", err
		}
		if text, err = secretText(raw); err != nil {
			return "", fmt.Errorf("file %s %w", r.Name, err)
		}
	case "keyring":
		var err error
		if text, err = config.KeyringSecret(s.e.Getenv, r.Name); err != nil {
			return "", err
		}
		if text == "" {
			return "", fmt.Errorf("the secret %s in the keyring is empty", r.Name)
		}
	}
	if err := s.foreign(r, text); err != nil {
		return "", err
	}
	s.hide(field, r, text)
	return text, nil
}

// hide masks a value that was looked up. Variables that determine where a connection goes, such as a host, a port or a
// name, are not masked, because the output contains them.
func (s secrets) hide(field string, r manifest.Reference, text string) {
	if r.Kind == "env" && !secret.Named(field) && !secret.Named(r.Name) && !secret.Address(text) &&
		(secret.OpenField(field) || addresses(field)) {
		return
	}
	if len(text) > 3 { // masking a shorter one would mask parts of words
		s.e.Run.Mask.Hide(text)
	}
}

// addresses reports whether a field of a credential determines where it is sent.
func addresses(field string) bool {
	n := strings.ToLower(field)
	return !secret.Named(field) && slices.ContainsFunc([]string{"url", "uri", "host", "endpoint", "server", "address",
		"account", "broker"}, func(w string) bool { return strings.Contains(n, w) })
}

// secretText returns the secret in a file, without the final line ending and byte order mark.
func secretText(raw []byte) (string, error) {
	raw = bytes.TrimPrefix(raw, []byte(rowfile.Mark))
	text := cli.FileText(raw)
	switch {
	case text == "":
		return "", errors.New("is empty")
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", errors.New("is not text in UTF-8") // PowerShell writes UTF-16
	}
	return text, nil
}

// refers reports whether a value contains references.
func refers(v manifest.Value) bool {
	text, ok := v.Text()
	refs, err := manifest.References(text)
	return ok && err == nil && len(refs) > 0
}

// expand replaces the references in a value of a field.
func (s secrets) expand(field string, v manifest.Value) (manifest.Value, error) {
	text, ok := v.Text()
	if !ok {
		// otherwise the reference itself would be sent
		if refs, err := manifest.References(string(v.JSON())); err != nil || len(refs) > 0 {
			return v, errors.New("references are resolved in strings only, not in lists or objects")
		}
		return v, nil
	}
	find := func(r manifest.Reference) (string, error) { return s.lookup(field, r) }
	// a JSON document: its references are inside strings
	if json.Valid([]byte(text)) && strings.ContainsAny(strings.TrimSpace(text)[:1], "{[") {
		find = func(r manifest.Reference) (string, error) {
			found, err := s.lookup(field, r)
			if err != nil {
				return "", err
			}
			raw, err := api.Marshal(found)
			if err != nil {
				return "", err
			}
			found = strings.TrimSuffix(strings.TrimPrefix(string(raw), `"`), `"`)
			s.hide(field, r, found)
			return found, nil
		}
	}
	text, err := manifest.Expand(text, find)
	return manifest.TextValue(text), err
}

// compared replaces the credential of each connection with a comparable form: references in members that the gateway
// returns are resolved, others are unchanged.
func (s secrets) compared(want, have *manifest.Project) (*manifest.Project, error) {
	out := manifest.New()
	for _, k := range manifest.Kinds() {
		for _, o := range manifest.Of[manifest.Object](want, k) {
			if c, ok := o.(*manifest.Connection); ok {
				copied := *c
				copied.Credential = maps.Clone(c.Credential)
				there, _ := have.Get(manifest.KindConnection, c.Name).(*manifest.Connection)
				if there == nil && c.RenamedFrom != "" {
					there, _ = have.Get(manifest.KindConnection, c.RenamedFrom).(*manifest.Connection)
				}
				for name, v := range c.Credential {
					if there == nil {
						break
					}
					if _, ok := there.Credential[name]; !ok {
						found, err := secretIn(name, v.JSON())
						if err != nil {
							return nil, exitcode.Usagef("%s: credential %s: %v", c.At.File, name, err)
						}
						if refers(v) || found != "" { // no gateway returns it
							delete(copied.Credential, name)
						}
						continue
					}
					x, err := s.expand(name, v)
					if err != nil {
						return nil, exitcode.Usagef("%s: credential %s: %v", c.At.File, name, err)
					}
					copied.Credential[name] = x
				}
				o = &copied
			}
			out.Put(o)
		}
	}
	return out, nil
}

// credential returns the credential of a connection for sending: with references resolved, and with the JSON types of
// its fields.
func (s secrets) credential(c *manifest.Connection,
	types []api.ConnectionConfiguration) (api.Credential, string, error) {
	kind, fields := c.Type, map[string]api.ConnectionConfigurationItem{}
	for _, t := range types {
		if strings.EqualFold(t.ConnectionType, c.Type) {
			kind = t.ConnectionType
			for _, f := range t.Configuration {
				fields[f.FieldName] = f
			}
		}
	}
	out := api.Credential{}
	for _, name := range slices.Sorted(maps.Keys(c.Credential)) {
		v, err := s.expand(name, c.Credential[name])
		if err != nil {
			return nil, "", exitcode.Usagef("%s: credential %s: %v", c.At.File, name, err)
		}
		text, isText := v.Text()
		if isText && (secret.Named(name) || secret.Address(text)) {
			s.e.Run.Mask.Hide(text)
		}
		switch f := fields[name]; {
		case f.FieldType == "number" && isText:
			if _, err := strconv.ParseFloat(text, 64); err != nil {
				return nil, "", exitcode.Usagef("%s: credential %s must be a number", c.At.File, name)
			}
			out[name] = json.Number(text)
		case f.FieldType == "boolean" && isText:
			b, err := strconv.ParseBool(text)
			if err != nil {
				return nil, "", exitcode.Usagef("%s: credential %s must be true or false", c.At.File, name)
			}
			out[name] = b
		default:
			out[name] = v.JSON()
		}
	}
	return out, kind, nil
}

// secretIn returns the path of a value that looks like a secret in a member of a credential: the member itself, or one
// within it; "" for none.
func secretIn(name string, raw json.RawMessage) (string, error) {
	_, found, err := secret.Open(name, raw)
	return found, err
}

// plainSecrets reports secrets in the files themselves.
func plainSecrets(p *manifest.Project) ([]string, error) {
	var out []string
	for _, c := range manifest.Of[*manifest.Connection](p, manifest.KindConnection) {
		for _, name := range slices.Sorted(maps.Keys(c.Credential)) {
			v := c.Credential[name]
			if refers(v) {
				continue
			}
			found, err := secretIn(name, v.JSON())
			if err != nil {
				return nil, fmt.Errorf("%s: credential %s: %w", c.At.File, name, err)
			}
			if found != "" {
				out = append(out, c.At.File+": "+found)
			}
		}
	}
	return out, nil
}

// exposed names the objects whose statement or value looks as if it contained a secret. Those are files as they are: a
// reference is resolved in credentials only.
func exposed(p *manifest.Project) []string {
	var out []string
	add := func(o manifest.Object, found bool) {
		if b := manifest.BaseOf(o); found {
			out = append(out, string(b.Kind)+" "+b.Name)
		}
	}
	for _, q := range manifest.Of[*manifest.Query](p, manifest.KindQuery) {
		add(q, secret.Statement(q.SQL) != q.SQL)
	}
	for _, g := range manifest.Of[*manifest.GoldenSQL](p, manifest.KindGoldenSQL) {
		add(g, secret.Statement(g.SQL) != g.SQL)
	}
	for _, t := range manifest.Of[*manifest.ParametricTable](p, manifest.KindParametricTable) {
		found := false
		for name, v := range t.Values {
			at, err := secretIn(name, v.JSON())
			found = found || err != nil || at != ""
		}
		add(t, found)
	}
	for _, kind := range []manifest.Kind{manifest.KindColumn, manifest.KindBIColumn} {
		for _, c := range manifest.Of[*manifest.Column](p, kind) {
			given := api.OrEmpty(c.Default)
			add(c, given != "" && secret.Named(c.Column) || secret.Hide(given) != given)
		}
	}
	return out
}

// kept adds to the objects of a gateway what only the files contain: references to secrets, parameters of catalogs,
// former names, and the names of the files of golden statements. notes lists what the files may lack.
func (s secrets) kept(have, old *manifest.Project, types []api.ConnectionConfiguration) (notes []string) {
	for _, c := range manifest.Of[*manifest.Connection](have, manifest.KindConnection) {
		was, _ := old.Get(manifest.KindConnection, c.Name).(*manifest.Connection)
		if was != nil && !strings.EqualFold(was.Type, c.Type) {
			was = nil
		}
		if was != nil {
			c.RenamedFrom = was.RenamedFrom
		}
		read := c.Credential
		c.Credential = map[string]manifest.Value{}
		for name, v := range read {
			c.Credential[name] = manifest.LiteralValue(v)
		}
		if was != nil {
			for name, v := range was.Credential {
				now, ok := read[name]
				if x, err := s.expand(name, v); !ok || err != nil || x.String() == now.String() {
					c.Credential[name] = v // also a reference that cannot be resolved here
				}
			}
		}
		for _, t := range types {
			if !strings.EqualFold(t.ConnectionType, c.Type) || t.RedirectRequired {
				continue
			}
			for _, f := range t.Configuration {
				switch _, ok := c.Credential[f.FieldName]; {
				case !ok && f.Required:
					c.Credential[f.FieldName] = manifest.Wanted(c.Name, f.FieldName)
				case !ok && was == nil && secret.Named(f.FieldName):
					notes = append(notes, fmt.Sprintf("whether connection %s has the optional field %s cannot be "+
						"read; if so, add a line such as %s: %s", c.Name, f.FieldName, f.FieldName,
						manifest.Wanted(c.Name, f.FieldName)))
				}
			}
		}
	}
	for _, c := range manifest.Of[*manifest.Catalog](have, manifest.KindCatalog) {
		if was, ok := old.Get(manifest.KindCatalog, c.Name).(*manifest.Catalog); ok {
			read := c.Parameters
			c.Parameters = maps.Clone(was.Parameters)
			if s.e.Local() { // which says so, unlike other zones
				delete(c.Parameters, api.CacheAnything)
			}
			if c.Parameters == nil {
				c.Parameters = read
			}
			maps.Copy(c.Parameters, read)
		}
	}
	for _, k := range []manifest.Kind{manifest.KindFolder, manifest.KindQuery, manifest.KindColumn,
		manifest.KindBIColumn} {
		for _, o := range manifest.Of[manifest.Object](have, k) {
			b := manifest.BaseOf(o)
			if was := old.Get(k, b.Name); was != nil {
				b.RenamedFrom = manifest.BaseOf(was).RenamedFrom
			}
		}
	}
	for _, c := range manifest.Of[*manifest.Cache](have, manifest.KindCache) {
		if was, ok := old.Get(manifest.KindCache, c.Name).(*manifest.Cache); ok && c.Untracked {
			c.Key, c.UpdatedAt, c.InsertOnly = was.Key, was.UpdatedAt, was.InsertOnly
		}
	}
	for _, t := range manifest.Of[*manifest.SemanticTable](have, manifest.KindSemanticTable) {
		if was, ok := old.Get(manifest.KindSemanticTable, t.Name).(*manifest.SemanticTable); ok && t.Query == "" {
			t.Query = was.Query
		}
	}
	for _, o := range exposed(have) {
		notes = append(notes, o+" is written as it is, and looks as if it contained a secret: see who reads the files")
	}
	files := map[string]manifest.Position{}
	for _, g := range manifest.Of[*manifest.GoldenSQL](old, manifest.KindGoldenSQL) {
		files[g.Prompt] = g.At
		files[g.Name] = g.At
	}
	for _, g := range manifest.Of[*manifest.GoldenSQL](have, manifest.KindGoldenSQL) {
		if at, ok := files[g.Name]; ok {
			g.At = at
		} else {
			g.At = files[g.Prompt]
		}
	}
	return notes
}
