package manifest

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Reference is a reference to a value that is not in the files: ${env:NAME}, ${file:PATH} or ${keyring:NAME}. $${ is a
// literal ${.
type Reference struct{ Kind, Name string }

func (r Reference) String() string { return "${" + r.Kind + ":" + r.Name + "}" }

// referenceKinds are the sources of values.
func referenceKinds() []string { return []string{"env", "file", "keyring"} }

// References finds the references in a text.
func References(text string) ([]Reference, error) {
	var out []Reference
	_, err := Expand(text, func(r Reference) (string, error) {
		out = append(out, r)
		return "", nil
	})
	return out, err
}

// Expand replaces the references in a text.
func Expand(text string, lookup func(Reference) (string, error)) (string, error) {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "${")
		if !ok {
			return b.String() + text, nil
		}
		if strings.HasSuffix(before, "$") {
			b.WriteString(before[:len(before)-1] + "${")
			text = rest
			continue
		}
		inner, after, closed := strings.Cut(rest, "}")
		kind, name, colon := strings.Cut(inner, ":")
		if !closed || !colon || name == "" || !slices.Contains(referenceKinds(), kind) {
			return "",
				fmt.Errorf("a reference is ${env:NAME}, ${file:PATH} or ${keyring:NAME}, and $${ writes a literal ${")
		}
		v, err := lookup(Reference{kind, name})
		if err != nil {
			return "", err
		}
		b.WriteString(before + v)
		text = after
	}
}

// Literal escapes a text so that Expand returns it unchanged.
func literal(text string) string { return strings.ReplaceAll(text, "${", "$${") }

// LiteralValue is a value of a gateway in the form for a file.
func LiteralValue(v Value) Value {
	if s, ok := v.Text(); ok {
		return TextValue(literal(s))
	}
	return v
}

// Wanted is the default reference for a secret of a connection.
func Wanted(connection, field string) Value {
	word := func(s string) string {
		var b strings.Builder
		before := ' '
		for _, r := range s {
			switch {
			case r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r):
				r = '_'
			case unicode.IsUpper(r) && unicode.IsLower(before):
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToUpper(r))
			before = r
		}
		return strings.Trim(b.String(), "_")
	}
	name := word(connection) + "_" + word(field)
	if name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return TextValue(Reference{"env", name}.String())
}
