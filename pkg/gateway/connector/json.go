package connector

import "github.com/dig-cli/dig/pkg/gateway/engine/javafn"

// JSON returns a JSON value of a database as Trino's connectors read it: without whitespace and with sorted keys, so
// that equal values are equal texts. A value that Trino cannot read, such as one with half of a surrogate pair, stays
// as it is.
func JSON(value []byte) []byte {
	if s, ok := javafn.CanonicalJSON(string(value)); ok {
		return []byte(s)
	}
	return value
}
