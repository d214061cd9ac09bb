// Package secret recognizes secrets: by the names of members, parameters and columns, and by their form in addresses,
// documents, statements and other texts. Whatever shows or records something asks it, so that all of them agree on what
// a secret is.
package secret

import (
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

// Mark replaces a secret.
const Mark = "***"

// nameWord matches the words of a name such as githubPat, PAT_file or sslPEM.
var nameWord = late.Regexp(`[A-Z]+[0-9]*(?:[^A-Za-z0-9]|$)|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+`)

// wordsOf returns the words of a name in lower case.
func wordsOf(name string) []string {
	words := nameWord().FindAllString(name, -1)
	for i, w := range words {
		words[i] = strings.ToLower(strings.TrimFunc(w, func(r rune) bool { return strings.ContainsRune("_-. /:", r) }))
	}
	return words
}

var (
	// within are parts of words that are not in other words, so that dbpassword and mytoken are recognized too.
	within = []string{"password", "passwd", "passphrase", "passcode", "passwort", "secret", "token", "apikey",
		"accesskey", "privatekey", "secretkey", "accountkey",
		"sharedkey", "masterkey", "signingkey", "encryptionkey", "credential", "connectionstring", "connectionurl",
		"connectionuri", "connstr", "serviceaccount",
		"cookie", "bearer", "kubeconfig", "keytab", "keystore", "keyfile", "pincode",
		"codeverifier", "recoverycode", "backupcode",
		"csrf", "xsrf", "signature", "certificate", "authorization", "mnemonic", "oauth"}
	// words are secrets as words only: pat is within path, key within monkey, auth within author.
	words = []string{"pass", "pw", "pwd", "pat", "pem", "jwt", "jwk", "jwks", "dsn", "sas", "pin", "otp", "totp", "mfa",
		"sid", "session", "p12", "pfx", "pkcs12", "jks",
		"hmac", "salt", "seed", "hash", "sig", "auth", "cert", "private", "cvv", "cvc", "key", "keys", "userpass",
		"dbpass", "userpwd", "dbpwd"}
	// plainEnd are last words of names that tell something about a secret, but not the secret.
	plainEnd = []string{"type", "types", "kind", "kinds", "mode", "modes", "method", "methods", "column", "columns",
		"name", "names", "format", "storage", "user", "count",
		"length", "size", "limit", "expires", "expiry", "expiration", "at", "seconds", "ttl", "lifetime", "algorithm",
		"project", "prefix", "from", "required", "enabled",
		"policy", "provider", "field", "fields", "form", "schema", "endpoint", "space", "board", "used"}
	// plainKey are the words before key, or keys, of one that opens nothing.
	plainKey = []string{"primary", "foreign", "unique", "sort", "partition", "surrogate", "natural", "business",
		"composite", "public", "row", "order", "customer", "product",
		"item", "cache", "idempotency", "routing", "issue", "translation", "dictionary", "map", "cluster", "clustering",
		"distribution", "candidate", "join", "merge",
		"group", "date", "region", "lookup", "index", "sample", "part", "supplier", "nation"}
	// plainTokens are the words before tokens that count them, as replies of language models do.
	plainTokens = []string{"max", "total", "prompt", "completion", "input", "output", "cached", "reasoning"}
)

// Named guesses from the name of a member, parameter, header or column whether its value is a secret; the service does
// not document it.
func Named(name string) bool {
	ws := wordsOf(name)
	if len(ws) == 0 {
		return false
	}
	last := ws[len(ws)-1]
	before := ""
	if len(ws) > 1 {
		before = ws[len(ws)-2]
	}
	all := strings.Join(ws, "")
	switch {
	case all == "queryparameters": // what a provider of OAuth answers
		return true
		// objects of the API have such ids, which open nothing; private_key_id does not count
	case all == "apikeyid", all == "keyid":
		return false
	case (last == "url" || last == "uri") && before != "connection" && before != "session" && !slices.ContainsFunc(ws,
		func(w string) bool { return w == "signed" || w == "private" }):
		return false // such as tokenUrl; Address examines the value
	case len(ws) > 1 && slices.Contains(plainEnd, last):
		return false
	case (last == "key" || last == "keys") && slices.Contains(plainKey, before), last == "tokens" &&
		slices.Contains(plainTokens, before):
		return false
	}
	for _, w := range ws {
		if slices.Contains(words, w) {
			return true
		}
	}
	all = strings.ReplaceAll(strings.ReplaceAll(all, "tokenize", ""), "secretary", "")
	return slices.ContainsFunc(within, func(w string) bool { return strings.Contains(all, w) })
}

// openField are the members of a credential that may be shown; all others are masked, whatever their names.
var openField = []string{"url", "baseurl", "host", "port", "user", "username", "databasename", "database", "usessl",
	"region", "schema", "warehouse", "account", "path",
	"pattern", "format", "type"}

// OpenField reports whether a member of a credential may be shown.
func OpenField(name string) bool { return slices.Contains(openField, strings.ToLower(name)) }

// ambiguous reports whether a name is a secret's and as often that of something else, so that its value decides.
func ambiguous(name string) bool {
	switch strings.Join(wordsOf(name), "") {
	case "key", "keys", "hash", "session", "sid", "seed", "salt", "auth", "private", "signature", "certificate", "cert",
		"sig", "pass", "cookie":
		return true
	}
	return false
}
