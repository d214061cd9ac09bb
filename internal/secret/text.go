package secret

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

var (
	// passwordInURL matches the password in a URL, anywhere in a text, or a user without one, who may be a token. The
	// password may contain an @, and / and ? unless its beginning may be a port.
	passwordInURL = late.Regexp(`[A-Za-z][A-Za-z0-9+.-]*:\\?/\\?/(?:[^\s/:@"'?#\\]*:(?:([^\s/"'?#]+)@|` +
		`([^\s/"'?#]*[^\s/"'?#0-9][^\s/"'?#]*[/?#][^\s"']*)@|([^\s/"'?#@]*[^\s/"'?#@0-9][^\s/"'?#@]*)$)|` +
		`([^\s/:@"'?#\\]+)@)`)

	// parameterInURL matches a parameter of a URL, or of a connection string.
	parameterInURL = late.Regexp(`([?&;])([A-Za-z][A-Za-z0-9_.-]*)=([^\s&;#"'\\]+)`)

	// assigned matches a value that is given to a name: password=x, password: 'x', "password": "x", also within another
	// string, --password x.
	assigned = late.Regexp(`(?i)([A-Za-z][A-Za-z0-9_.-]*)(?:\\*["'` + "`" +
		`])?(\s*(?:=>|:=|=|:)\s*|\s+(?:is|to|by)\s+)("(?:[^"\\]|\\.)+|\\+"(?:[^"\\]|\\+[^"\\])+|'(?:[^']|'')+|[^\s"'` +
		"`" + `,;&)(\[\]{}\\]+)`)

	// braced matches a value of ODBC that may contain semicolons.
	braced = late.Regexp(`([A-Za-z][\w.-]*)\s*=\s*(\{(?:[^}"]|\}\})+\})(?:[;\s'"]|$)`)

	// option matches an option of a command line.
	option = late.Regexp(`(?:^|\s)--?([A-Za-z][A-Za-z0-9_-]*)[= ]+(?:"([^"]+)|'([^']+)|([^\s"'-][^\s"']*))`)

	// spoken match passwords that follow a word of another language or of a command line: SQL's PASSWORD 'x' and
	// IDENTIFIED BY 'x', a netrc file, an Authorization header, curl -u, mysql -p, sshpass -p, and data source names
	// without a scheme, as user:x@tcp(host) and user/x@//host.
	spoken = late.Regexp(`(?i)\b(?:(?:password|passwd|identified\s+by(?:\s+password)?)\s+'((?:[^']|'')+)'` +
		`|login\s+\S+\s+password\s+(\S+)` +
		`|authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+([^\s"',;]+)` +
		`|curl\b[^|\n]*?\s(?:-u|--user)[= ]*["']?[^\s:"'-]+:([^\s"']+)` +
		`|mysql\w*\b[^|;\n]*?\s-p([^\s"']+)|sshpass\s+-p\s*["']?([^\s"']+)` +
		`|[\w.-]+:([^\s@:/"']+)@(?:tcp6?|udp|unix)\(|[\w.$-]+/([^\s@/"']+)@//` +
		`|jdbc:oracle:\w+:[\w.$-]+/([^\s@/"']+)@)`)

	// columnDefault matches the default of a column in the form NAME:TYPE:default=VALUE.
	columnDefault = late.Regexp(`([A-Za-z_]\w*):[A-Za-z_]\w*(?:\([\d, ]*\))?(?::[a-z]+)*?:default=([^\s"']+)`)

	// element matches a value in XML.
	element = late.Regexp(`<([A-Za-z][\w.:-]*)(?:\s[^<>]*)?>([^<>]+)</`)

	// exported matches a value that follows the name of an environment variable.
	exported = late.Regexp(`\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\s+([^\s"'=]+)`)

	// forms match keys and tokens of known forms: of the service, of clouds, code hosts and other services, JSON web
	// tokens, private keys.
	forms = late.Regexp(`\b[A-Za-z0-9]{8,}\.[A-Za-z0-9]{32,}\b|\bA(?:K|S)IA[0-9A-Z]{16}\b|\bgh[opsur]_[A-Za-z0-9]{30,` +
		`}|\bgithub_pat_\w{20,}|\bgl(?:pat|ptt|dt|soat|rt|cbt)-[\w-]{16,}` +
		`|\bxox[abeprs]-[\w-]{8,}|\bxapp-[\w-]{8,}|\b[srp]k[-_](?:live|test|ant|proj)?[\w-]{16,}|\bwhsec_\w{16,` +
		`}|\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)*|\bAIza[\w-]{35}\b` +
		`|\bya29\.[\w-]{16,}|\bGOCSPX-[\w-]{20,}|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[\w-]{30,}|\bhf_[A-Za-z0-9]{30,` +
		`}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bdo[op]_v1_[0-9a-f]{32,}` +
		`|\bdckr_pat_[\w-]{20,}|\bdapi[0-9a-f]{32}|\bhv[sb]\.[\w-]{20,` +
		`}|\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|\bAGE-SECRET-KEY-1[0-9A-Z]{20,}|\bATATT3[\w=-]{20,}|\blin_api_\w{20,}` +
		`|hooks\.slack\.com/services/[\w/]{10,}|discord(?:app)?\.com/api/webhooks/[\w/-]{20,}`)

	// pem matches a private key; one that is cut off ends with the text.
	pem = late.Regexp(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: ` +
		`BLOCK)?-----|$)`)

	// scheme matches the credential of an Authorization header.
	scheme = late.Regexp(`(?i)\b(?:bearer|basic)\s+([\w.~+/=-]{12,})`)
)

// span is a secret within a text.
type span struct{ from, to int }

// spansOf returns the secrets of a text, in order and without overlaps.
func spansOf(text string) []span {
	var out []span
	add := func(m []int, n int) {
		if from, to := m[2*n], m[2*n+1]; from >= 0 && from < to && !masked(text[from:to]) {
			out = append(out, span{from, to})
		}
	}
	if strings.Contains(text, "://") || strings.Contains(text, `:\/\/`) {
		for _, m := range passwordInURL().FindAllStringSubmatchIndex(text, -1) {
			add(m, 1)
			add(m, 2)
			add(m, 3) // an address that is cut off
			if m[8] >= 0 && random(text[m[8]:m[9]]) {
				add(m, 4)
			}
		}
	}
	if strings.Contains(text, "=") {
		for _, m := range parameterInURL().FindAllStringSubmatchIndex(text, -1) {
			if Named(text[m[4]:m[5]]) {
				add(m, 3)
			}
		}
	}
	if strings.ContainsAny(text, "=:") {
		out = append(out, assignments(text)...)
	}
	for _, pattern := range []func() *regexp.Regexp{braced, columnDefault} {
		if !strings.Contains(text, "=") {
			break
		}
		for _, m := range pattern().FindAllStringSubmatchIndex(text, -1) {
			if name := text[m[2]:m[3]]; Named(name) && !ambiguous(name) {
				add(m, 2)
			}
		}
	}
	for _, m := range option().FindAllStringSubmatchIndex(text, -1) {
		if name := text[m[2]:m[3]]; Named(name) && !ambiguous(name) {
			add(m, 2)
			add(m, 3)
			add(m, 4)
		}
	}
	for _, m := range spoken().FindAllStringSubmatchIndex(text, -1) {
		for n := range len(m)/2 - 1 {
			add(m, n+1)
		}
	}
	if strings.Contains(text, "</") {
		for _, m := range element().FindAllStringSubmatchIndex(text, -1) {
			if name := text[m[2]:m[3]]; Named(name) && !ambiguous(name) {
				add(m, 2)
			}
		}
	}
	if strings.Contains(text, "_") {
		for _, m := range exported().FindAllStringSubmatchIndex(text, -1) {
			if Named(text[m[2]:m[3]]) && random(text[m[4]:m[5]]) {
				add(m, 2)
			}
		}
	}
	for _, m := range forms().FindAllStringIndex(text, -1) {
		add(m, 0)
	}
	for _, m := range pem().FindAllStringIndex(text, -1) {
		add(m, 0)
	}
	for _, m := range scheme().FindAllStringSubmatchIndex(text, -1) {
		// otherwise a word of prose
		if strings.ContainsFunc(text[m[2]:m[3]], func(r rune) bool {
			return r >= '0' && r <= '9' || r >= 'A' &&
				r <= 'Z' || r == '='
		}) {
			add(m, 1)
		}
	}
	return merged(out)
}

// assignments returns the values that a text gives to names of secrets. Prose such as "token: expected a string" gives
// none.
func assignments(text string) []span {
	var out []span
	url := strings.Contains(text, "://")
	for at := 0; at < len(text); {
		m := assigned().FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		for i := range m {
			m[i] += at
		}
		name, sign, from, to := text[m[2]:m[3]], strings.ToLower(strings.TrimSpace(text[m[4]:m[5]])), m[6], m[7]
		at = m[3] // the value may be a name in turn: a=b=c
		value := text[from:to]
		quoted := strings.IndexAny(value, `"'`)
		if quoted >= 0 && strings.Trim(value[:quoted], `\`) == "" {
			from += quoted + 1
			value = text[from:to]
		} else {
			quoted = -1
		}
		switch {
		case !Named(name), value == "", masked(value), value == "?":
			continue
		case url && m[2] > 0 && (text[m[2]-1] == '?' || text[m[2]-1] == '&'):
			continue // a parameter of an address, which ends otherwise
		case quoted < 0 && (sign == "is" || sign == "to" || sign == "by"):
			continue
		case strings.EqualFold(name, "pass") && sign == "=" && strings.Trim(value, "0123456789") != "":
		case ambiguous(name) && !(quoted >= 0 && sign == ":") && (!random(value) || strings.ContainsAny(value, "/.")):
			continue
		case quoted < 0 && sign == ":" && !random(value) && !strings.ContainsAny(value, "0123456789"):
			continue // prose
		case strings.HasPrefix(value, "//"), strings.HasPrefix(value, "${"), strings.HasPrefix(value, "$"):
			continue // an address, or a reference
		case quoted < 0 && strings.EqualFold(value, "e") && strings.HasPrefix(text[to:], "'"):
			continue // E'x'
		}
		// the next word is the secret
		if quoted < 0 && strings.EqualFold(value, "basic") || strings.EqualFold(value, "bearer") {
			if next := strings.TrimLeft(text[to:], " "); next != "" {
				from = len(text) - len(next)
				to = from + strings.IndexAny(next+" ", " \t\r\n\"',;")
			}
		}
		if quoted < 0 && sign == "=" {
			if more := moreOf().FindStringSubmatch(text[to:]); more != nil {
				to += len(more[1])
			}
		}
		out = append(out, span{from, to})
		at = to
	}
	return out
}

// moreOf matches the rest of a value after its first comma, unless another assignment follows.
var moreOf = late.Regexp(`^((?:,[^\s"'` + "`" + `,;&=)(\[\]{}\\]+)+)(?:$|[\s;&"'])`)

// masked reports whether a value has been masked already.
func masked(value string) bool {
	return strings.Trim(value, "*") == "" || value == "hidden" || strings.HasPrefix(value, "%2A%2A%2A")
}

// random reports whether a value looks drawn rather than written: long, without blanks, with letters and digits.
func random(value string) bool {
	if len(value) < 12 || strings.ContainsAny(value, " \t\n") {
		return false
	}
	digit, letter := false, false
	for _, c := range value {
		digit = digit || c >= '0' && c <= '9'
		letter = letter || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return digit && letter
}

func merged(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	var out []span
	for _, s := range spans {
		switch n := len(out) - 1; {
		case s.to <= s.from:
		case n >= 0 && s.from < out[n].to:
			out[n].to = max(out[n].to, s.to)
		default:
			out = append(out, s)
		}
	}
	return out
}

func mask(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.from])
		b.WriteString(Mark)
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}

func texts(text string, spans []span) []string {
	var out []string
	for _, s := range spans {
		out = append(out, text[s.from:s.to])
	}
	return out
}

// Hide masks the secrets of a text that have a form of their own: passwords and parameters of addresses, values that
// are assigned to names of secrets, keys and tokens of known forms, private keys.
func Hide(text string) string { return mask(text, spansOf(text)) }

// InText returns what Hide masks.
func InText(text string) []string { return texts(text, spansOf(text)) }

// Evident reports whether a text is a secret by its form alone, so that no other data is equal to it by chance.
func Evident(text string) bool {
	return pem().MatchString(text) || len(text) > 0 && forms().FindString(text) == text
}

// Query masks the values of a query string, as in a URL, whose names mark them as secrets, and the secrets in the other
// values.
func Query(raw string) string {
	parts := strings.Split(raw, "&")
	for i, part := range parts {
		name, value, ok := strings.Cut(part, "=")
		if !ok || value == "" || masked(value) {
			continue
		}
		if inQuery(name) {
			parts[i] = name + "=" + Mark
		} else if plain, err := url.QueryUnescape(value); err == nil && Hide(plain) != plain {
			parts[i] = name + "=" + url.QueryEscape(Hide(plain))
		}
	}
	return strings.Join(parts, "&")
}

// InQuery returns what Query masks.
func InQuery(raw string) []string {
	var out []string
	for part := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		if inQuery(name) {
			out = append(out, value)
		} else {
			out = append(out, InText(value)...)
		}
	}
	return out
}

func inQuery(name string) bool {
	plain, err := url.QueryUnescape(name)
	return err != nil || Named(plain)
}

// Address reports whether a text is a URL with a password, or with a parameter that is a secret.
func Address(v string) bool {
	for _, m := range parameterInURL().FindAllStringSubmatch(v, -1) {
		if Named(m[2]) {
			return true
		}
	}
	_, rest, ok := strings.Cut(v, "://")
	host, _, _ := strings.Cut(rest, "/")
	user, _, at := strings.Cut(host, "@")
	return ok && at && strings.Contains(user, ":")
}
