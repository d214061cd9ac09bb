package manifest

import (
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// filled reports members without a value where a list or an object is expected, and empty files. Otherwise a truncated
// file, or a leftover line, would mean that all objects that it described are to be removed.
func (r *reader) filled(d *doc, into any) bool {
	before := len(r.bad)
	none := map[reflect.Kind]string{reflect.Slice: "[]", reflect.Map: "{}"}
	var walk func(n *yaml.Node, t reflect.Type, name string)
	walk = func(n *yaml.Node, t reflect.Type, name string) {
		for n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if k := t.Kind(); t == reflect.TypeFor[Value]() || k != reflect.Slice && k != reflect.Map &&
			k != reflect.Struct {
			return
		}
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
			write := ""
			if s := none[t.Kind()]; s != "" {
				write = "; write " + s + " if there are none"
			}
			r.problem(Position{d.file, n.Line}, "%s has no value%s", name, write)
			return
		}
		switch {
		case n.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
			for _, c := range n.Content {
				walk(c, t.Elem(), "an element of "+name)
			}
		case n.Kind == yaml.MappingNode && t.Kind() != reflect.Slice:
			for i := 0; i+1 < len(n.Content); i += 2 {
				key := n.Content[i].Value
				if t.Kind() == reflect.Map {
					walk(n.Content[i+1], t.Elem(), key)
					continue
				}
				for j := range t.NumField() {
					if memberName(t.Field(j)) == key {
						walk(n.Content[i+1], t.Field(j).Type, key)
					}
				}
			}
		}
	}
	t := reflect.TypeOf(into).Elem()
	if d.root.Kind == 0 || d.root.Kind == yaml.ScalarNode && d.root.ShortTag() == "!!null" {
		var needs []string
		if t.Kind() == reflect.Struct {
			for i := range t.NumField() {
				if t.Field(i).Tag.Get("need") != "" {
					needs = append(needs, memberName(t.Field(i)))
				}
			}
		}
		text := "it is empty"
		switch {
		case len(needs) > 0:
			text += ": missing is " + strings.Join(needs, ", ")
		case none[t.Kind()] != "":
			text += "; write " + none[t.Kind()] + " if there are none"
		default:
			text += "; remove it, or write {}"
		}
		r.problem(Position{d.file, 1}, "%s", text)
		return false
	}
	walk(d.root, t, "it")
	return len(r.bad) == before
}
