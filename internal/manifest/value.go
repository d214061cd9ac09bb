package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/jsontext"
	"github.com/dig-cli/dig/pkg/api"
	"go.yaml.in/yaml/v3"
)

// Value is a JSON value that is written as YAML. Numbers keep their digits.
type Value struct{ raw json.RawMessage }

// ValueOf converts JSON.
func ValueOf(raw json.RawMessage) (Value, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return Value{}, err
	}
	return Value{b.Bytes()}, nil
}

// TextValue is a string.
func TextValue(s string) Value {
	raw, _ := api.Marshal(s) // a string always marshals
	return Value{raw}
}

// JSON returns the value as JSON.
func (v Value) JSON() json.RawMessage { return v.raw }

// Text returns a string, and whether the value is one.
func (v Value) Text() (string, bool) {
	var s string
	if len(v.raw) == 0 || v.raw[0] != '"' || json.Unmarshal(v.raw, &s) != nil {
		return "", false
	}
	return s, true
}

// String returns the value of a string, number or boolean as text, and other values as JSON.
func (v Value) String() string {
	if s, ok := v.Text(); ok {
		return s
	}
	return string(v.raw)
}

// zero reports whether the value equals that of an absent member.
func (v Value) zero() bool {
	return slices.Contains([]string{"", "null", "false", "0", `""`, "[]", "{}"}, string(v.raw))
}

// refers reports whether the value contains references, or cannot be sent.
func (v Value) refers() bool {
	text, ok := v.Text()
	if !ok {
		text = string(v.raw)
	}
	refs, err := References(text)
	return err != nil || len(refs) > 0
}

// MarshalYAML writes the value.
func (v Value) MarshalYAML() (any, error) {
	x, err := jsontext.Decode(v.raw)
	if err != nil {
		return nil, err
	}
	return yamlNode(x), nil
}

func yamlNode(x any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode}
	switch x := x.(type) {
	case string:
		n.SetString(x)
		if n.Style == 0 && plainIsOther(x) {
			n.Style = yaml.DoubleQuotedStyle
		}
	case json.Number:
		n.Tag, n.Value = "!!float", x.String()
		if !strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!int"
		}
	case bool:
		n.Tag, n.Value = "!!bool", fmt.Sprint(x)
	case []any:
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		for _, y := range x {
			n.Content = append(n.Content, yamlNode(y))
		}
	case map[string]any:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		for _, k := range slices.Sorted(maps.Keys(x)) {
			n.Content = append(n.Content, yamlNode(k), yamlNode(x[k]))
		}
	default:
		n.Tag, n.Value = "!!null", "null"
	}
	return n
}

// plainIsOther reports whether YAML without quotes would read a string as something else.
func plainIsOther(s string) bool {
	var back yaml.Node
	if yaml.Unmarshal([]byte(s), &back) != nil || len(back.Content) != 1 {
		return true
	}
	n := back.Content[0]
	return n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || n.Value != s
}

// UnmarshalYAML reads a value. A timestamp of YAML is a string.
func (v *Value) UnmarshalYAML(n *yaml.Node) error {
	x, err := jsonOf(n, 0)
	if err != nil {
		return err
	}
	v.raw, err = api.Marshal(x)
	return err
}

// maxDepth limits the nesting of a value: an alias may contain itself.
const maxDepth = 100

func jsonOf(n *yaml.Node, depth int) (any, error) {
	if depth++; depth > maxDepth {
		return nil, fmt.Errorf("line %d: the value is nested too deep", n.Line)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return jsonOf(n.Alias, depth)
	case yaml.SequenceNode:
		out := []any{}
		for _, c := range n.Content {
			x, err := jsonOf(c, depth)
			if err != nil {
				return nil, err
			}
			out = append(out, x)
		}
		return out, nil
	case yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			switch _, twice := out[k.Value]; {
			case k.Kind != yaml.ScalarNode || k.ShortTag() == "!!merge":
				return nil, fmt.Errorf("line %d: the name of a member must be a text", k.Line)
			case twice:
				return nil, fmt.Errorf("line %d: duplicate member %q", k.Line, k.Value)
			}
			x, err := jsonOf(n.Content[i+1], depth)
			if err != nil {
				return nil, err
			}
			out[k.Value] = x
		}
		return out, nil
	}
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		var b bool
		err := n.Decode(&b)
		return b, err
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value), nil
		}
		var f float64
		if err := n.Decode(&f); err != nil {
			return nil, err
		}
		return f, nil // an infinity fails when it is written
	}
	return n.Value, nil
}
