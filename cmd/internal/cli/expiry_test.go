package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/config"
)

// TestKeyThatEndsIsAnnounced: two weeks ahead, and when it has ended.
func TestKeyThatEndsIsAnnounced(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for ends, want := range map[string]string{
		"2026-01-10T00:00:00Z": "ends on 2026-01-10", "2025-12-30T00:00:00Z": "ended on 2025-12-30",
		"2026-02-10T00:00:00Z": "", "": "",
	} {
		var errs bytes.Buffer
		e := &Env{Name: "dig", Err: &errs, Now: func() time.Time { return now }}
		e.warnExpiry(&config.Settings{KeyExpires: ends})
		if (want == "") != (errs.Len() == 0) || !strings.Contains(errs.String(), want) {
			t.Errorf("%q: %q, want %q", ends, errs.String(), want)
		}
	}
}
