package shell

import (
	"os/exec"
	"testing"
)

// TestQuote asks a shell.
func TestQuote(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for _, word := range []string{"", "a", "/home/x/config.yaml", "it's", "a b", "$HOME `id` \\ \"", "~", "*", "#x",
		"a\nb", "é", "a=b", "'"} {
		out, err := exec.Command(sh, "-c", "printf %s "+Quote(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q as %s: %q, %v", word, Quote(word), out, err)
		}
	}
	if got := Quote("/home/x/config.yaml"); got != "/home/x/config.yaml" {
		t.Error(got)
	}
}
