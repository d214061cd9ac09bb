package config

import (
	"fmt"
	"strings"
)

// AddOptions are the options of Add.
type AddOptions struct {
	Replace bool // overwrite a profile of the same name; without a new key the old key is kept
	Use     bool // make it the current profile
	Check   bool // only run the checks; nothing is written, and Added is empty

	// Merge changes the stored profile of the name instead of replacing it, if there is one.
	Merge func(stored *Profile) error

	// "keyring" or "file": store the key there and nowhere else; "" for DIG_KEY_STORAGE, else the keyring if there is
	// one
	Storage string
}

// Added describes what Add did, so that the location of the key can be reported to the user.
type Added struct {
	Storage string   // "keyring", "file", or "" if no key was given
	Where   string   // description of the storage
	Why     string   // why the file was used instead of the keyring, or ""
	Hints   []string // notes on the key's form and the address
}

// Add stores a profile and, if key is not zero, its key: in the OS keyring if there is one, else in a file of mode
// 0600; DIG_KEY_STORAGE=keyring or file overrides this. A key that replaces one of the keyring is stored in the keyring
// unless the file is requested. The key is bound to the profile's address. Errors wrap ErrConflict if the name is in
// use; names that differ only by case count as equal, because keyrings may not distinguish them.
func (s *Store) Add(p Profile, key Key, opt AddOptions) (Added, error) {
	var out Added
	p.KeyStorage = ""
	if err := p.check(); err != nil {
		return out, err
	}
	forced, err := s.forcedStorage()
	if err != nil {
		return out, err
	}
	if opt.Storage != "" {
		forced = opt.Storage
	}
	if !key.IsZero() && p.Address() == "" {
		return out, &Error{Kind: ErrUsage, Field: "key", Msg: "zone local runs inside the process and uses no key",
			hint: "omit the key, or give --base-url of the gateway it is for"}
	}
	if h := KeyHint(Zone(p.Zone), key); h != "" {
		out.Hints = append(out.Hints, h)
	}
	if p.BaseURL != "" {
		if _, h, _ := CheckBaseURL(p.BaseURL); h != "" {
			out.Hints = append(out.Hints, h)
		}
	}
	if opt.Check {
		c, err := s.load()
		if err != nil {
			return out, err
		}
		_, err = c.free(p.Name, opt.Replace)
		return Added{}, err
	}
	err = s.locked(func() error {
		c, err := s.load()
		if err != nil {
			return err
		}
		old, err := c.free(p.Name, opt.Replace)
		if err != nil {
			return err
		}
		before := ""
		if old != nil {
			before = old.KeyStorage
			if p.Protect == "" { // replacing a profile must not silently remove its protection
				p.Protect = old.Protect
			}
		}
		if old != nil && opt.Merge != nil {
			p = *old
			if err := opt.Merge(&p); err != nil {
				return err
			}
			if err := p.check(); err != nil {
				return err
			}
		}
		if key.IsZero() {
			p.keepKey(Profile{})
			if old != nil {
				p.keepKey(*old)
			}
		} else {
			if before == "keyring" && forced == "" {
				forced = before
			}
			if err := s.storeKey(&out, p.Name, StoredKey{Key: key, Address: p.Address()}, forced); err != nil {
				return err
			}
			p.KeyStorage = out.Storage
		}
		c.put(p)
		if opt.Use {
			setChild(c.doc.Content[0], "current", text(p.Name))
		}
		if err := s.save(c); err != nil {
			if out.Storage != "" && before != out.Storage {
				_ = s.keys(out.Storage).Delete(p.Name) // the profile that would refer to it does not exist
			}
			return err
		}
		if before != "" && before != p.KeyStorage {
			// the old copy is no longer referenced; a failing keyring must not undo the add
			_ = s.keys(before).Delete(p.Name)
		}
		return nil
	})
	if err != nil {
		return Added{}, err
	}
	return out, nil
}

// free checks that a profile can be stored under a name, and returns the profile that it replaces, or nil.
func (c *configFile) free(name string, replace bool) (*Profile, error) {
	old := c.find(name)
	if old != nil && !replace {
		return nil, &Error{Kind: ErrConflict, Field: nameProfile, Msg: fmt.Sprintf("there is already a profile %q",
			name),
			hint: "use --replace to overwrite it"}
	}
	return old, c.nameFree(name, name)
}

// nameFree checks that no profile but the given one has a name that keyrings may not distinguish from this one.
func (c *configFile) nameFree(name, except string) error {
	for _, other := range c.list {
		switch {
		case other.Name == except || !strings.EqualFold(other.Name, name):
		case other.Name == name:
			return &Error{Kind: ErrConflict, Field: nameProfile, Msg: fmt.Sprintf("there is already a profile %q",
				name)}
		default:
			return &Error{Kind: ErrConflict, Field: nameProfile,
				Msg: fmt.Sprintf("%q differs from profile %q only by case", name, other.Name)}
		}
	}
	return nil
}

func (s *Store) forcedStorage() (string, error) {
	v := s.getenv("DIG_KEY_STORAGE")
	switch v {
	case "", "keyring", "file":
		return v, nil
	}
	return "", &Error{Kind: ErrUsage, Field: "environment DIG_KEY_STORAGE",
		Msg: fmt.Sprintf("%q is not a storage (keyring or file)", v)}
}

func (s *Store) storeKey(out *Added, profile string, k StoredKey, forced string) error {
	if forced != "file" {
		ring := s.keys("keyring")
		err := ring.Set(profile, k)
		if err == nil {
			out.Storage, out.Where = ring.Name(), ring.Where()
			return nil
		}
		if forced == "keyring" {
			return err
		}
		out.Why = err.Error()
	}
	file := s.keys("file")
	if err := file.Set(profile, k); err != nil {
		return err
	}
	out.Storage, out.Where = file.Name(), file.Where()
	return nil
}

// Remove deletes a profile and its key. A keyring that does not answer does not prevent this; left then describes what
// may remain there.
func (s *Store) Remove(name string) (left string, err error) {
	err = s.changing(name, func(c *configFile, p *Profile) error {
		if p.KeyStorage != "" {
			keys := s.keys(p.KeyStorage)
			if err := keys.Delete(name); err != nil {
				if p.KeyStorage != "keyring" {
					return err
				}
				left = fmt.Sprintf("the key of profile %s may remain in %s: %v", name, keys.Where(), err)
			}
		}
		setChild(c.profiles, name, nil)
		if c.current == name {
			setChild(c.doc.Content[0], "current", nil)
		}
		return s.save(c)
	})
	if err != nil {
		return "", err
	}
	return left, nil
}
