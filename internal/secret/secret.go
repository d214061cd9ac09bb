// Package secret recognizes secrets: by the names of their members and parameters, and in URLs.
package secret

import (
	"net/url"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

// passwordInURL matches the password in a URL, anywhere in a text.
var passwordInURL = late.Regexp(`([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"']*:)([^\s/@"']+)(@)`)

// parameterInURL matches a parameter of a URL, or of a connection string.
var parameterInURL = late.Regexp(`([?&;])([A-Za-z][A-Za-z0-9_.-]*)(=)([^\s&;#"']+)`)

// Hide masks passwords in the URLs of a text, and parameters whose names mark them as secrets.
func Hide(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	text = passwordInURL().ReplaceAllString(text, "${1}***${3}")
	return parameterInURL().ReplaceAllStringFunc(text, func(found string) string {
		if m := parameterInURL().FindStringSubmatch(found); Named(m[2]) {
			return m[1] + m[2] + m[3] + "***"
		}
		return found
	})
}

// Query masks the values of a query string, as in a URL, whose names mark them as secrets, and the secrets in values that are URLs.
func Query(raw string) string {
	parts := strings.Split(raw, "&")
	for i, part := range parts {
		name, value, ok := strings.Cut(part, "=")
		if !ok || value == "" {
			continue
		}
		if inQuery(name) {
			parts[i] = name + "=***"
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

// parameters returns the values of the parameters in a text whose names mark them as secrets.
func parameters(text string) []string {
	var out []string
	if strings.Contains(text, "=") {
		for _, m := range parameterInURL().FindAllStringSubmatch(text, -1) {
			if Named(m[2]) {
				out = append(out, m[4])
			}
		}
	}
	return out
}

// nameWord matches the words of a name such as githubPat, PAT_file or pem.
var nameWord = late.Regexp(`[A-Z]+[0-9]*(?:[^A-Za-z]|$)|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*`)

// Named guesses from the name of a credential's field whether it is a secret; the service does not document it.
func Named(name string) bool {
	n := strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(name))
	for _, w := range []string{"pass", "pwd", "secret", "token", "key", "credential", "private", "auth", "signature", "certificate",
		"connectionstring", "connectionurl", "connectionuri", "connstr", "serviceaccount", "cookie", "bearer", "kubeconfig"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	for _, w := range nameWord().FindAllString(name, -1) { // shorter words also occur within other words, as pat does in path
		switch strings.ToLower(strings.Trim(w, "_-. ")) {
		case "pw", "pat", "pem", "jwt", "dsn", "sas", "pin", "otp", "mfa", "sid", "session", "p12", "pfx", "pkcs12", "jks", "hmac", "salt", "seed", "hash":
			return true
		}
	}
	return false
}

// Address reports whether a text is a URL with a password, or with a parameter that is a secret.
func Address(v string) bool {
	if len(parameters(v)) > 0 {
		return true
	}
	_, rest, ok := strings.Cut(v, "://")
	host, _, _ := strings.Cut(rest, "/")
	user, _, at := strings.Cut(host, "@")
	return ok && at && strings.Contains(user, ":")
}

// InText returns the secrets in the URLs of a text: passwords, and parameters whose names mark them as secrets.
func InText(text string) []string {
	if !strings.Contains(text, "://") {
		return nil
	}
	out := parameters(text)
	for _, m := range passwordInURL().FindAllStringSubmatch(text, -1) {
		out = append(out, m[2])
	}
	return out
}
