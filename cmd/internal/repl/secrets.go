package repl

import (
	"strings"

	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/late"
)

// secretNames are the names, or ends of names, of values that are secrets.
const secretNames = `(?:passw(?:or)?d|passphrase|pwd|secret|token|(?:api|access|private|secret|account)[-_]?key|credentials?|authorization)`

var (
	// keyLike matches the API keys of projects and of partners.
	keyLike = late.Regexp(`\b[A-Za-z0-9]{8,}\.[A-Za-z0-9]{32,}\b`)
	// tokenLike matches keys and tokens of known forms: of clouds and code hosts, JSON web tokens, private keys.
	tokenLike = late.Regexp(`\bA[KS]IA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abeprs]-[\w-]{8,}` +
		`|\bsk[-_][\w-]{16,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.|-----BEGIN [A-Z ]*PRIVATE KEY|(?i)\b(?:bearer|basic)\s+[\w.~+/=-]{12,}`)
	// secretValue matches a string that belongs to a name such as password, client_secret or "apiKey": a value that is compared or assigned,
	// a JSON member, an option, or the password of a created user. A column name without a value is not matched.
	secretValue = late.Regexp(`(?i)\b\w*` + secretNames + `["'` + "`" + `]?\s*\)?\s*` +
		`(?:=>?|:=?|!=|<>|\bis(?:\s+not)?(?:\s+distinct\s+from)?\b|\b(?:not\s+)?(?:like|in|between)\b|\bto\b|\bby\b|\bwhen\b|\s)?\s*\(*\s*['"]` +
		`|'\s*\)?\s*(?:=|!=|<>|\bis(?:\s+not)?\s+distinct\s+from\b|\b(?:not\s+)?(?:like|in|between)\b)\s*\(*\s*(?:[\w"]+\.|\w+\()*"?\w*` + secretNames + `\b` +
		`|\bidentified\s+by\s+\S` +
		`|--?\w*(?:passw(?:or)?d|passphrase|secret|token|api-?key|credential)[\w-]*[= ]\S`)
)

// secretIn matches a secret inside of a literal, such as 'host=db password=x'.
var secretIn = late.Regexp(`(?i)` + secretNames + `\s*[=:]\s*\S`)

// secretLiteral reports whether a literal of a text holds a name of a secret with a value.
func secretLiteral(text string) bool {
	for i, part := range strings.Split(text, "'") {
		if i%2 == 1 && secretIn().MatchString(part) {
			return true
		}
	}
	return false
}

// secretText reports whether a text contains a value that looks like a secret.
func secretText(text string) bool {
	if keyLike().MatchString(text) || tokenLike().MatchString(text) || secretValue().MatchString(text) || secretLiteral(text) {
		return true
	}
	for rest := text; ; {
		at := strings.Index(rest, "://")
		if at < 0 {
			return false
		}
		if rest = rest[at:]; secret.Address(rest) {
			return true
		}
		rest = rest[len("://"):]
	}
}
