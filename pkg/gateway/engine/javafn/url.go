package javafn

import (
	"net/url"
	"strings"
)

func urlPart(part func(uri) string) func(string) (string, bool, error) {
	return func(a string) (string, bool, error) {
		if u, ok := readURI(a); ok {
			return part(u), true, nil
		}
		return "", false, nil // NULL for an invalid URL
	}
}

// urlParameter is the value of the first parameter with a name, which is compared with the name as written.
func urlParameter(a []string) (string, bool, error) {
	u, ok := readURI(a[0])
	if !ok || !u.hasQuery {
		return "", false, nil
	}
	for _, p := range strings.Split(u.query, "&") {
		if k, v, _ := strings.Cut(p, "="); k == a[1] {
			return urlDecode(v)
		}
	}
	return "", false, nil
}

// urlEncode keeps letters, digits and .-*_ and encodes a space as a plus sign.
func urlEncode(s string) string {
	s = url.QueryEscape(s)
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(s)
}
