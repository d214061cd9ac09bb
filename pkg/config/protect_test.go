package config

import (
	"errors"
	"strings"
	"testing"
)

// TestProtect: each source can make the protection stricter, and none weaker.
func TestProtect(t *testing.T) {
	for _, c := range []struct{ profile, project, variable, readOnly, want, from string }{
		{"", "", "", "", "", "default"},
		{"", "", "", "0", "", "default"},
		{"confirm", "", "", "", "confirm", "profile w"},
		{"read-only", "confirm", "confirm", "0", "read-only", "profile w"},
		{"confirm", "read-only", "confirm", "", "read-only", "project file"},
		{"confirm", "", "read-only", "", "read-only", "environment DIG_PROTECT"},
		{"confirm", "", "", "1", "read-only", "environment DIG_READ_ONLY"},
		{"", "", "", "true", "read-only", "environment DIG_READ_ONLY"},
		{"", "confirm", "", "", "confirm", "project file"},
		{"", "", "confirm", "", "confirm", "environment DIG_PROTECT"},
	} {
		f := newFixture(t)
		f.profile(Profile{Name: "w", Zone: "us", Protect: c.profile}, "", true)
		if c.project != "" {
			f.project("protect: " + c.project + "\n")
		}
		for _, zone := range []map[string]string{nil, {"zone": "eu"}} { // in another zone than the profile's, too
			s, err := f.resolve(zone, "DIG_PROTECT", c.variable, "DIG_READ_ONLY", c.readOnly)
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			if s.Protect.Value != c.want || !strings.HasPrefix(s.Protect.From, c.from) ||
				s.IsReadOnly() != (c.want == ReadOnly) {
				t.Errorf("%+v: %+v", c, s.Protect)
			}
		}
	}
	for _, kv := range [][]string{{"DIG_PROTECT", "off"}, {"DIG_READ_ONLY", "perhaps"}} {
		if _, err := newFixture(t).resolve(nil, kv...); !errors.Is(err, ErrUsage) ||
			!strings.Contains(err.Error(), kv[0]) {
			t.Errorf("%v: %v", kv, err)
		}
	}
	f := newFixture(t)
	f.project("protect: none\n")
	if _, err := f.resolve(nil); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), ":1: protect") {
		t.Error(err)
	}
}

// TestProtectStays: a profile that is replaced keeps its protection, unless another one is given.
func TestProtectStays(t *testing.T) {
	f := newFixture(t)
	f.profile(Profile{Name: "w", Zone: "us", Protect: ReadOnly}, "", true)
	for _, c := range []struct{ given, want string }{{"", ReadOnly}, {Confirm, Confirm}} {
		if _, err := f.store.Add(Profile{Name: "w", Zone: "eu", Protect: c.given}, Key{},
			AddOptions{Replace: true}); err != nil {
			t.Fatal(err)
		}
		if p, err := f.store.Get("w"); err != nil || p.Protect != c.want {
			t.Errorf("%+v, %v", p, err)
		}
	}
}

// TestJournalOfProjectFile: a project file cannot decide that changes leave no record.
func TestJournalOfProjectFile(t *testing.T) {
	f := newFixture(t)
	f.project("journal: off\n")
	for _, own := range []string{"", "1MiB"} {
		f.profile(Profile{Name: "w" + own, Journal: own}, "", true)
		s, err := f.resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(10 << 20)
		if own != "" {
			want = 1 << 20
		}
		if s.JournalBytes() != want || len(s.Notes) != 1 || !strings.Contains(s.Notes[0],
			"a project file cannot change it") {
			t.Errorf("%q: %d, %v", own, s.JournalBytes(), s.Notes)
		}
	}
	if s, err := f.resolve(nil, "DIG_JOURNAL", "off"); err != nil || s.JournalBytes() != 0 {
		t.Errorf("%v, %v", s, err)
	}
}
