package agent

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
)

// TestHostileThread: the id of a conversation, which the gateway makes, is no way into a shell.
func TestHostileThread(t *testing.T) {
	const id = "x; touch /tmp/owned `id` $(id)"
	e := &cli.Env{Name: "dig"}
	if got := threadNote(e, id); !strings.Contains(got, "--thread 'x; touch /tmp/owned `id` $(id)' MESSAGE") {
		t.Error(got)
	}
	if got := noAnswer(e, "nothing", id).Hint; !strings.Contains(got, "get 'x; touch /tmp/owned `id` $(id)'") {
		t.Error(got)
	}
}
