// Package wire writes results as replies have them.
package wire

import (
	"strings"
	"unicode"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// TypeName is the name of a type in replies. The length of varchar is omitted, and the precision of times with
// microseconds.
func TypeName(t *types.Type) string {
	switch t.Kind {
	case types.Varchar:
		return "varchar"
	case types.Time:
		if t.N == 6 {
			return "time"
		}
	case types.Timestamp:
		if t.N == 6 {
			return "timestamp"
		}
	case types.TimestampTZ:
		if t.N == 6 {
			return "timestamp with time zone"
		}
	case types.Array:
		return "array(" + TypeName(t.Args[0]) + ")"
	case types.Map:
		return "map(" + TypeName(t.Args[0]) + ", " + TypeName(t.Args[1]) + ")"
	case types.Row:
		fields := make([]string, len(t.Args))
		for i, f := range t.Args {
			fields[i] = fieldName(t.FieldName(i)) + TypeName(f)
		}
		return "row(" + strings.Join(fields, ", ") + ")"
	}
	return t.String()
}

// fieldName is the name of a field within the name of a row type: quoted unless it is a plain identifier.
func fieldName(s string) string {
	if s == "" {
		return ""
	}
	plain := strings.TrimLeftFunc(s, func(r rune) bool {
		return r == '_' || unicode.IsLetter(r) ||
			unicode.IsDigit(r)
	}) == ""
	if !plain || unicode.IsDigit(rune(s[0])) {
		return sqltext.Quote(s) + " "
	}
	return s + " "
}
