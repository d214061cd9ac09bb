package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestSecretsThatFilesMayName: files of others name neither this program's own keys nor files outside their directory,
// and what is read and where it goes is listed before it is sent.
func TestSecretsThatFilesMayName(t *testing.T) {
	f := newFront(t, "local")
	outside, config := t.TempDir(), t.TempDir()
	for _, name := range []string{filepath.Join(outside, "shop"), filepath.Join(config, "credentials.yaml")} {
		if err := os.WriteFile(name, []byte("s3cret-s3cret\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.vars = map[string]string{"DIG_CONFIG_DIR": config, "COPY": "x" + f.key, "SHOP_TOKEN": "t0ken-t0ken",
		"SHOP_BASE": "http://127.0.0.1:9/v1"}
	f.file("p/dig.yaml", "version: 1\n")
	f.file("p/own", "s3cret-s3cret\n")
	if err := os.Symlink(filepath.Join(outside, "shop"), filepath.Join(f.home, "p", "link")); err != nil {
		t.Skip(err)
	}
	write := func(ref string) {
		f.file("p/connections/e.yaml",
			"type: rest\ncredential:\n  baseUrl: ${env:SHOP_BASE}\n  header: X-Key\n  secret: "+ref+
				"\n  tables: '{\"tables\":[{\"name\":\"items\",\"path\":\"/items\"}]}'\n")
	}
	for ref, want := range map[string]string{
		"${env:DIG_API_KEY}": "key of this program", "${env:DIG_CLIENT_KEY}": "key of this program",
		"${env:COPY}":                       "key of this program",
		"${keyring:work in " + config + "}": "key of this program", "${keyring:dig/work in " + config +
			"}": "key of this program",
		"${file:" + filepath.Join(config, "credentials.yaml") + "}": "own files", "${file:" + filepath.Join(outside,
			"shop") + "}": "--secrets-from " + outside,
		"${file:../other}": "outside the directory", "${file:link}": "outside the directory",
	} {
		write(ref)
		for _, args := range [][]string{{"plan", "p"}, {"apply", "p", "--yes"}, {"diff", "p"}} {
			if errs := f.want(exitcode.Usage, args...); !strings.Contains(errs, "connections/e.yaml") ||
				!strings.Contains(errs, "credential secret:") || !strings.Contains(errs, want) || f.sent() != "" {
				t.Errorf("%s of %s: sent %q, %s", args, ref, f.sent(), errs)
			}
		}
	}
	if errs := f.want(exitcode.Usage, "plan", "p", "--secrets-from", config); !strings.Contains(errs,
		"connections/e.yaml") {
		t.Errorf("a directory of other files: %s", errs)
	}
	for ref, more := range map[string][]string{"${env:SHOP_TOKEN}": nil, "${file:own}": nil,
		"${file:link}": {"--secrets-from", outside}} {
		write(ref)
		code, out, errs := f.dig(append([]string{"plan", "p"}, more...)...)
		if code != 1 || !strings.Contains(out, "reads: baseUrl ${env:SHOP_BASE}, secret "+ref+"\n") ||
			!strings.Contains(out, "sent to: baseUrl http://127.0.0.1:9/v1\n") {
			t.Errorf("%s: exit %d: %s%s", ref, code, out, errs)
		}
		_, out, _ = f.dig(append([]string{"plan", "p", "-o", "json"}, more...)...)
		if !strings.Contains(out, `{"field":"secret","reference":"`+ref+`"}],"to":["baseUrl http://127.0.0.1:9/v1"]`) {
			t.Errorf("%s: %s", ref, out)
		}
	}
}
