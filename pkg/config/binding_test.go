package config

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

const evil = "https://evil.example/api/v1"

// TestStoredKeysStayAtTheirAddress: whatever is set wherever, a stored key goes to the address it was stored for or
// nowhere.
func TestStoredKeysStayAtTheirAddress(t *testing.T) {
	us, eu := DefaultAddresses(US)[0], DefaultAddresses(EU)
	own := "https://gw.example/api/v1"
	for name, c := range map[string]struct {
		profile Profile
		project string
		flags   map[string]string
		env     []string
		sent    bool
	}{
		"own zone":    {profile: Profile{Zone: "us"}, sent: true},
		"own address": {profile: Profile{BaseURL: own}, sent: true},
		"same address by flag": {profile: Profile{BaseURL: own}, flags: map[string]string{"base-url": own +
			"/"}, sent: true},
		"same address by project file": {profile: Profile{Zone: "us"}, project: "base-url: " + us +
			"\n", sent: true},
		"second address of the same zone": {profile: Profile{Zone: "eu"}, flags: map[string]string{"base-url": eu[1]},
			sent: true},
		"project file elsewhere": {profile: Profile{Zone: "us"}, project: "base-url: " + evil + "\n"},
		"project file, loopback": {profile: Profile{Zone: "us"},
			project: "base-url: http://127.0.0.1:9/api/v1\n"},
		"project file, longer path": {profile: Profile{Zone: "us"}, project: "base-url: " + us + "/x\n"},
		"project file, other port": {profile: Profile{Zone: "us"},
			project: "base-url: https://partner.peaka.studio:8443/api/v1\n"},
		"project file, zone and address": {profile: Profile{Zone: "us"}, project: "zone: us\nbase-url: " + evil +
			"\n"},
		"project file, names the profile": {profile: Profile{Zone: "us"}, project: "profile: w\nbase-url: " + evil +
			"\n"},
		"project file, other zone": {profile: Profile{Zone: "us"}, project: "zone: eu\n"},
		"project file, local elsewhere": {profile: Profile{Zone: "us"}, project: "zone: local\nbase-url: " + evil +
			"\n"},
		"profile by flag, address by file": {profile: Profile{Zone: "us"}, project: "base-url: " + evil + "\n",
			flags: map[string]string{"profile": "w"}},
		"flag elsewhere":        {profile: Profile{Zone: "us"}, flags: map[string]string{"base-url": evil}},
		"environment elsewhere": {profile: Profile{Zone: "us"}, env: []string{"DIG_BASE_URL", evil}},
		"zone flag":             {profile: Profile{Zone: "us"}, flags: map[string]string{"zone": "eu"}},
		"zone and address flags": {profile: Profile{Zone: "us"}, flags: map[string]string{"zone": "eu",
			"base-url": eu[1]}},
	} {
		f := newFixture(t)
		c.profile.Name = "w"
		f.profile(c.profile, hostedKey, true)
		if c.project != "" {
			f.project(c.project)
		}
		s, err := f.resolve(c.flags, c.env...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		key, err := s.NeedKey()
		if sent := key.Reveal() == hostedKey; sent != c.sent {
			t.Errorf("%s: key sent to %s: %v", name, s.BaseURL.Value, sent)
		}
		if !c.sent && (!errors.Is(err, ErrNotAllowed) || !key.IsZero() || !s.Key.IsZero()) {
			t.Errorf("%s: %v, key %v", name, err, key)
		}
		if c.sent && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMovedProfileDoesNotTakeItsKeyAlong: the binding is stored with the key, so changing config.yaml does not move it.
func TestMovedProfileDoesNotTakeItsKeyAlong(t *testing.T) {
	f := newFixture(t)
	f.profile(Profile{Name: "w", BaseURL: "https://gw.example/api/v1"}, hostedKey, true)
	if err := update(f.store, "w", func(p *Profile) { p.BaseURL = evil }); err != nil {
		t.Fatal(err)
	}
	s, err := f.resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.NeedKey(); s.BaseURL.Value != evil || !errors.Is(err, ErrNotAllowed) ||
		!strings.Contains(err.Error(), "https://gw.example") {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := f.store.Add(Profile{Name: "w", BaseURL: evil}, Key{}, AddOptions{Replace: true}); err != nil {
		t.Fatal(err)
	}
	if s, _ := f.resolve(nil); !s.Key.IsZero() {
		t.Error("replacing the profile moved its key")
	}
}

// TestVariableKey: DIG_API_KEY goes to an address its user chose, never to one that only a project file chose.
func TestVariableKey(t *testing.T) {
	us := DefaultAddresses(US)[0]
	for name, c := range map[string]struct {
		current, other *Profile
		project        string
		flags          map[string]string
		env            []string
		want           string // address that gets the key, "" for none
	}{
		"zone flag":                       {flags: map[string]string{"zone": "us"}, want: us},
		"zone by project file":            {project: "zone: us\n", want: us},
		"default address by project file": {project: "base-url: " + us + "\n", want: us},
		"address flag": {flags: map[string]string{"base-url": "https://gw.example/api/v1"},
			want: "https://gw.example/api/v1"},
		"address variable": {env: []string{"DIG_BASE_URL", "http://127.0.0.1:1/api/v1"},
			want: "http://127.0.0.1:1/api/v1"},
		"flag over project file": {project: "base-url: " + evil + "\n",
			flags: map[string]string{"base-url": "https://gw.example"}, want: "https://gw.example"},
		"own profile": {current: &Profile{Name: "c", BaseURL: "https://gw.example/api/v1"},
			want: "https://gw.example/api/v1"},
		"project file names a zone profile": {other: &Profile{Name: "o", Zone: "us"}, project: "profile: o\n",
			want: us},
		"project file":             {project: "base-url: " + evil + "\n"},
		"project file with a zone": {project: "zone: us\nbase-url: " + evil + "\n"},
		"project file with the zone by flag": {project: "base-url: " + evil + "\n",
			flags: map[string]string{"zone": "us"}},
		"project file, loopback": {project: "base-url: http://localhost:1/api/v1\n"},
		"project file over a profile": {current: &Profile{Name: "c", Zone: "us"}, project: "base-url: " + evil +
			"\n"},
		"project file names another profile": {other: &Profile{Name: "o", BaseURL: "https://test.example/api/v1"},
			project: "profile: o\n"},
	} {
		f := newFixture(t)
		if c.current != nil {
			f.profile(*c.current, "", true)
		}
		if c.other != nil {
			f.profile(*c.other, "", false)
		}
		if c.project != "" {
			f.project(c.project)
		}
		s, err := f.resolve(c.flags, append(c.env, "DIG_API_KEY", hostedKey)...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		key, err := s.NeedKey()
		switch {
		case c.want == "" && (!errors.Is(err, ErrNotAllowed) || !key.IsZero()):
			t.Errorf("%s: the key goes to %s (%v)", name, s.BaseURL.Value, err)
		case c.want == "" && !strings.Contains(err.Error(), filepath.Join(f.dir, ProjectFile)):
			t.Errorf("%s: the error does not name the project file: %v", name, err)
		case c.want != "" && (err != nil || key.Reveal() != hostedKey || s.BaseURL.Value != c.want):
			t.Errorf("%s: %s, %v", name, s.BaseURL.Value, err)
		}
	}
}

func TestVariableKeyBeatsTheStoredOne(t *testing.T) {
	f := newFixture(t)
	f.profile(Profile{Name: "w", Zone: "us"}, hostedKey, true)
	s, err := f.resolve(nil, "DIG_API_KEY", " other\n")
	if err != nil || s.Key.Reveal() != "other" || s.KeyFrom != "environment DIG_API_KEY" || len(s.Notes) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := f.resolve(nil, "DIG_API_KEY", "two words"); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(),
		"environment DIG_API_KEY") {
		t.Errorf("%v", err)
	}
}

func TestNoKeyAtAll(t *testing.T) {
	f := newFixture(t)
	s, err := f.resolve(map[string]string{"zone": "us"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.NeedKey()
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrNotAllowed) || !strings.Contains(e.Hint(), "--zone us") {
		t.Errorf("%v", err)
	}
	f.profile(Profile{Name: "w", Zone: "us"}, "", true)
	if s, _ = f.resolve(nil); s.keyErr == nil || !strings.Contains(s.KeyFrom, "profile w has no key") {
		t.Errorf("%+v", s)
	}
}
