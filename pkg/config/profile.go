package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// Profile is a named zone and address with defaults. Zero fields are not set. The key is stored separately, see
// KeyStore.
type Profile struct {
	Name      string `json:"name" yaml:"name"`
	Zone      string `json:"zone,omitempty" yaml:"zone,omitempty"`
	BaseURL   string `json:"baseUrl,omitempty" yaml:"baseUrl,omitempty"`
	Org       string `json:"org,omitempty" yaml:"org,omitempty"`
	Workspace string `json:"workspace,omitempty" yaml:"workspace,omitempty"`
	Project   string `json:"project,omitempty" yaml:"project,omitempty"`
	Output    string `json:"output,omitempty" yaml:"output,omitempty"`
	Timeout   string `json:"timeout,omitempty" yaml:"timeout,omitempty"`
	History   string `json:"history,omitempty" yaml:"history,omitempty"`
	Spool     string `json:"spool,omitempty" yaml:"spool,omitempty"`
	Protect   string `json:"protect,omitempty" yaml:"protect,omitempty"` // ReadOnly, Confirm or ""
	Files     string `json:"files,omitempty" yaml:"files,omitempty"`     // FilesOn, FilesOff or ""
	Journal   string `json:"journal,omitempty" yaml:"journal,omitempty"`
	Friendly  string `json:"friendly,omitempty" yaml:"friendly,omitempty"` // FilesOn, FilesOff or ""

	ConnectTimeout string `json:"connectTimeout,omitempty" yaml:"connectTimeout,omitempty"`
	ReplyTimeout   string `json:"replyTimeout,omitempty" yaml:"replyTimeout,omitempty"`
	CAFile         string `json:"caFile,omitempty" yaml:"caFile,omitempty"`
	ClientCert     string `json:"clientCert,omitempty" yaml:"clientCert,omitempty"`
	ClientKey      string `json:"clientKey,omitempty" yaml:"clientKey,omitempty"`

	KeyStorage string `json:"keyStorage,omitempty" yaml:"keyStorage,omitempty"` // "keyring", "file" or "" for no key
	// when the key expires, RFC 3339; "" for never or unknown
	KeyExpires string `json:"keyExpires,omitempty" yaml:"keyExpires,omitempty"`

	// What the gateway said about the key when it was stored; "" if unknown, see KeyFacts.
	KeyKind        string `json:"keyKind,omitempty" yaml:"keyKind,omitempty"`
	KeyUser        string `json:"keyUser,omitempty" yaml:"keyUser,omitempty"`
	KeyProject     string `json:"keyProject,omitempty" yaml:"keyProject,omitempty"`
	KeyProjectName string `json:"keyProjectName,omitempty" yaml:"keyProjectName,omitempty"`
}

// EffectiveZone returns the zone that a profile selects: the given one, or that of its address, or local.
func (p Profile) EffectiveZone() Zone {
	return cmp.Or(Zone(p.Zone), ZoneOfAddress(p.BaseURL), Local)
}

// InProcess reports whether a profile is for the gateway in the binary, which needs no key: its zone is local and it
// has no address.
func (p Profile) InProcess() bool { return Zone(p.Zone) == Local && p.BaseURL == "" }

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
	case nameProtect:
		return &p.Protect
	case nameFiles:
		return &p.Files
	case nameJournal:
		return &p.Journal
	case nameFriendly:
		return &p.Friendly
	case nameConnectTimeout:
		return &p.ConnectTimeout
	case nameReplyTimeout:
		return &p.ReplyTimeout
	case nameCAFile:
		return &p.CAFile
	case nameClientCert:
		return &p.ClientCert
	case nameClientKey:
		return &p.ClientKey
	}
	return p.keyField(name)
}

func profileFields() []string { return append(ownFields(), keyFields()...) }

// ownFields are the fields that users set: the settings.
func ownFields() []string {
	return slices.DeleteFunc(settingNames(), func(n string) bool { return n == nameProfile })
}

// check validates a profile as a whole and normalizes its address.
func (p *Profile) check() error {
	if err := CheckProfileName(p.Name); err != nil {
		return err
	}
	for _, name := range profileFields() {
		f := p.field(name)
		if *f == "" {
			continue
		}
		if slices.Contains(keyFields(), name) {
			if err := checkKeyField(name, *f); err != nil {
				return err
			}
			continue
		}
		v, err := normal(name, *f)
		if err != nil {
			return err
		}
		*f = v
		if slices.Contains(files(), name) && !filepath.IsAbs(v) {
			return &Error{Kind: ErrUsage, Field: name, Msg: fmt.Sprintf("%q is not an absolute path", v)}
		}
	}
	return zoneAndAddress(Zone(p.Zone), p.BaseURL, "profile "+p.Name)
}

// zoneAndAddress rejects an address that is known to belong to another zone: the location of data must not be guessed.
func zoneAndAddress(z Zone, addr, where string) error {
	other := ZoneOfAddress(addr)
	if z == "" || other == "" || other == z {
		return nil
	}
	return &Error{Kind: ErrUsage, Field: where, Msg: fmt.Sprintf("zone %s, but base-url %s is an address of zone %s",
		z, addr, other),
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
	return s.locked(func() error {
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

// Key returns the stored key of a profile with its address. The error wraps ErrNotAllowed if the profile has none.
func (s *Store) Key(p Profile) (StoredKey, error) {
	if p.KeyStorage == "" {
		return StoredKey{}, &Error{Kind: ErrNotAllowed, Msg: fmt.Sprintf("profile %s has no key", p.Name),
			hint: "store one: dig auth login " + p.Name + ", or set DIG_API_KEY"}
	}
	k, err := s.keys(p.KeyStorage).Get(p.Name)
	if errors.Is(err, errNoKey) {
		return k, &Error{Kind: ErrNotAllowed, Msg: err.Error(), hint: "store it again: dig auth login " + p.Name}
	}
	return k, err
}

func (s *Store) keys(storage string) KeyStore {
	if storage == "keyring" {
		return newKeyringStore(s.dir, s.getenv)
	}
	return newFileStore(s.dir)
}
