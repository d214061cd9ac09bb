package sqltext

import (
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

// TableRef is a three-part name in a statement.
type TableRef struct{ Catalog, Schema, Table string }

func (t TableRef) String() string { return t.Catalog + "." + t.Schema + "." + t.Table }

func (t TableRef) Quoted() string {
	return Quote(t.Catalog, t.Schema, t.Table)
}

var (
	NotNames  = late.Regexp(`(?s)'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/`)
	namePart  = `("(?:[^"]|"")+"|[A-Za-z_][A-Za-z0-9_]*)`
	threePart = late.Regexp(namePart + `\s*\.\s*` + namePart + `\s*\.\s*` + namePart)
)

// TablesIn finds the three-part names in an SQL statement, each once. They may include columns; text after the three
// parts is ignored then.
func TablesIn(sql string) []TableRef {
	part := func(s string) string {
		if strings.HasPrefix(s, `"`) {
			return Unquote(s)
		}
		return strings.ToLower(s)
	}
	var out []TableRef
	seen := map[TableRef]bool{}
	for _, m := range threePart().FindAllStringSubmatch(NotNames().ReplaceAllString(sql, " "), -1) {
		if t := (TableRef{part(m[1]), part(m[2]), part(m[3])}); !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}
