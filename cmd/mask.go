package cmd

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

// openFields are members of a credential that may be printed; every other one is masked, whatever its name.
var openFields = map[string]bool{"url": true, "host": true, "port": true, "user": true, "username": true, "databasename": true, "database": true,
	"usessl": true, "region": true, "schema": true, "warehouse": true, "account": true, "path": true, "pattern": true, "format": true}

// maskSecrets replaces what must not be printed in a JSON request body: credentials, parameters that repeat them and answers of
// OAuth providers.
func maskSecrets(body string) string {
	var v any
	dec := json.NewDecoder(strings.NewReader(body))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return body
	}
	obj, ok := v.(map[string]any)
	if !ok {
		return body
	}
	changed := false
	for _, name := range []string{"credential", "extraParameters"} {
		m, ok := obj[name].(map[string]any)
		if !ok {
			continue
		}
		for k, x := range m {
			s, isText := x.(string)
			if !isText || !openFields[strings.ToLower(k)] || urlWithPassword(s) {
				if _, plain := x.(bool); plain {
					continue
				}
				if n, plain := x.(json.Number); plain && openFields[strings.ToLower(k)] {
					m[k] = n
					continue
				}
				m[k], changed = "***", true
			}
		}
	}
	if _, ok := obj["queryParameters"].(string); ok {
		obj["queryParameters"], changed = "***", true
	}
	if !changed {
		return body
	}
	raw, err := api.Marshal(obj)
	if err != nil {
		return "(body with a credential)"
	}
	return string(bytes.TrimSpace(raw))
}
