package spec

import (
	"path"
	"strings"
)

// Changes reports whether the operation changes something at the gateway or gives access to do so. These are the
// operations that are not Safe, and the GET that opens a session of the web studio.
func (o Op) Changes() bool { return !o.Safe() || o.ID == InitEmbeddedSessionLegacy.ID }

// Of finds the operation of a request. The path is escaped and relative to the base address. A literal segment has
// precedence over a parameter [O].
func Of(method, path string) (Op, bool) {
	segments := strings.Split(path, "/")
	var best Op
	found := false
	for _, ops := range [][]Op{all, Local()} {
		for _, o := range ops {
			if o.Method == method && o.fits(segments) && (!found || o.nearer(best)) {
				best, found = o, true
			}
		}
	}
	return best, found
}

func (o Op) fits(segments []string) bool {
	rest := o.Path
	for i, s := range segments {
		want, after, more := strings.Cut(rest, "/")
		if more != (i < len(segments)-1) || want != s && (s == "" || !strings.HasPrefix(want, "{")) {
			return false
		}
		rest = after
	}
	return true
}

// nearer reports whether, at the first segment that is literal in only one of o and other, the literal one is that of
// o. Both match the same path.
func (o Op) nearer(other Op) bool {
	mine, its := strings.Split(o.Path, "/"), strings.Split(other.Path, "/")
	for i := range mine {
		if a, b := strings.HasPrefix(mine[i], "{"), strings.HasPrefix(its[i], "{"); a != b {
			return b
		}
	}
	return false
}

// Plain reports whether every server splits a path, escaped or not, into the same segments: it has no empty segments,
// none that is . or .., no parameters of segments, and no escape of a character that could end a segment.
func Plain(escaped string) bool {
	if path.Clean(escaped) != escaped || strings.ContainsAny(escaped, `;\`) {
		return false
	}
	lower := strings.ToLower(escaped)
	for _, code := range []string{"%2e", "%2f", "%5c", "%3b", "%3f", "%23", "%25", "%0", "%1", "%7f"} {
		if strings.Contains(lower, code) {
			return false
		}
	}
	return true
}
