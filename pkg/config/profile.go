package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dig-cli/dig/internal/nearest"
)

// Profile is a named zone and address with defaults. Zero fields are not set. The key is stored separately, see
// KeyStore.
type Profile struct {
	Name       string `json:"name" yaml:"name"`
	Zone       string `json:"zone,omitempty" yaml:"zone,omitempty"`
	BaseURL    string `json:"baseUrl,omitempty" yaml:"baseUrl,omitempty"`
	Org        string `json:"org,omitempty" yaml:"org,omitempty"`
	Workspace  string `json:"workspace,omitempty" yaml:"workspace,omitempty"`
	Project    string `json:"project,omitempty" yaml:"project,omitempty"`
	Output     string `json:"output,omitempty" yaml:"output,omitempty"`
	Timeout    string `json:"timeout,omitempty" yaml:"timeout,omitempty"`
	History    string `json:"history,omitempty" yaml:"history,omitempty"`
	Spool      string `json:"spool,omitempty" yaml:"spool,omitempty"`
	KeyStorage string `json:"keyStorage,omitempty" yaml:"keyStorage,omitempty"` // "keyring", "file" or "" for no key
	KeyExpires string `json:"keyExpires,omitempty" yaml:"keyExpires,omitempty"` // when the key expires, RFC 3339; "" for never or unknown
}

// Address returns the base address of the profile: its own, else the first default address of its zone, else "".
func (p Profile) Address() string {
	if p.BaseURL != "" {
		return p.BaseURL
	}
	if a := DefaultAddresses(Zone(p.Zone)); len(a) > 0 {
		return a[0]
	}
	return ""
}

// Fields that are not settings.
const (
	fieldKeyStorage = "key-storage"
	fieldKeyExpires = "key-expires"
)

func (p *Profile) field(name string) *string {
	switch name {
	case nameZone:
		return &p.Zone
	case nameBaseURL:
		return &p.BaseURL
	case nameOrg:
		return &p.Org
	case nameWorkspace:
		return &p.Workspace
	case nameProject:
		return &p.Project
	case nameOutput:
		return &p.Output
	case nameTimeout:
		return &p.Timeout
	case nameHistory:
		return &p.History
	case nameSpool:
		return &p.Spool
	case fieldKeyStorage:
		return &p.KeyStorage
	case fieldKeyExpires:
		return &p.KeyExpires
	}
	return nil
}

func profileFields() []string {
	return append(slices.DeleteFunc(settingNames(), func(n string) bool { return n == nameProfile }), fieldKeyStorage, fieldKeyExpires)
}

// check validates a profile as a whole and normalizes its address.
func (p *Profile) check() error {
	if err := CheckProfileName(p.Name); err != nil {
		return err
	}
	for _, name := range profileFields() {
		f := p.field(name)
		if *f == "" || name == fieldKeyStorage {
			continue
		}
		if name == fieldKeyExpires {
			if _, err := time.Parse(time.RFC3339, *f); err != nil {
				return &Error{Kind: ErrUsage, Field: name, Msg: fmt.Sprintf("%q is not a time such as 2030-01-31T00:00:00Z", *f)}
			}
			continue
		}
		v, err := normal(name, *f)
		if err != nil {
			return err
		}
		*f = v
	}
	return zoneAndAddress(Zone(p.Zone), p.BaseURL, "profile "+p.Name)
}

// zoneAndAddress rejects an address that is known to belong to another zone: the location of data must not be guessed.
func zoneAndAddress(z Zone, addr, where string) error {
	other := ZoneOfAddress(addr)
	if z == "" || other == "" || other == z {
		return nil
	}
	return &Error{Kind: ErrUsage, Field: where, Msg: fmt.Sprintf("zone %s, but base-url %s is an address of zone %s", z, addr, other),
		hint: "omit base-url to use the zone's own address"}
}

// Store holds the profiles of one configuration directory: config.yaml, and the keys in a file next to it or in the OS
// keyring. Its methods may be called from several processes concurrently; writers wait for each other.
type Store struct {
	dir    string
	getenv func(string) string
}

// OpenStore returns the store of dir, or of ConfigDir if dir is "". Nothing is created before the first write.
func OpenStore(dir string, getenv func(string) string) (*Store, error) {
	if dir == "" {
		d, err := ConfigDir(getenv)
		if err != nil {
			return nil, err
		}
		dir = d
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, &Error{Kind: ErrUsage, File: dir, Msg: "cannot be made absolute", cause: err}
	}
	return &Store{dir: abs, getenv: getenv}, nil
}

// Path returns the path of config.yaml.
func (s *Store) Path() string { return filepath.Join(s.dir, "config.yaml") }

type configFile struct {
	doc      *yaml.Node
	profiles *yaml.Node // nil if there is no file
	current  string
	list     []Profile
	lines    map[string]int
}

func (s *Store) load() (*configFile, error) {
	path := s.Path()
	// The file holds no secrets, but its addresses need protection: anyone who can write to it can redirect a profile.
	if err := checkMode(path, 0o002, "change"); err != nil {
		return nil, err
	}
	data, err := readBounded(path)
	if err != nil {
		return nil, err
	}
	doc, root, err := parseMapping(path, data)
	if err != nil {
		return nil, err
	}
	if data == nil {
		root.HeadComment = "Profiles of dig. Keys are not stored here."
	}
	c := &configFile{doc: doc, lines: map[string]int{}}
	currentLine := 0
	err = pairs(path, root, func(name, value *yaml.Node) error {
		switch name.Value {
		case "current":
			currentLine = value.Line
			c.current, err = scalar(path, name, value)
			return err
		case "profiles":
			if isNull(value) {
				*value = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", HeadComment: value.HeadComment, LineComment: value.LineComment}
			}
			if value.Kind != yaml.MappingNode {
				return &Error{Kind: ErrUsage, File: path, Line: value.Line, Field: "profiles", Msg: "is not a mapping"}
			}
			c.profiles = value
			return pairs(path, value, func(name, value *yaml.Node) error { return c.read(path, name, value) })
		}
		return unknownField(path, name, []string{"current", "profiles"})
	})
	if err != nil {
		return nil, err
	}
	if c.current != "" && c.find(c.current) == nil {
		return nil, &Error{Kind: ErrUsage, File: path, Line: currentLine, Field: "current", Msg: fmt.Sprintf("there is no profile %q in this file", c.current),
			hint: "name one of the profiles or remove the line"}
	}
	return c, nil
}

func (c *configFile) read(path string, name, value *yaml.Node) error {
	p := Profile{Name: name.Value}
	if value.Kind != yaml.MappingNode && !isNull(value) {
		return &Error{Kind: ErrUsage, File: path, Line: value.Line, Field: name.Value, Msg: "is not a mapping"}
	}
	err := pairs(path, value, func(field, v *yaml.Node) error {
		target := p.field(field.Value)
		if target == nil {
			if isKeyName(field.Value) {
				return &Error{Kind: ErrUsage, File: path, Line: field.Line, Field: field.Value, Msg: "keys are not stored in this file",
					hint: "remove the line and store the key: dig profile add " + p.Name + " --replace"}
			}
			return unknownField(path, field, profileFields())
		}
		txt, err := scalar(path, field, v)
		if err != nil {
			return err
		}
		if field.Value == fieldKeyStorage {
			if txt != "keyring" && txt != "file" {
				return &Error{Kind: ErrUsage, File: path, Line: v.Line, Field: field.Value, Msg: fmt.Sprintf("%q is not a storage (keyring or file)", txt)}
			}
			*target = txt
			return nil
		}
		if field.Value == fieldKeyExpires { // checked by check
			*target = txt
			return nil
		}
		*target, err = normal(field.Value, txt)
		return at(err, path, v.Line)
	})
	if err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return at(err, path, name.Line)
	}
	c.list = append(c.list, p)
	c.lines[p.Name] = name.Line
	return nil
}

func (c *configFile) find(name string) *Profile {
	for i := range c.list {
		if c.list[i].Name == name {
			return &c.list[i]
		}
	}
	return nil
}

func (c *configFile) unknown(name string) error {
	e := &Error{Kind: ErrNotFound, Field: nameProfile, Msg: fmt.Sprintf("there is no profile %q", name)}
	names := make([]string, len(c.list))
	for i, p := range c.list {
		names[i] = p.Name
	}
	switch near := nearest.Of(name, names); {
	case near != "":
		e.hint = "did you mean " + near + "?"
	case len(names) > 0:
		e.hint = "the profiles are " + strings.Join(names, ", ")
	default:
		e.hint = "add one: dig profile add " + name
	}
	return e
}

// put writes a profile into the document, field by field, so that comments on them are preserved.
func (c *configFile) put(p Profile) {
	if c.profiles == nil {
		c.profiles = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		setChild(c.doc.Content[0], "profiles", c.profiles)
	}
	entry := child(c.profiles, p.Name)
	if entry == nil || entry.Kind != yaml.MappingNode {
		entry = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		setChild(c.profiles, p.Name, entry)
	}
	for _, name := range profileFields() {
		v := *p.field(name)
		old := child(entry, name)
		switch {
		case v == "":
			setChild(entry, name, nil)
		case old == nil || old.Value != v:
			setChild(entry, name, text(v))
		}
	}
}

func (s *Store) save(c *configFile) error {
	data, err := encode(c.doc)
	if err != nil {
		return &Error{Kind: ErrStorage, File: s.Path(), Msg: "cannot be encoded", cause: err}
	}
	return writeAtomic(s.Path(), data)
}

// List returns the profiles in file order and the name of the current one ("" for none).
func (s *Store) List() (profiles []Profile, current string, err error) {
	c, err := s.load()
	if err != nil {
		return nil, "", err
	}
	return c.list, c.current, nil
}

// Get returns one profile. The error wraps ErrNotFound if it does not exist.
func (s *Store) Get(name string) (Profile, error) {
	c, err := s.load()
	if err != nil {
		return Profile{}, err
	}
	if p := c.find(name); p != nil {
		return *p, nil
	}
	return Profile{}, c.unknown(name)
}

// Use makes a profile the default for runs that do not name one; "" removes the default.
func (s *Store) Use(name string) error {
	return withLock(s.dir, func() error {
		c, err := s.load()
		if err != nil {
			return err
		}
		if name == "" {
			setChild(c.doc.Content[0], "current", nil)
			return s.save(c)
		}
		if c.find(name) == nil {
			return c.unknown(name)
		}
		setChild(c.doc.Content[0], "current", text(name))
		return s.save(c)
	})
}

// Update changes fields of a profile. Its name and key storage cannot be changed here; its key stays bound to the
// address it was stored for, so a profile with a new address needs a new key.
func (s *Store) Update(name string, change func(*Profile)) error {
	return withLock(s.dir, func() error {
		c, err := s.load()
		if err != nil {
			return err
		}
		p := c.find(name)
		if p == nil {
			return c.unknown(name)
		}
		next := *p
		change(&next)
		next.Name, next.KeyStorage, next.KeyExpires = p.Name, p.KeyStorage, p.KeyExpires
		if err := next.check(); err != nil {
			return err
		}
		c.put(next)
		return s.save(c)
	})
}

// Key returns the stored key of a profile with its address. The error wraps ErrNotAllowed if the profile has none.
func (s *Store) Key(p Profile) (StoredKey, error) {
	if p.KeyStorage == "" {
		return StoredKey{}, &Error{Kind: ErrNotAllowed, Msg: fmt.Sprintf("profile %s has no key", p.Name),
			hint: "store one: dig profile add " + p.Name + " --replace, or set DIG_API_KEY"}
	}
	k, err := s.keys(p.KeyStorage).Get(p.Name)
	if errors.Is(err, errNoKey) {
		return k, &Error{Kind: ErrNotAllowed, Msg: err.Error(), hint: "store it again: dig profile add " + p.Name + " --replace"}
	}
	return k, err
}

func (s *Store) keys(storage string) KeyStore {
	if storage == "keyring" {
		return newKeyringStore(s.dir, s.getenv)
	}
	return newFileStore(s.dir)
}
