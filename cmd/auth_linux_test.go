package cmd

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestLoginAsks: on a terminal the key does not show, and it is sent to the other zone after a yes only.
func TestLoginAsks(t *testing.T) {
	p := newHostedProxy(t, zones)
	for answer, want := range map[string]int{"y": 0, "": exitcode.NotAllowed, "n": exitcode.NotAllowed,
		"yess": exitcode.NotAllowed} {
		x := newTerminal(t)
		c := process(t, t.TempDir(), "auth", "login", "--zone", "us")
		c.Env = append(c.Env, "HTTPS_PROXY="+p.address, "SSL_CERT_FILE="+p.caFile, "DIG_KEY_STORAGE=file",
			"DIG_CACHE_DIR="+filepath.Join(c.Dir, "cache"))
		c.Stdin, c.Stdout, c.Stderr = x.tty, x.tty, x.tty
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		x.see("API key:", true)
		if !strings.Contains(x.screen(), "the key is sent to https://partner.peaka.studio/api/v1\r\n") ||
			p.sent() != "" {
			t.Errorf("before the key is typed:\n%s", x.screen())
		}
		x.answer("API key:", keyOf("euaaaaaa"), true)
		x.answer("[y/N]", answer, false)
		_ = c.Wait()
		sent := p.sent()
		if code := c.ProcessState.ExitCode(); code != want || strings.Contains(sent, "eu.peaka") != (want == 0) {
			t.Errorf("%q: exit %d, sent %s:\n%s", answer, code, sent, x.screen())
		}
		if strings.Contains(x.screen(), "euaaaaaa.a") {
			t.Errorf("the screen shows the key:\n%s", x.screen())
		}
		if want == 0 && !strings.Contains(x.screen(), "the profile is stored for that zone") {
			t.Errorf("%s", x.screen())
		}
	}
}
