// Package missing has the text of the error for a table that does not exist.
package missing

import (
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

// Table is the message of Trino, and of the hosted service, for a table that does not exist [O]. The parts of its name
// are in small letters, and in quotes if they hold other characters than letters, digits and underscores.
func Table(name ...string) string {
	parts := make([]string, len(name))
	for i, part := range name {
		part = strings.ToLower(part)
		if strings.ContainsFunc(part, func(r rune) bool {
			return r != '_' && (r < '0' || r > '9') &&
				(r < 'a' || r > 'z')
		}) {
			part = sqltext.Quote(part)
		}
		parts[i] = part
	}
	return "Table '" + strings.Join(parts, ".") + "' does not exist"
}
