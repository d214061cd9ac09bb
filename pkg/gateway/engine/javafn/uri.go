package javafn

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// uri is a parsed java.net.URI: RFC 2396 with characters beyond ASCII.
type uri struct {
	scheme, host, path, query, fragment string // the last three as written
	port                                int    // -1 for none
	hasQuery                            bool
}

const (
	uriAlnum      = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	uriUnreserved = uriAlnum + "_-!.~'()*"
	uriAny        = uriUnreserved + ";/?:@&=+$,[]"
	uriPath       = uriUnreserved + ":@&=+$,;/"
	uriRegName    = uriUnreserved + "$,;:@&=+"
	uriUserInfo   = uriUnreserved + ";:&=+$,"
	uriServer     = uriUserInfo + "-.:@[]"
)

// readURI parses a URI; ok is false for one that java.net.URI rejects.
func readURI(s string) (u uri, ok bool) {
	u.port = -1
	rest, fragment, hasFragment := strings.Cut(s, "#")
	if hasFragment && !uriChars(fragment, uriAny, true) {
		return u, false
	}
	u.fragment = fragment
	if i := strings.IndexAny(rest, ":/?"); i >= 0 && rest[i] == ':' {
		u.scheme, rest = rest[:i], rest[i+1:]
		if u.scheme == "" || strings.IndexByte(uriAlnum[:52], u.scheme[0]) < 0 || strings.Trim(u.scheme,
			uriAlnum+"+-.") != "" {
			return u, false
		}
		if !strings.HasPrefix(rest, "/") {
			return u, rest != "" && uriChars(rest, uriAny, true)
		}
	}
	rest, u.query, u.hasQuery = strings.Cut(rest, "?")
	if !uriChars(u.query, uriAny, true) {
		return u, false
	}
	if authority, found := strings.CutPrefix(rest, "//"); found {
		rest = ""
		if i := strings.IndexByte(authority, '/'); i >= 0 {
			authority, rest = authority[:i], authority[i:]
		}
		if authority == "" && rest == "" && !u.hasQuery && !hasFragment || authority != "" &&
			!u.readAuthority(authority) {
			return u, false
		}
	}
	u.path = rest
	return u, uriChars(rest, uriPath, true)
}

// uriChars reports whether a string consists of allowed characters. others also allows escapes, and printable
// characters beyond ASCII.
func uriChars(s, allowed string, others bool) bool {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '%' && others:
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
			n = 3
		case r < utf8.RuneSelf:
			if strings.IndexByte(allowed, byte(r)) < 0 {
				return false
			}
		case !others || r == 0x80 || unicode.In(r, unicode.Z) || unicode.IsControl(r):
			return false
		}
		i += n
	}
	return true
}

// readAuthority parses a server and its port. Any other authority may still be a registry-based name, without a host.
func (u *uri) readAuthority(s string) bool {
	server := uriServer
	if strings.Index(s, "]") > 0 {
		server += "%"
	}
	if uriChars(s, server, !strings.HasSuffix(server, "%")) && u.readServer(s) {
		return true
	}
	u.host, u.port = "", -1
	return uriChars(s, uriRegName, true)
}

func (u *uri) readServer(s string) bool {
	if i := strings.IndexByte(s, '@'); i >= 0 {
		if !uriChars(s[:i], uriUserInfo, true) {
			return false
		}
		s = s[i+1:]
	}
	host, port, hasPort := s, "", false
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return false
		}
		address, scope, hasScope := strings.Cut(s[1:end], "%")
		if !isIPv6(address) || hasScope && (scope == "" || strings.Trim(scope, uriAlnum+"_.") != "" &&
			!uriChars(scope, uriUnreserved, true)) {
			return false
		}
		host = s[:end+1]
		if s = s[end+1:]; s != "" && s[0] != ':' {
			return false
		}
		port, hasPort = strings.CutPrefix(s, ":")
	} else {
		host, port, hasPort = strings.Cut(s, ":")
		if !isIPv4(host) && !isHostname(host) {
			return false
		}
	}
	u.host = host
	if hasPort && port != "" {
		n, err := strconv.ParseInt(port, 10, 32)
		if err != nil || strings.Trim(port, "0123456789") != "" {
			return false
		}
		u.port = int(n)
	}
	return true
}

func isIPv4(s string) bool {
	parts := strings.Split(s, ".")
	for _, p := range parts {
		if n, err := strconv.ParseUint(p, 10, 8); err != nil || n > 255 || len(p) > 3 {
			return false
		}
	}
	return len(parts) == 4
}

// isHostname reports whether a string is a host name: labels of which the last of several begins with a letter.
func isHostname(s string) bool {
	labels := strings.Split(strings.TrimSuffix(s, "."), ".")
	for i, label := range labels {
		if label == "" || strings.Trim(label, uriAlnum+"-") != "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if i == len(labels)-1 && i > 0 && strings.IndexByte("0123456789", label[0]) >= 0 {
			return false
		}
	}
	return true
}

func isIPv6(s string) bool {
	u, err := url.Parse("//[" + s + "]/")
	return err == nil && strings.Contains(s, ":") && u.Hostname() == s &&
		strings.Trim(s, "0123456789abcdefABCDEF:.") == ""
}

// unescaped is a part of a URL with its escapes decoded.
func unescaped(s string) string {
	s, err := url.PathUnescape(s)
	if err != nil {
		return ""
	}
	return utf8With([]byte(s), "\ufffd")
}
