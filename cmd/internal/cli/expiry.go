package cli

import (
	"fmt"
	"time"

	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/output"
)

// keyNotice is how long before the expiry of a key commands start to warn about it.
const keyNotice = 14 * 24 * time.Hour

// warnExpiry warns that the current key expires soon or has expired, according to its profile.
func (e *Env) warnExpiry(s *config.Settings) {
	// stderr holds a single JSON object then
	if s.KeyExpires == "" || e.Now == nil || output.FormatOf(s.Output.Value).JSON() {
		return
	}
	at, err := time.Parse(time.RFC3339, s.KeyExpires)
	left := at.Sub(e.Now())
	switch {
	case err != nil || left > keyNotice:
		return
	case left <= 0:
		fmt.Fprintf(e.Err, "warning: the key of profile %s ended on %s\n", s.Profile.Value, at.Format(time.DateOnly))
	default:
		fmt.Fprintf(e.Err,
			"warning: the key of profile %s ends on %s; make another with `%s api-key create --store NAME`\n",
			s.Profile.Value, at.Format(time.DateOnly), e.Name)
	}
}
