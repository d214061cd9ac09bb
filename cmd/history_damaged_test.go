package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDamagedJournal: a line that was changed is told apart from one that a killed process has not finished.
func TestDamagedJournal(t *testing.T) {
	needLocal(t)
	home := t.TempDir()
	env := map[string]string{"DIG_DATA_DIR": filepath.Join(home, "data"), "DIG_STATE_DIR": filepath.Join(home, "state")}
	if code, _, errs := runDig(t, env, "query", "create", "q", "--sql", "SELECT 1 AS n"); code != 0 {
		t.Fatal(errs)
	}
	path := filepath.Join(home, "state", "journal", "changes.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, says string }{
		{string(whole), ""},
		{string(whole[:40]) + "\n" + string(whole), "1 line of the journal was not finished"},
		{strings.Replace(string(whole), ":", ";", 1) + string(whole), "1 line of the journal is damaged"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errs := runDig(t, env, "history", "list")
		if code != 0 || c.says == "" && strings.Contains(errs, "journal") || !strings.Contains(errs, c.says) {
			t.Errorf("exit %d: %s; want %q", code, errs, c.says)
		}
	}
}
