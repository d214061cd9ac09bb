package web

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// TestBodiesAreUTF8: bytes that are no text are refused, not replaced by another character.
func TestBodiesAreUTF8(t *testing.T) {
	var body api.ExecuteByStatement
	if err := DecodeBody([]byte(`{"statement":"SELECT 'é'"}`), &body); err != nil || body.Statement != "SELECT 'é'" {
		t.Errorf("%v, %q", err, body.Statement)
	}
	err := DecodeBody([]byte("{\"statement\":\"SELECT '\xff'\"}"), &body)
	if err == nil || !strings.Contains(err.Error(), "is not UTF-8 at byte 23") {
		t.Errorf("%v", err)
	}
}
