package engine

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName is the length of a table or column name in bytes. The hosted service stores tables in PostgreSQL, which
// truncates longer names silently.
const MaxName = 63

// StoredName is the stored name of a table or column of a schema: BI names lose their underscores [L].
func StoredName(schema, name string) string {
	if schema == SchemaBI {
		return strings.ReplaceAll(name, "_", "")
	}
	return name
}

// NameFault returns why a table or column cannot have a name, or "". Quotes, dots, spaces and any script are allowed.
func NameFault(given, stored string) string {
	switch {
	case given == "":
		return "must not be empty"
	case stored == "." || stored == "..":
		return "would change the path of its URL"
	case stored == "":
		return "is empty without its underscores"
	case !utf8.ValidString(stored):
		return "is not valid UTF-8"
	case len(stored) > MaxName:
		return fmt.Sprintf("has %d bytes, the limit is %d", len(stored), MaxName)
	case strings.ContainsFunc(stored, unicode.IsControl):
		return "holds a control character"
	}
	return ""
}
