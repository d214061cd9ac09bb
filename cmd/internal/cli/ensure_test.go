package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestEnsuredAfterLostReply finds what a creation made whose reply was lost, and says that the creation was not
// confirmed.
func TestEnsuredAfterLostReply(t *testing.T) {
	var told bytes.Buffer
	e := &Env{Err: &told}
	created := false
	find := func() (string, bool, error) { return "found", created, nil }
	lost := errors.New("connection reset")
	v, made, err := Ensured(e, find, func() (string, error) {
		created = true
		return "", lost
	})
	if v != "found" || made || err != nil || !strings.Contains(told.String(), "not confirmed (connection reset)") {
		t.Errorf("got %q, made %v, %v, and %q", v, made, err, told.String())
	}

	told.Reset()
	created = false
	if _, made, err := Ensured(e, find, func() (string, error) { return "", lost }); !errors.Is(err, lost) || made ||
		told.Len() > 0 {
		t.Errorf("nothing was created: made %v, %v, and %q", made, err, told.String())
	}
}
