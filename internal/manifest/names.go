package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/sqltext"
)

// Names of objects become names of files by percent-encoding characters that some system does not allow in them.
// Decoding reverses it; a percent sign that is not followed by two digits is literal.

// maxFileName is the maximum length in bytes of a name without its extension. Longer names are truncated, so that the
// extension fits into the 255 bytes of most systems; the file then contains the name as a member.
const maxFileName = 200

// fileNames returns the name of a file for each object name. Names that differ only in case need different files on
// systems that ignore case, so their capital letters are encoded too.
func fileNames(names []string) map[string]string {
	out, same := map[string]string{}, map[string]int{}
	for _, n := range names {
		out[n] = fileName(n, false)
		same[strings.ToLower(out[n])]++
	}
	for _, n := range names {
		if same[strings.ToLower(out[n])] > 1 {
			out[n] = fileName(n, true)
		}
	}
	return out
}

func fileName(name string, capitals bool) string {
	var b strings.Builder
	encode := func(s string) {
		for i := range len(s) {
			fmt.Fprintf(&b, "%%%02X", s[i])
		}
	}
	dot := -1 // position of an extension that files of a project have
	for _, ending := range []string{endSQL, endYAML} {
		if strings.HasSuffix(strings.ToLower(name), ending) {
			dot = len(name) - len(ending)
		}
	}
	reserved := deviceName(name)
	for i, r := range name {
		size := utf8.RuneLen(r)
		last := i+size >= len(name)
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(name[i:], "\uFFFD"):
			encode(name[i : i+1])
		case r < 0x20 || r == 0x7f || strings.ContainsRune(`%/\:*?"<>|`, r), unicode.In(r, unicode.Cf,
			unicode.Zl, unicode.Zp),
			(r == '.' || r == ' ') && (i == 0 || last), i == dot, i == 0 && reserved, capitals && unicode.IsUpper(r):
			encode(string(r))
		default:
			b.WriteRune(r)
		}
	}
	s := b.String()
	if len(s) <= maxFileName {
		return s
	}
	sum := sha256.Sum256([]byte(name))
	cut := maxFileName - 20
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	if i := strings.LastIndexByte(s[:cut], '%'); i > cut-3 {
		cut = i
	}
	return s[:cut] + "~" + hex.EncodeToString(sum[:4])
}

// deviceName reports whether Windows treats a name as that of a device.
func deviceName(name string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	if len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) {
		return stem[3] >= '0' && stem[3] <= '9'
	}
	return slices.Contains([]string{"con", "prn", "aux", "nul"}, stem)
}

// objectName reverses fileName.
func objectName(file string) string {
	var b strings.Builder
	for i := 0; i < len(file); i++ {
		if file[i] == '%' && i+2 < len(file) {
			if raw, err := hex.DecodeString(file[i+1 : i+3]); err == nil {
				b.Write(raw)
				i += 2
				continue
			}
		}
		b.WriteByte(file[i])
	}
	return b.String()
}

// JoinName writes a dotted name; parts that need it are in double quotes.
func JoinName(parts ...string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		if p == "" || strings.ContainsAny(p, `."`) || strings.TrimSpace(p) != p || strings.Contains(p, "->") {
			p = sqltext.Quote(p)
		}
		out[i] = p
	}
	return strings.Join(out, ".")
}

// splitName reads a dotted name of n parts.
func splitName(name string, n int) ([]string, error) {
	parts, err := sqltext.Parts(name)
	if err != nil {
		return nil, err
	}
	if len(parts) != n {
		return nil, fmt.Errorf("%q is not of the form %s", name, []string{"", "NAME", "SCHEMA.TABLE",
			"SCHEMA.TABLE.COLUMN", "CATALOG.SCHEMA.TABLE.COLUMN"}[n])
	}
	return parts, nil
}

// Slug shortens a text to a name that is easy to read in a list of files.
func slug(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() > 60 {
			break
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "question"
}
