package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHelpIsPaged: a help that is longer than the screen goes through the pager.
func TestHelpIsPaged(t *testing.T) {
	paged := filepath.Join(t.TempDir(), "paged")
	env := map[string]string{"NO_COLOR": "1", "DIG_PAGER": "cat >" + paged}
	if code, out := screen(t, env, "version"); code != 0 || out == "" {
		t.Errorf("version: exit %d, %s", code, out)
	}
	for _, args := range [][]string{{"query", "execute", "--help"}, {"help", "query", "execute"}} {
		if code, out := screen(t, env, args...); code != 0 || out != "" {
			t.Errorf("%v: exit %d, beside the pager %q", args, code, out)
		}
		got, err := os.ReadFile(paged)
		if err != nil || !strings.Contains(string(got), "Usage:") || !strings.Contains(string(got), "--each-row") {
			t.Errorf("paged: %v, %s", err, got)
		}
		if err := os.Remove(paged); err != nil {
			t.Fatal(err)
		}
	}
	env["DIG_PAGER"] = "cat"
	if _, out := screen(t, env, "query", "execute", "--help"); !strings.Contains(out, "--each-row") {
		t.Errorf("DIG_PAGER=cat: %s", out)
	}
}
