package config

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/nearest"
)

// Member is a value of config.yaml with its path: current, or profiles.NAME.FIELD.
type Member struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// Members lists the values of config.yaml in the order of the file's profiles.
func (s *Store) Members() ([]Member, error) {
	c, err := s.load()
	if err != nil {
		return nil, err
	}
	all := []Member{}
	if c.current != "" {
		all = append(all, Member{"current", c.current})
	}
	for i := range c.list {
		for _, name := range profileFields() {
			if v := *c.list[i].field(name); v != "" {
				all = append(all, Member{"profiles." + c.list[i].Name + "." + name, v})
			}
		}
	}
	return all, nil
}

// ParsePath splits the path of a member. A bare field belongs to the given profile; the profile is "" for current. The
// name of a profile may contain dots, the name of a field does not.
func ParsePath(path, profile string) (in, field string, err error) {
	if path == "current" {
		return "", path, nil
	}
	in, field = profile, path
	if rest, ok := strings.CutPrefix(path, "profiles."); ok {
		dot := strings.LastIndexByte(rest, '.')
		if dot <= 0 {
			return "", "", &Error{Kind: ErrUsage, Field: path, Msg: "names no field",
				hint: "the form is profiles.NAME.FIELD"}
		}
		in, field = rest[:dot], rest[dot+1:]
	}
	if !slices.Contains(profileFields(), field) {
		return "", "", noField(field)
	}
	if in == "" {
		return "", "", &Error{Kind: ErrNotFound, Field: field, Msg: "no profile is current",
			hint: "name one: --profile NAME, or profiles.NAME." + field}
	}
	return in, field, nil
}

func noField(field string) error {
	if isKeyName(field) {
		return &Error{Kind: ErrUsage, Field: field, Msg: "keys are not stored in this file",
			hint: "store a key with: dig auth login"}
	}
	e := &Error{Kind: ErrUsage, Field: field, Msg: "is not a field of a profile", hint: "the fields are " +
		strings.Join(ownFields(), ", ")}
	near := synonym(field)
	if !slices.Contains(ownFields(), near) {
		near = nearest.Of(field, ownFields())
	}
	if near != "" {
		e.hint = "did you mean " + near + "?"
	}
	return e
}

// Set changes fields of a profile: those of set get a value, and those of unset are removed. It returns the profile as
// stored. With check only, nothing is written.
func (s *Store) Set(name string, set map[string]string, unset []string, check bool) (Profile, error) {
	for _, field := range append(slices.Clone(unset), slices.Sorted(maps.Keys(set))...) {
		switch {
		case slices.Contains(keyFields(), field):
			return Profile{}, &Error{Kind: ErrUsage, Field: field,
				Msg: "describes the stored key and is written with it", hint: "dig auth login " + name +
					" stores another key"}
		case !slices.Contains(ownFields(), field):
			return Profile{}, noField(field)
		}
	}
	var out Profile
	change := func(p *Profile) error {
		for _, field := range unset {
			*p.field(field) = ""
		}
		for field, v := range set {
			v, err := normal(field, v)
			if err != nil {
				return err
			}
			*p.field(field) = v
		}
		out = *p
		return p.check()
	}
	if !check {
		err := s.edit(name, change)
		return out, err
	}
	p, err := s.Get(name)
	if err != nil {
		return p, err
	}
	return out, change(&p)
}

// Text returns config.yaml as it is, or nil if there is none.
func (s *Store) Text() ([]byte, error) {
	if err := checkMode(s.Path(), 0o002, "change"); err != nil {
		return nil, err
	}
	return readBounded(s.Path())
}

// Replace replaces config.yaml by an edited text. It fails if the text is not valid, and with an error that wraps
// ErrConflict if the file is no longer equal to before. left are the profiles that no longer refer to their keys; the
// keys are not removed.
func (s *Store) Replace(before, text []byte) (left []Profile, err error) {
	err = s.locked(func() error {
		now, err := s.Text()
		if err != nil {
			return err
		}
		if !bytes.Equal(now, before) {
			return &Error{Kind: ErrConflict, File: s.Path(), Msg: "was changed while it was edited",
				hint: "edit it again"}
		}
		edited, err := parseConfig(s.Path(), text)
		if err != nil {
			return err
		}
		if len(text) > maxFile {
			return &Error{Kind: ErrUsage, File: s.Path(), Msg: fmt.Sprintf("is %d bytes; the limit is %d",
				len(text), maxFile)}
		}
		if err := writeAtomic(s.Path(), text); err != nil {
			return err
		}
		old, err := parseConfig(s.Path(), before)
		if err != nil {
			return nil // the old text was not valid
		}
		for _, p := range old.list {
			if now := edited.find(p.Name); p.KeyStorage != "" && (now == nil || now.KeyStorage != p.KeyStorage) {
				left = append(left, p)
			}
		}
		return nil
	})
	return left, err
}
