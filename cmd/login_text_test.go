package cmd

import (
	"strings"
	"testing"
)

// TestLoginReadsText: a byte order mark is no part of a key, and a key is no name of a profile, which is stored and
// shown.
func TestLoginReadsText(t *testing.T) {
	f := newFront(t, "us")
	key := f.key
	login := func(stdin, variable string, args ...string) (int, string) {
		f.vars = map[string]string{"DIG_API_KEY": variable, "DIG_ZONE": "", "DIG_BASE_URL": "", "DIG_PROJECT": ""}
		code, out, errs := f.digIn(stdin, append(args, "--zone", "us", "--base-url", f.base)...)
		if strings.Contains(out+errs, key) {
			t.Errorf("%q: the key is printed: %s%s", args, out, errs)
		}
		return code, errs
	}
	if code, errs := login("\ufeff"+key+"\r\n", "", "auth", "login", "a"); code != 0 {
		t.Errorf("exit %d: %s", code, errs)
	}
	f.mu.Lock()
	f.calls = nil
	f.mu.Unlock()
	for _, zone := range []string{"eu", "us"} { // the gateway of profile a is called us
		f.vars = map[string]string{"DIG_API_KEY": "", "DIG_ZONE": "", "DIG_BASE_URL": "", "DIG_PROJECT": "",
			"HTTPS_PROXY": "http://127.0.0.1:1"}
		code, _, errs := f.digIn(key, "auth", "login", "b", "--zone", zone)
		if known := strings.Contains(errs,
			"this is the key of profile a, for zone us; it was not sent to zone eu"); known != (zone == "eu") ||
			code == 0 {
			t.Errorf("%s: exit %d: %s", zone, code, errs)
		}
	}
	for _, c := range [][]string{{key + "\n", ""}, {"", key}} {
		for _, args := range [][]string{{"auth", "login", key}, {"auth", "login", key, "--no-check"}} {
			if code, errs := login(c[0], c[1], args...); code != 2 || !strings.Contains(errs,
				"the name of the profile is the key itself") {
				t.Errorf("%q: exit %d: %s", args[:2], code, errs)
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.calls) > 0 {
		t.Errorf("sent: %v", f.calls)
	}
}
