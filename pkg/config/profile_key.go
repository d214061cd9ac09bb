package config

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Fields that describe the stored key of a profile. dig writes them when it stores one.
const (
	fieldKeyStorage     = "key-storage"
	fieldKeyExpires     = "key-expires"
	fieldKeyKind        = "key-kind"
	fieldKeyUser        = "key-user"
	fieldKeyProject     = "key-project"
	fieldKeyProjectName = "key-project-name"
)

// The kinds of keys [S]: a partner key gives access to everything of its owner, a project key to that project only.
const (
	KindPartner = "partner"
	KindProject = "project"
)

func keyFields() []string {
	return []string{fieldKeyStorage, fieldKeyExpires, fieldKeyKind, fieldKeyUser, fieldKeyProject, fieldKeyProjectName}
}

func (p *Profile) keyField(name string) *string {
	switch name {
	case fieldKeyStorage:
		return &p.KeyStorage
	case fieldKeyExpires:
		return &p.KeyExpires
	case fieldKeyKind:
		return &p.KeyKind
	case fieldKeyUser:
		return &p.KeyUser
	case fieldKeyProject:
		return &p.KeyProject
	case fieldKeyProjectName:
		return &p.KeyProjectName
	}
	return nil
}

func checkKeyField(name, v string) error {
	msg := checkValue(name, v)
	switch {
	case msg != "":
	case name == fieldKeyStorage && v != "keyring" && v != "file":
		msg = fmt.Sprintf("%q is not a storage (keyring or file)", v)
	case name == fieldKeyKind && v != KindPartner && v != KindProject:
		msg = fmt.Sprintf("%q is not a kind of key (%s or %s)", v, KindPartner, KindProject)
	case name == fieldKeyExpires:
		if _, err := time.Parse(time.RFC3339, v); err != nil {
			msg = fmt.Sprintf("%q is not a time such as 2030-01-31T00:00:00Z", v)
		}
	}
	if msg != "" {
		return &Error{Kind: ErrUsage, Field: name, Msg: msg}
	}
	return nil
}

// KeyFacts are the facts about a key from a gateway. Kind is KindPartner, KindProject or "" for unknown; Project and
// ProjectName are those of a project key.
type KeyFacts struct{ Kind, User, Project, ProjectName string }

// Facts returns the facts about the stored key.
func (p *Profile) Facts() KeyFacts {
	return KeyFacts{p.KeyKind, p.KeyUser, p.KeyProject, p.KeyProjectName}
}

// SetFacts sets them. A text of a gateway that the file cannot hold is left out.
func (p *Profile) SetFacts(f KeyFacts) {
	p.KeyKind, p.KeyUser, p.KeyProject, p.KeyProjectName = f.Kind, f.User, f.Project, f.ProjectName
	for _, name := range []string{fieldKeyKind, fieldKeyUser, fieldKeyProject, fieldKeyProjectName} {
		if v := p.keyField(name); checkKeyField(name, *v) != nil {
			*v = ""
		}
	}
}

// keepKey takes over the fields about the key of another profile.
func (p *Profile) keepKey(from Profile) {
	for _, name := range keyFields() {
		*p.keyField(name) = *from.keyField(name)
	}
}

// Learn stores the facts of a gateway about the key of a profile, unless another key was stored for it in the meantime.
func (s *Store) Learn(name string, key Key, facts KeyFacts) error {
	return s.edit(name, func(p *Profile) error {
		stored, err := s.Key(*p)
		if err != nil {
			return err
		}
		if stored.Key.Reveal() != key.Reveal() {
			return &Error{Kind: ErrConflict, Field: nameProfile,
				Msg:  fmt.Sprintf("another key was stored for profile %s in the meantime", name),
				hint: "run the command again"}
		}
		p.SetFacts(facts)
		return nil
	})
}

// Logout removes the key of a profile; the profile stays. If the key cannot be removed nothing is changed. It returns
// where the key was.
func (s *Store) Logout(name string) (where string, err error) {
	err = s.edit(name, func(p *Profile) error {
		if p.KeyStorage == "" {
			return &Error{Kind: ErrNotAllowed, Msg: fmt.Sprintf("profile %s has no key", name)}
		}
		keys := s.keys(p.KeyStorage)
		if err := keys.Delete(name); err != nil {
			return err
		}
		where = keys.Where()
		p.keepKey(Profile{})
		return nil
	})
	return where, err
}

// Stored is a storage that holds a key, and the key.
type Stored struct {
	StoredKey
	Where string
	keys  KeyStore
}

// KeysOf returns the keys that are stored under a name, whether there is a profile of that name or not. A keyring that
// does not answer is an error only if the file has none.
func (s *Store) KeysOf(name string) (found []Stored, err error) {
	var failed error
	for _, storage := range []string{"file", "keyring"} {
		keys := s.keys(storage)
		switch k, err := keys.Get(name); {
		case err == nil:
			found = append(found, Stored{k, keys.Where(), keys})
		case !errors.Is(err, errNoKey):
			failed = errors.Join(failed, err)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, failed
}

// RemoveKeys removes keys of KeysOf, under a name that no profile uses for a key.
func (s *Store) RemoveKeys(name string, keys []Stored) error {
	return s.locked(func() error {
		c, err := s.load()
		if err != nil {
			return err
		}
		if p := c.find(name); p != nil && p.KeyStorage != "" {
			return &Error{Kind: ErrConflict, Field: nameProfile,
				Msg:  fmt.Sprintf("a key was stored for profile %s in the meantime", name),
				hint: "run the command again"}
		}
		for _, k := range keys {
			if err := k.keys.Delete(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// Rename gives a profile and its key another name. If the process is killed in between, the profile has its key under
// one of the two names; a copy of the key under the other name is removed by the next change of the settings.
func (s *Store) Rename(old, name string) error {
	if err := CheckProfileName(name); err != nil {
		return err
	}
	return s.changing(old, func(c *configFile, p *Profile) error {
		if name == old {
			return nil
		}
		if err := c.nameFree(name, old); err != nil {
			return err
		}
		// Names that differ only by case are one entry of a keyring, see keyringStore.account.
		moves := p.KeyStorage == "file" || p.KeyStorage != "" && !strings.EqualFold(old, name)
		if moves {
			key, err := s.keys(p.KeyStorage).Get(old)
			switch {
			case errors.Is(err, errNoKey): // there is nothing to move, and the profile loses nothing
			case err != nil:
				return err
			default:
				if err := s.noteRename(old, name, p.KeyStorage); err != nil {
					return err
				}
				if err := s.keys(p.KeyStorage).Set(name, key); err != nil {
					return errors.Join(err, s.finishRename())
				}
			}
		}
		for i := 0; i < len(c.profiles.Content); i += 2 {
			if c.profiles.Content[i].Value == old {
				renamed := text(name)
				n := c.profiles.Content[i]
				renamed.HeadComment, renamed.LineComment, renamed.FootComment = n.HeadComment,
					n.LineComment, n.FootComment
				c.profiles.Content[i] = renamed
			}
		}
		if c.current == old {
			setChild(c.doc.Content[0], "current", text(name))
		}
		if err := s.save(c); err != nil {
			return errors.Join(err, s.finishRename())
		}
		if !moves {
			return nil
		}
		if err := s.finishRename(); err != nil {
			return &Error{Kind: ErrStorage,
				Msg: fmt.Sprintf("the profile is renamed, but a copy of its key under the name %s remains in %s", old,
					s.keys(p.KeyStorage).Where()), cause: err}
		}
		return nil
	})
}

// changing calls do with the settings and one of their profiles, under the lock.
func (s *Store) changing(name string, do func(c *configFile, p *Profile) error) error {
	return s.locked(func() error {
		c, err := s.load()
		if err != nil {
			return err
		}
		p := c.find(name)
		if p == nil {
			return c.unknown(name)
		}
		return do(c, p)
	})
}

// edit changes a profile under the lock.
func (s *Store) edit(name string, change func(p *Profile) error) error {
	return s.changing(name, func(c *configFile, p *Profile) error {
		next := *p
		if err := change(&next); err != nil {
			return err
		}
		if err := next.check(); err != nil {
			return err
		}
		c.put(next)
		return s.save(c)
	})
}
