package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dig-cli/dig/internal/nearest"
)

// configFile is config.yaml as it was read: the document, whose comments are kept, and its profiles.
type configFile struct {
	doc      *yaml.Node
	profiles *yaml.Node // nil if there is no file
	current  string
	list     []Profile
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
	return parseConfig(path, data)
}

// parseConfig parses the text of a config.yaml; data is nil if there is no file.
func parseConfig(path string, data []byte) (*configFile, error) {
	doc, root, err := parseMapping(path, data)
	if err != nil {
		return nil, err
	}
	if data == nil {
		root.HeadComment = "Profiles of dig. Keys are not stored here."
	}
	c := &configFile{doc: doc}
	currentLine := 0
	err = pairs(path, root, func(name, value *yaml.Node) error {
		switch name.Value {
		case "current":
			currentLine = value.Line
			c.current, err = scalar(path, name, value)
			return err
		case "profiles":
			if isNull(value) {
				*value = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", HeadComment: value.HeadComment,
					LineComment: value.LineComment}
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
		return nil, &Error{Kind: ErrUsage, File: path, Line: currentLine, Field: "current",
			Msg:  fmt.Sprintf("there is no profile %q in this file", c.current),
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
				return &Error{Kind: ErrUsage, File: path, Line: field.Line, Field: field.Value,
					Msg:  "keys are not stored in this file",
					hint: "remove the line and store the key: dig auth login " + p.Name}
			}
			return unknownField(path, field, profileFields())
		}
		txt, err := scalar(path, field, v)
		if err != nil {
			return err
		}
		if *target = txt; slices.Contains(keyFields(), field.Value) {
			err = checkKeyField(field.Value, txt)
		} else {
			*target, err = normal(field.Value, txt)
		}
		return at(err, path, v.Line)
	})
	if err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return at(err, path, name.Line)
	}
	for _, other := range c.list { // an editor can write what profile add refuses
		if strings.EqualFold(other.Name, p.Name) {
			return &Error{Kind: ErrUsage, File: path, Line: name.Line, Field: nameProfile,
				Msg:  fmt.Sprintf("%q differs from profile %q only by case", p.Name, other.Name),
				hint: "give one of the two another name: a keyring may not distinguish them"}
		}
	}
	c.list = append(c.list, p)
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
	return writeYAML(s.Path(), c.doc)
}
