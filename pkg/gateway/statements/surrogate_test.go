package statements_test

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// TestHalfASurrogatePair: the decoder of JSON would put another character in its place, and what is stored would not be
// what was sent.
func TestHalfASurrogatePair(t *testing.T) {
	g := gatewaytest.Open(t)
	path := "/data/projects/" + store.DefaultProject + "/queries/execute"
	for text, ok := range map[string]bool{
		`\ud83d\ude00`: true, `\\ud800`: true, `\\\\ud800 \\`: true, `é \u00e9 \uFFFD`: true, `\n\ud83D\uDE00\t`: true,
		`\ud800`: false, `\udc00`: false, `\udc00\ud800`: false, `\ud800\ud800\udc00`: false, `x\uD800\n`: false,
		`\\\ud800`: false, `\ud83d\ude00\ud83d`: false,
	} {
		status, reply := gatewaytest.Exchange(g, "POST", path, "application/json", `{"statement":"SELECT '`+text+
			`' AS x"}`)
		if ok != (status == 200) || !ok && !strings.Contains(reply, "an unpaired surrogate at byte") {
			t.Errorf("%s: %d %s", text, status, reply)
		}
	}
}
