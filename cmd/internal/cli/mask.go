package cli

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
)

// OpenFields are members of a credential that may be printed; all others are masked, whatever their names.
var OpenFields = map[string]bool{"url": true, "host": true, "port": true, "user": true, "username": true, "databasename": true, "database": true,
	"usessl": true, "region": true, "schema": true, "warehouse": true, "account": true, "path": true, "pattern": true, "format": true}

// masking masks the secret strings of a JSON document and collects them.
type masking struct {
	changed bool
	hidden  []string
}

func (m *masking) put(in map[string]any, name string) {
	if s, ok := in[name].(string); ok {
		m.hidden = append(m.hidden, s)
	}
	in[name], m.changed = "***", true
}

// walk masks strings, at any depth, whose names mark them as secrets, credentials, parameters that repeat them or
// answers of OAuth providers. Names of columns may contain words such as key, so only whole names are compared here.
func (m *masking) walk(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			switch strings.ToLower(k) {
			case "callbacktoken", "token", "accesstoken", "refreshtoken", "idtoken", "password", "passphrase", "secret", "clientsecret", "apikey", "privatekey", "authorization", "cookie", "queryparameters":
				if s, ok := x.(string); ok && s != "" {
					m.put(v, k)
					continue
				}
			case "credential", "extraparameters":
				if fields, ok := x.(map[string]any); ok {
					m.credential(fields)
				}
			}
			if s, ok := x.(string); ok {
				v[k] = m.text(s)
				continue
			}
			m.walk(x)
		}
	case []any:
		for i, x := range v {
			if s, ok := x.(string); ok {
				v[i] = m.text(s)
				continue
			}
			m.walk(x)
		}
	}
}

// passwordInURL matches the password in an address, wherever it stands in a text.
var passwordInURL = late.Regexp(`([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"']*:)([^\s/@"']+)(@)`)

// parameterInURL matches a parameter of an address, or of a connection string.
var parameterInURL = late.Regexp(`([?&;])([A-Za-z][A-Za-z0-9_.-]*)(=)([^\s&;#"']+)`)

// hidePasswords masks the passwords of the addresses in a text, and their parameters whose names mark them as secrets.
func hidePasswords(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	text = passwordInURL().ReplaceAllString(text, "${1}***${3}")
	return parameterInURL().ReplaceAllStringFunc(text, func(found string) string {
		if m := parameterInURL().FindStringSubmatch(found); SecretField(m[2]) {
			return m[1] + m[2] + m[3] + "***"
		}
		return found
	})
}

// secretParameters returns the values of the parameters in a text whose names mark them as secrets.
func secretParameters(text string) []string {
	var out []string
	if strings.Contains(text, "=") {
		for _, m := range parameterInURL().FindAllStringSubmatch(text, -1) {
			if SecretField(m[2]) {
				out = append(out, m[4])
			}
		}
	}
	return out
}

// text masks the passwords of the addresses in a string, and collects them.
func (m *masking) text(s string) string {
	if !strings.Contains(s, "://") {
		return s
	}
	found := secretParameters(s)
	for _, match := range passwordInURL().FindAllStringSubmatch(s, -1) {
		found = append(found, match[2])
	}
	for _, secret := range found {
		m.changed = true
		if len(secret) > 3 { // a shorter one would mask parts of other words
			m.hidden = append(m.hidden, secret)
		}
	}
	return hidePasswords(s)
}

func (m *masking) credential(fields map[string]any) {
	for k, x := range fields {
		open := OpenFields[strings.ToLower(k)]
		switch x := x.(type) {
		case bool:
			continue
		case json.Number:
			if open {
				continue
			}
		case string:
			if open && !URLWithPassword(x) {
				continue
			}
		}
		m.put(fields, k)
	}
}

func maskJSON(body string) (v any, m masking) {
	dec := json.NewDecoder(strings.NewReader(body))
	dec.UseNumber()
	if dec.Decode(&v) == nil {
		m.walk(v)
	}
	return v, m
}

// secretsOf returns the strings of a JSON request body that must not be printed, even if a gateway sends them back.
func secretsOf(body string) []string {
	_, m := maskJSON(body)
	return m.hidden
}

// maskSecrets masks the secrets in a JSON request body.
func maskSecrets(body string) string {
	v, m := maskJSON(body)
	if !m.changed {
		return body
	}
	raw, err := api.Marshal(v)
	if err != nil {
		return "(body with a credential)"
	}
	return string(bytes.TrimSpace(raw))
}

// nameWord matches the words of a name such as githubPat, PAT_file or pem.
var nameWord = late.Regexp(`[A-Z]+[0-9]*(?:[^A-Za-z]|$)|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*`)

// SecretField guesses from its name whether a field of a credential is a secret; the service does not document it.
func SecretField(name string) bool {
	n := strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(name))
	for _, w := range []string{"pass", "pwd", "secret", "token", "key", "credential", "private", "auth", "signature", "certificate",
		"connectionstring", "connectionurl", "connectionuri", "connstr", "serviceaccount", "cookie", "bearer", "kubeconfig"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	for _, w := range nameWord().FindAllString(name, -1) { // shorter names are parts of other words, as pat is of path
		switch strings.ToLower(strings.Trim(w, "_-. ")) {
		case "pat", "pem", "jwt", "dsn", "sas", "pin", "otp", "mfa", "sid", "session", "p12", "pfx", "pkcs12", "jks", "hmac", "salt", "seed", "hash":
			return true
		}
	}
	return false
}

// URLWithPassword reports whether a text is an address with a password, or has a parameter that is a secret.
func URLWithPassword(v string) bool {
	if len(secretParameters(v)) > 0 {
		return true
	}
	_, rest, ok := strings.Cut(v, "://")
	host, _, _ := strings.Cut(rest, "/")
	user, _, at := strings.Cut(host, "@")
	return ok && at && strings.Contains(user, ":")
}
