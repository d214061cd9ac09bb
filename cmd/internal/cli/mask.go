package cli

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/dig-cli/dig/internal/jsontext"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/api"
)

// OpenFields are members of a credential that may be printed; all others are masked, whatever their names.
var OpenFields = map[string]bool{"url": true, "baseurl": true, "host": true, "port": true, "user": true, "username": true, "databasename": true, "database": true,
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
			switch strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(k)) {
			case "callbacktoken", "xapikey", "token", "accesstoken", "refreshtoken", "idtoken", "password", "passwd", "pwd", "passphrase", "bearer", "jwt", "dsn", "connectionstring", "sastoken", "secret", "clientsecret", "apikey", "privatekey", "authorization", "cookie", "queryparameters":
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

// text masks the passwords of the addresses in a string, and collects them.
func (m *masking) text(s string) string {
	if !strings.Contains(s, "://") {
		return s
	}
	for _, found := range secret.InText(s) {
		m.changed = true
		if len(found) > 3 { // a shorter one would mask parts of other words
			m.hidden = append(m.hidden, found)
		}
	}
	return secret.Hide(s)
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
			if open && !secret.Address(x) {
				continue
			}
			m.hidden = append(m.hidden, secret.Within(k, x)...)
		}
		m.put(fields, k)
	}
}

func maskJSON(body string) (v any, m masking) {
	v, err := jsontext.Decode([]byte(body))
	if err == nil {
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
