package config

import (
	"fmt"

	"github.com/dig-cli/dig/pkg/config/keybinding"
)

// settleKey finds the key and decides whether it may be sent to the address, see the package comment.
func (s *Settings) settleKey(store *Store, p *Profile, env string) error {
	addr := s.BaseURL.Value
	if addr == "" {
		s.KeyFrom = "zone local uses no key"
		return nil
	}
	if env != "" {
		key, err := NewKey(env)
		if err != nil {
			return rename(err, "environment DIG_API_KEY")
		}
		if by := s.chosenByProjectFile(); by != "" {
			s.keyErr = &Error{Kind: ErrNotAllowed, Field: "environment DIG_API_KEY",
				Msg:  keybinding.Chosen(addr, by),
				hint: "if this is the intended address, set it yourself: --base-url or DIG_BASE_URL"}
			s.KeyFrom = "DIG_API_KEY is not used: the address was chosen by " + by
			return nil
		}
		s.Key, s.KeyFrom = key, "environment DIG_API_KEY"
		if h := KeyHint(Zone(s.Zone.Value), key); h != "" {
			s.Notes = append(s.Notes, h)
		}
		return nil
	}
	if p == nil {
		s.keyErr = &Error{Kind: ErrNotAllowed, Msg: "there is no key for " + addr,
			hint: fmt.Sprintf("dig auth login --zone %s, or set DIG_API_KEY", s.Zone.Value)}
		s.KeyFrom = "no profile and no DIG_API_KEY"
		return nil
	}
	stored, err := store.Key(*p)
	switch {
	case err != nil:
		s.keyErr, s.KeyFrom = err, err.Error()
	case !SameKeyScope(stored.Address, addr):
		s.KeyFrom = keybinding.Elsewhere(p.Name, stored.Address)
		s.keyErr = &Error{Kind: ErrNotAllowed, Msg: fmt.Sprintf("%s, not to %s (%s)", s.KeyFrom, addr, s.BaseURL.From),
			hint: fmt.Sprintf("store a key for that address: dig auth login NAME --base-url %s, or set DIG_API_KEY",
				addr)}
	default:
		s.Key, s.KeyFrom = stored.Key, fmt.Sprintf("profile %s (%s)", p.Name, p.KeyStorage)
		s.KeyExpires, s.KeyFacts = p.KeyExpires, p.Facts()
	}
	return nil
}

// chosenByProjectFile returns the project file if it chose the address, directly or through a profile it named, and the
// address is not a default address of a zone; else "".
func (s *Settings) chosenByProjectFile() string {
	if ZoneOfAddress(s.BaseURL.Value) != "" {
		return ""
	}
	switch {
	case s.BaseURL.level == fromProject:
		return s.BaseURL.From
	case s.BaseURL.level == fromProfile && s.Profile.level == fromProject:
		return "profile " + s.Profile.Value + ", named by " + s.Profile.From
	}
	return ""
}

// SameKeyScope reports whether a key stored for address a may be sent to address b: they are equal, or both are default
// addresses of one zone. Both are in the form that CheckBaseURL returns.
func SameKeyScope(a, b string) bool {
	return keybinding.MaySend(a, b, func(address string) string { return string(ZoneOfAddress(address)) })
}
