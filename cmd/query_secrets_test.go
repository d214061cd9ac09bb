package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretsOfQueryStrings: parameters of an address that are secrets are neither shown nor recorded.
func TestSecretsOfQueryStrings(t *testing.T) {
	state := t.TempDir()
	env := map[string]string{"DIG_BASE_URL": "http://127.0.0.1:1/api/v1", "DIG_API_KEY": testKey,
		"DIG_PROJECT": "Abcd1234", "DIG_STATE_DIR": state, "DIG_CACHE_DIR": t.TempDir()}
	all := ""
	for _, more := range [][]string{{}, {"--dry-run"}, {"--dry-run", "-o", "json"}, {"--explain"},
		{"--explain", "-o", "json"}, {"--debug"}, {"-f", "api-key=TopSecretF"}, {"-f", "pwd=TopSecretG", "-f",
			"bearer=TopSecretH", "-f", "dsn=TopSecretI"}} {
		for _, method := range []string{"POST", "GET", "DELETE"} {
			args := append([]string{"api", method,
				"/data/projects/{project}/queries?token=TopSecret1&pin=77&password=TopSecret2&x-api-key=TopSecret3&apikey=TopSecret4&back=https%3A%2F%2Fu%3ATopSecret5%40h%2F&limit=3", "--retries", "0"}, more...)
			_, out, errs := runDig(t, env, args...)
			all += out + errs
		}
	}
	_, out, errs := runDig(t, env, "history", "list", "-o", "json")
	raw, err := os.ReadFile(filepath.Join(state, "journal", "changes.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all += out + errs + string(raw)
	if strings.Contains(all, "TopSecret") || strings.Contains(all, "pin=77") || !strings.Contains(string(raw),
		"token=***") || !strings.Contains(string(raw), "limit=3") {
		t.Errorf("shown or recorded:\n%s", all)
	}
}
