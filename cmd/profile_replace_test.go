package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProfileThatKeepsItsKey: a replaced profile that keeps its key says so.
func TestProfileThatKeepsItsKey(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"DIG_CONFIG_DIR": dir, "DIG_KEY_STORAGE": "file", "DIG_API_KEY": testKey}
	if code, _, errs := runDig(t, env, "auth", "login", "w", "--zone", "us", "--no-check"); code != 0 {
		t.Fatal(errs)
	}
	code, _, errs := runDig(t, env, "profile", "add", "w", "--replace", "--zone", "local")
	raw, err := os.ReadFile(filepath.Join(dir, "credentials.yaml"))
	if code != 0 || err != nil || !strings.Contains(string(raw), testKey) || !strings.Contains(errs,
		"its earlier key stays") || strings.Contains(errs, "without a key") {
		t.Errorf("exit %d: %s; %v, the key is stored: %v", code, errs, err, strings.Contains(string(raw), testKey))
	}
	code, _, errs = runDig(t, env, "auth", "logout", "w", "--yes")
	if raw, err := os.ReadFile(filepath.Join(dir, "credentials.yaml")); code != 0 || err == nil &&
		strings.Contains(string(raw), testKey) {
		t.Errorf("exit %d: %s; %v", code, errs, err)
	}
}
