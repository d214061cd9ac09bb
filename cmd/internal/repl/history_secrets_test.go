package repl

import (
	"os"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/term"
)

// TestHistoryKeepsNoSecret: the history keeps no entry with a secret of any form, and all others.
func TestHistoryKeepsNoSecret(t *testing.T) {
	raw, err := os.ReadFile("../../../internal/secret/testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	e := &cli.Env{}
	e.Run.Mask = &term.Masker{}
	h := &history{e: e}
	seen := 0
	for line := range strings.SplitSeq(string(raw), "\n") {
		kind, marked, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		text := strings.NewReplacer("«", "", "»", "").Replace(marked)
		if kind == "member" {
			text = "SELECT '{" + strings.ReplaceAll(text, "'", "''") + "}'"
		}
		seen++
		before := h.Len()
		if h.add(text); (h.Len() == before) != (text != marked && strings.Contains(marked, "«")) {
			t.Errorf("%s: kept: %v", text, h.Len() > before)
		}
	}
	for _, text := range []string{`\bind pin=47`, `\bind otp = 47`, `\bind "password"=x`} {
		if h.add(text); h.Entry(h.Len()-1) == text {
			t.Errorf("%s is kept", text)
		}
	}
	if seen < 150 {
		t.Errorf("%d forms", seen)
	}
}
