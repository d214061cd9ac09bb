package cmd

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestTextsThatAreNotUTF8: a text in another encoding is refused, whatever way it is given, instead of being sent with
// its letters replaced.
func TestTextsThatAreNotUTF8(t *testing.T) {
	f := newFront(t, "local")
	f.file("q.sql", "SELECT 'M\xfcnchen' AS x")
	f.file("q.json", `{"displayName":"q","inputQuery":"SELECT 'M`+"\xfc"+`nchen'"}`)
	f.file("credential.json", `{"path":"`+"\xfc"+`"}`)
	f.file("project/dig.yaml", "version: 1\n")
	f.file("project/queries/q.sql", "SELECT 'M\xfcnchen' AS x")
	text := "SELECT 'M\xfcnchen' AS x"
	for _, args := range [][]string{
		{"query", "execute", "--sql", text},
		{"query", "execute", "--sql", text, "--dry-run"},
		{"query", "execute", "-f", "q.sql"},
		{"sql", text},
		{"sql", "-f", "q.sql"},
		{"query", "create", "q", "--sql", text},
		{"query", "create", "q", "-f", "q.sql"},
		{"query", "create", "--body", "@q.json"},
		{"query", "create", "M\xfcnchen", "--sql", "SELECT 1"},
		{"query", "ensure", "q", "--sql", text},
		{"sql", "format", "q.sql"},
		{"connection", "create", "c", "--type", "files", "--credential", "path=\xfc"},
		{"connection", "create", "c", "--type", "files", "--credential-file", "credential.json"},
		{"project", "create", "M\xfcnchen"},
		{"api", "POST", "/data/projects/{project}/queries", "--input", "q.json"},
		{"api", "POST", "/data/projects/{project}/queries/execute", "-f", "statement=" + text},
		{"apply", "project", "--yes"},
	} {
		code, out, errs := f.dig(args...)
		if code != exitcode.Usage || !strings.Contains(errs, "text in UTF-8") || out != "" {
			t.Errorf("%q: exit %d, %s%s", args, code, out, errs)
		}
	}
	for _, id := range strings.Fields(f.sent()) {
		if strings.HasPrefix(id, "create") || strings.HasPrefix(id, "execute") {
			t.Errorf("%s was sent", id)
		}
	}
}
