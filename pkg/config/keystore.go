package config

import (
	"errors"
	"fmt"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

// StoredKey is a key and the base address it was stored for. It is sent to that address only, see SameKeyScope.
type StoredKey struct {
	Key     Key
	Address string
}

// KeyStore stores one key per profile. There are two implementations: the OS keyring and a file of mode 0600.
type KeyStore interface {
	// Name is "keyring" or "file", as written in config.yaml and in DIG_KEY_STORAGE.
	Name() string
	// Where describes where the keys are, for the user.
	Where() string
	Set(profile string, k StoredKey) error
	// Get returns errNoKey (wrapped) if there is none.
	Get(profile string) (StoredKey, error)
	// Deleting a missing key is not an error.
	Delete(profile string) error
}

var errNoKey = errors.New("no key is stored")

// fileStore is credentials.yaml. Its caller holds the lock of the directory while it writes.
type fileStore struct{ path string }

func newFileStore(dir string) *fileStore {
	return &fileStore{path: filepath.Join(dir, "credentials.yaml")}
}

func (s *fileStore) Name() string  { return "file" }
func (s *fileStore) Where() string { return "the file " + s.path + " (mode 0600)" }

func (s *fileStore) load() (doc, profiles *yaml.Node, err error) {
	if err := checkMode(s.path, 0o077, "read"); err != nil {
		return nil, nil, err
	}
	data, err := readBounded(s.path)
	if err != nil {
		return nil, nil, err
	}
	doc, root, err := parseMapping(s.path, data)
	if err != nil {
		return nil, nil, err
	}
	if data == nil {
		root.HeadComment = "Keys of the profiles in config.yaml, each with the only address it is sent to. " +
			"Owner-readable only (0600)."
	}
	err = pairs(s.path, root, func(name, value *yaml.Node) error {
		if name.Value != "profiles" {
			return unknownField(s.path, name, []string{"profiles"})
		}
		if value.Kind != yaml.MappingNode {
			return &Error{Kind: ErrUsage, File: s.path, Line: value.Line, Field: "profiles", Msg: "is not a mapping"}
		}
		profiles = value
		return nil
	})
	return doc, profiles, err
}

func (s *fileStore) Get(profile string) (StoredKey, error) {
	_, profiles, err := s.load()
	if err != nil {
		return StoredKey{}, err
	}
	var found *StoredKey
	if profiles != nil {
		err = pairs(s.path, profiles, func(name, value *yaml.Node) error {
			if name.Value != profile {
				return nil
			}
			k, err := s.entry(name, value)
			found = &k
			return err
		})
	}
	if err != nil {
		return StoredKey{}, err
	}
	if found == nil {
		return StoredKey{}, fmt.Errorf("%w for profile %s in %s", errNoKey, profile, s.path)
	}
	return *found, nil
}

func (s *fileStore) entry(name, value *yaml.Node) (StoredKey, error) {
	var k StoredKey
	if value.Kind != yaml.MappingNode {
		return k, &Error{Kind: ErrUsage, File: s.path, Line: value.Line, Field: name.Value,
			Msg: "is not a mapping with address and key"}
	}
	err := pairs(s.path, value, func(field, v *yaml.Node) error {
		txt, err := scalar(s.path, field, v)
		if err != nil {
			return err
		}
		switch field.Value {
		case "address":
			k.Address, _, err = CheckBaseURL(txt)
		case "key":
			k.Key, err = NewKey(txt)
		default:
			return unknownField(s.path, field, []string{"address", "key"})
		}
		return at(err, s.path, v.Line)
	})
	if err == nil && (k.Address == "" || k.Key.IsZero()) {
		err = &Error{Kind: ErrUsage, File: s.path, Line: name.Line, Field: name.Value,
			Msg: "lacks its address or its key"}
	}
	return k, err
}

// at adds the file and the line to an error of this package.
func at(err error, file string, line int) error {
	var e *Error
	if errors.As(err, &e) {
		c := *e
		c.File, c.Line = file, line
		return &c
	}
	return err
}

func (s *fileStore) Set(profile string, k StoredKey) error {
	doc, profiles, err := s.load()
	if err != nil {
		return err
	}
	if profiles == nil {
		profiles = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		setChild(doc.Content[0], "profiles", profiles)
	}
	entry := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	setChild(entry, "address", text(k.Address))
	setChild(entry, "key", text(k.Key.Reveal()))
	setChild(profiles, profile, entry)
	return s.save(doc)
}

func (s *fileStore) Delete(profile string) error {
	doc, profiles, err := s.load()
	if err != nil || profiles == nil || child(profiles, profile) == nil {
		return err
	}
	setChild(profiles, profile, nil)
	return s.save(doc)
}

func (s *fileStore) save(doc *yaml.Node) error { return writeYAML(s.path, doc) }
