package javafn

import (
	"net/url"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

// notInURL are the characters that java.net.URI rejects.
var notInURL = late.Regexp("[\\s\"<>\\\\^`{|}]")

// parseURL accepts what java.net.URI accepts.
func parseURL(s string) (*url.URL, bool) {
	if notInURL().MatchString(s) {
		return nil, false
	}
	u, err := url.Parse(s)
	return u, err == nil
}

func urlPart(part func(*url.URL) string) func(string) (string, bool, error) {
	return func(a string) (string, bool, error) {
		if u, ok := parseURL(a); ok {
			return part(u), true, nil
		}
		return "", false, nil // NULL for an invalid URL
	}
}

func urlParameter(a []string) (string, bool, error) {
	u, ok := parseURL(a[0])
	if !ok {
		return "", false, nil // NULL for an invalid URL
	}
	if u.RawQuery == "" {
		return "", false, nil
	}
	for _, p := range strings.Split(u.RawQuery, "&") {
		k, v, _ := strings.Cut(p, "=")
		if name, err := url.QueryUnescape(k); err == nil && name == a[1] {
			v, err = url.QueryUnescape(v)
			return v, err == nil, nil
		}
	}
	return "", false, nil
}

// urlEncode keeps letters, digits and .-*_ and writes a space as a plus sign.
func urlEncode(s string) string {
	s = url.QueryEscape(s)
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(s)
}
