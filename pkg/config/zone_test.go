package config

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckBaseURL(t *testing.T) {
	for _, c := range []struct{ in, want, hint string }{
		{"https://host.example/api/v1", "https://host.example/api/v1", ""},
		{"https://host.example/api/v1///", "https://host.example/api/v1", ""},
		{"HTTPS://Host.Example.:443/api/v1", "https://host.example/api/v1", ""},
		{"https://host.example:8443/api/v1", "https://host.example:8443/api/v1", ""},
		{"https://host.example", "https://host.example", "/api/v1"},
		{"https://host.example/gw", "https://host.example/gw", "https://host.example/gw/api/v1"},
		{"http://localhost:8080/api/v1", "http://localhost:8080/api/v1", ""},
		{"http://127.0.0.1:80/api/v1", "http://127.0.0.1/api/v1", ""},
		{"http://127.8.9.1/api/v1", "http://127.8.9.1/api/v1", ""},
		{"http://[::1]:99/api/v1", "http://[::1]:99/api/v1", ""},
		{"https://[::1]/api/v1", "https://[::1]/api/v1", ""},
	} {
		got, hint, err := CheckBaseURL(c.in)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.in, got, err, c.want)
		}
		if (c.hint == "") != (hint == "") || !strings.Contains(hint, c.hint) {
			t.Errorf("%s: hint %q, want %q", c.in, hint, c.hint)
		}
		if again, _, err := CheckBaseURL(got); err != nil || again != got {
			t.Errorf("%s is not stable: %q, %v", got, again, err)
		}
	}
	for in, why := range map[string]string{
		"http://host.example/api/v1":             "plain http",
		"http://127.0.0.1.evil.example/api/v1":   "plain http",
		"http://localhost.evil.example/api/v1":   "plain http",
		"http://foo.localhost/api/v1":            "plain http",
		"http://0.0.0.0/api/v1":                  "plain http",
		"http://127.1/api/v1":                    "plain http",
		"http://0x7f000001/api/v1":               "plain http",
		"http://[fe80::1%25eth0]/api/v1":         "host",
		"ftp://host.example/":                    "scheme",
		"file:///etc/passwd":                     "absolute",
		"host.example/api/v1":                    "absolute",
		"https:host.example":                     "absolute",
		"https://":                               "absolute",
		"https:///api/v1":                        "absolute",
		"":                                       "absolute",
		"https://user:sesame@host.example/":      "user or password",
		"https://user@host.example/":             "user or password",
		"https://host.example/api/v1?k=sesame":   "query",
		"https://host.example/api/v1?":           "query",
		"https://host.example/api/v1#":           "fragment",
		"https://host.example/api/v1#frag":       "fragment",
		"https://host.example:0/api/v1":          "port",
		"https://host.example:70000/api/v1":      "port",
		"https://host.example:http/api/v1":       "absolute",
		"https://host.example/a/../api/v1":       "dot segment",
		"https://host.example/a//api/v1":         "segment",
		"https://host.example/%2e%2e/api/v1":     "escape",
		"https://ho st.example/api/v1":           "printable",
		"https://host.example/api/v1\r\nX: y":    "printable",
		"https://h\u043est.example/api/v1":       "xn--",
		`https://host.example\@evil.example/api`: "user or password",
	} {
		got, _, err := CheckBaseURL(in)
		if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %q, %v; want an error about %s", in, got, err, why)
		}
		if err != nil && strings.Contains(err.Error(), "sesame") {
			t.Errorf("%q: the error repeats a secret: %v", in, err)
		}
	}
}

func TestDefaultAddressesAreValidAndApart(t *testing.T) {
	seen := map[string]Zone{}
	for _, z := range Zones() {
		for _, a := range DefaultAddresses(z) {
			if got, hint, err := CheckBaseURL(a); got != a || hint != "" || err != nil {
				t.Errorf("%s: %q, hint %q, %v", a, got, hint, err)
			}
			if other, twice := seen[a]; twice {
				t.Errorf("%s belongs to %s and %s", a, other, z)
			}
			seen[a] = z
			if ZoneOfAddress(a) != z {
				t.Errorf("%s is said to be of zone %q", a, ZoneOfAddress(a))
			}
		}
	}
	if len(seen) != 3 || DefaultAddresses(Local) != nil {
		t.Errorf("addresses: %v", seen)
	}
}

func TestSamePlace(t *testing.T) {
	us, eu := DefaultAddresses(US), DefaultAddresses(EU)
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{eu[0], eu[1], true}, {us[0], us[0], true}, {us[0], eu[0], false}, {eu[1], us[0], false},
		{"https://a.example/x", "https://a.example/x", true}, {"https://a.example/x", "https://a.example/y", false},
		{"https://a.example/x", "https://b.example/x", false}, {"", "", false}, {us[0], us[0] + "/x", false},
	} {
		if got := SameKeyScope(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}

func env(kv ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	return func(name string) string { return m[name] }
}

func TestUserDir(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		goos string
		env  func(string) string
		want string
	}{
		{"linux", env("HOME", home), filepath.Join(home, ".config", "dig")},
		{"linux", env("HOME", home, "X", filepath.Join(home, "x")), filepath.Join(home, "x", "dig")},
		{"linux", env("HOME", home, "X", "relative"), filepath.Join(home, ".config", "dig")},
		{"darwin", env("HOME", home), filepath.Join(home, "Library", "Application Support", "dig")},
		{"darwin", env("HOME", home, "X", home), filepath.Join(home, "dig")},
		{"windows", env("AppData", home, "USERPROFILE", "elsewhere"), filepath.Join(home, "dig")},
		{"linux", env("O", home, "X", "/x", "HOME", "/h"), home},
		{"linux", env(), ""}, {"windows", env("HOME", home), ""},
	} {
		got, err := userDir(c.goos, c.env, "O", "X", "AppData", ".config")
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: %q, %v; want %q", c.goos, got, err, c.want)
		}
	}
	if d, err := DataDir(env("DIG_DATA_DIR", home)); d != home || err != nil {
		t.Errorf("DIG_DATA_DIR: %q, %v", d, err)
	}
	if c, d := must(ConfigDir(env("HOME", home, "AppData", home, "LocalAppData", home))),
		must(DataDir(env("HOME", home, "AppData", home, "LocalAppData", home))); c == d {
		t.Errorf("configuration and data share %s", c)
	}
}

func must(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}
