package cmd

import (
	"fmt"
	"strings"
	"testing"
)

// TestClearedScreen types statements directly after Ctrl-L: the screen is cleared before they are shown, never after.
func TestClearedScreen(t *testing.T) {
	x, end := inShell(t, t.TempDir(), map[string]string{"NO_COLOR": "1"})
	at := x.shows(0, "dig local> ")
	for n := range 20 {
		statement := fmt.Sprintf("select %d as n;", n)
		x.types("\x0c" + statement + "\r")
		to := x.shows(at, "(1 row")
		to = x.shows(to, "dig local> ")
		text := x.screen()[at:to]
		for _, clear := range []string{"\x1b[2J", "\x1b[H"} {
			if i := strings.LastIndex(text, clear); i < 0 || !strings.Contains(plainText(text[i:]), statement) {
				t.Fatalf("%s was cleared:\n%q", statement, text)
			}
		}
		at = to
	}
	x.types("select 1\x1b[D\x0c2")
	at = x.shows(at, "select 21")
	x.types("\x03")
	x.shows(at, "^C")
	x.types("\x04")
	if code := end(); code != 0 {
		t.Errorf("exit %d", code)
	}
}
