package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTimeout(t *testing.T) {
	for in, want := range map[string]time.Duration{"90": 90 * time.Second, "1m30s": 90 * time.Second, "0": 0,
		"0.5": 500 * time.Millisecond, "250ms": 250 * time.Millisecond, "7d": 168 * time.Hour, "0d": 0,
		"1w2d3h4.5s": 219*time.Hour + 4500*time.Millisecond} {
		s, err := newFixture(t).resolve(map[string]string{"timeout": in})
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if d, set := s.TimeoutDuration(); !set || d != want {
			t.Errorf("%s: %v %v", in, d, set)
		}
	}
	if s, _ := newFixture(t).resolve(nil); s != nil {
		if _, set := s.TimeoutDuration(); set {
			t.Error("a timeout that nobody gave")
		}
	}
	for _, in := range []string{"Inf", "-1", "1e300", "1 s", "s", "", "1d2w", "1d-2h", "-1d", "1d2",
		"1.5d", "999w2562047h"} {
		if _, err := ParseDuration(in); err == nil {
			t.Errorf("%s accepted", in)
		}
	}
}

func TestExplain(t *testing.T) {
	f := newFixture(t)
	f.profile(Profile{Name: "w", Zone: "us", Project: "p"}, hostedKey, true)
	f.project("workspace: ws\n")
	s, err := f.resolve(map[string]string{"org": "o"}, "DIG_OUTPUT", "json")
	if err != nil {
		t.Fatal(err)
	}
	pf := filepath.Join(f.dir, ProjectFile)
	want := []Explained{
		{"profile", "w", "current profile in " + f.store.Path()},
		{"zone", "us", "profile w"},
		{"base-url", DefaultAddresses(US)[0], "default of zone us"},
		{"org", "o", "flag --org"},
		{"workspace", "ws", "project file " + pf},
		{"project", "p", "profile w"},
		{"output", "json", "environment DIG_OUTPUT"},
		{"timeout", "", "default"},
		{"history", "16MiB", "default"},
		{"spool", "10GiB", "default"},
		{"protect", "", "default"},
		{"files", "on", "default"},
		{"journal", "10MiB", "default"},
		{"friendly", "on", "default"},
		{"connect-timeout", "", "default"},
		{"reply-timeout", "", "default"},
		{"ca-file", "", "default"},
		{"client-cert", "", "default"},
		{"client-key", "", "default"},
		{"key", "abcd1234.****", "profile w (file)"},
	}
	if got := fmt.Sprint(s.Explain()); got != fmt.Sprint(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	js, _ := json.Marshal(s)
	if strings.Contains(string(js)+fmt.Sprintf("%+v %#v %v", s, s, *s), secretEnd) {
		t.Error("settings show the key")
	}
}

func TestHistory(t *testing.T) {
	for in, want := range map[string]int64{"64MiB": 64 << 20, "100kB": 100_000, "0": 0, "off": 0, "OFF": 0,
		"1.5GiB": 3 << 29} {
		s, err := newFixture(t).resolve(map[string]string{"history": in})
		if err != nil || s.HistoryBytes() != want {
			t.Errorf("%s: %v, %v; want %d", in, s, err, want)
		}
	}
	for _, in := range []string{"much", "-1", "64 elephants", "NaN"} {
		if _, err := newFixture(t).resolve(map[string]string{"history": in}); err == nil ||
			!strings.Contains(err.Error(), "is not a size") {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// TestHistoryOfProjectFile: a file that comes with a repository may have less kept on this machine, never more.
func TestHistoryOfProjectFile(t *testing.T) {
	for _, c := range []struct {
		file, profile, env string
		want               int64
		said               bool
	}{
		{"64MiB", "", "", 16 << 20, true},
		{"64MiB", "off", "", 0, true},
		{"16MiB", "off", "", 0, true},
		{"1MiB", "4MiB", "", 1 << 20, false},
		{"off", "", "", 0, false},
		{"off", "4MiB", "", 0, false},
		{"2MiB", "64MiB", "", 2 << 20, false},
		{"off", "", "8MiB", 8 << 20, false}, // its user's word counts
	} {
		f := newFixture(t)
		if c.profile != "" {
			f.profile(Profile{Name: "w", Zone: "local", History: c.profile}, "", true)
		}
		f.project("history: " + c.file + "\n")
		var env []string
		if c.env != "" {
			env = []string{"DIG_HISTORY", c.env}
		}
		s, err := f.resolve(nil, env...)
		if err != nil {
			t.Fatal(err)
		}
		if s.HistoryBytes() != c.want || strings.Contains(strings.Join(s.Notes, " "), "cannot increase it") != c.said {
			t.Errorf("%+v: keeps %d; notes %q", c, s.HistoryBytes(), s.Notes)
		}
	}
}
