package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// fixture is a home with a configuration directory and a project directory in it.
type fixture struct {
	t     testing.TB
	home  string
	store *Store
	dir   string
}

func newFixture(t testing.TB) *fixture {
	home := t.TempDir()
	f := &fixture{t: t, home: home, dir: filepath.Join(home, "src", "repo")}
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f.store = must2(OpenStore(filepath.Join(home, "cfg"), fileEnv()))
	return f
}

func must2[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (f *fixture) profile(p Profile, key string, use bool) {
	f.t.Helper()
	k := Key{}
	if key != "" {
		k = mustKey(f.t, key)
	}
	if _, err := f.store.Add(p, k, AddOptions{Use: use}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) project(text string) { write(f.t, filepath.Join(f.dir, ProjectFile), text) }

func (f *fixture) resolve(flags map[string]string, kv ...string) (*Settings, error) {
	setSettings(f.t, kv...)
	return Resolve(Sources{Flags: flagSet(f.t, flags), Getenv: fileEnv(append(kv, "HOME", f.home, "USERPROFILE",
		f.home)...), Dir: f.dir, ConfigDir: f.store.dir})
}

// setSettings sets the variables of settings in the process, where viper reads them, and unsets the others.
func setSettings(t testing.TB, kv ...string) {
	given := env(kv...)
	for _, name := range settingNames() {
		t.Setenv(EnvName(name), given(EnvName(name)))
	}
}

// flagSet has a flag for every setting, of which those in given are set.
func flagSet(t testing.TB, given map[string]string) *pflag.FlagSet {
	t.Helper()
	fs := pflag.NewFlagSet("dig", pflag.ContinueOnError)
	for _, name := range settingNames() {
		fs.String(name, "", "")
	}
	for name, v := range given {
		if err := fs.Set(name, v); err != nil {
			t.Fatal(err)
		}
	}
	return fs
}

func value(t testing.TB, s *Settings, name string) Explained {
	t.Helper()
	for _, e := range s.Explain() {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("no setting %q", name)
	return Explained{}
}

// TestPrecedence gives every setting at each combination of its sources, and expects the value and the name of the
// first: flag, variable, project file, profile, default.
func TestPrecedence(t *testing.T) {
	const (
		profile = 1 << iota
		project
		variable
		flag
	)
	for _, c := range []struct {
		name, variable                  string
		profile, project, environ, flag string
		def                             string
	}{
		{nameProfile, "DIG_PROFILE", "p.1", "P.2", "p-3", "p_4", ""},
		// for another zone see TestForeignZoneLeavesTheProfilesPlaceOut
		{nameZone, "DIG_ZONE", "us", "us", "us", "us", "local"},
		{nameBaseURL, "DIG_BASE_URL", "https://p.example/api/v1", "https://f.example/api/v1",
			"https://e.example/api/v1", "https://g.example/api/v1", ""},
		{nameOrg, "DIG_ORG", "org-p", "org-f", "org-e", "org-g", ""},
		{nameWorkspace, "DIG_WORKSPACE", "ws-p", "ws-f", "ws-e", "ws-g", ""},
		{nameProject, "DIG_PROJECT", "012", "1e3", "true", "0x1F", ""},
		{nameOutput, "DIG_OUTPUT", "csv", "json", "yaml", "tsv", "table"},
		{nameTimeout, "DIG_TIMEOUT", "1s", "2s", "3s", "4s", ""},
		{nameHistory, "DIG_HISTORY", "5MiB", "4MiB", "3MiB", "2MiB", "16MiB"},
		{nameSpool, "DIG_SPOOL", "5MiB", "4MiB", "3MiB", "2MiB", "10GiB"},
		{nameConnectTimeout, "DIG_CONNECT_TIMEOUT", "1s", "2s", "3s", "4s", ""},
		{nameReplyTimeout, "DIG_REPLY_TIMEOUT", "1s", "2s", "3s", "4s", ""},
	} {
		for mask := range 2 * flag {
			f := newFixture(t)
			flags, kv := map[string]string{}, []string{}
			want, from := c.def, "default"
			switch p := (Profile{Name: "Work.1"}); {
			case c.name == nameProfile:
				for _, n := range []string{c.profile, c.project, c.environ, c.flag} {
					f.profile(Profile{Name: n}, "", false)
				}
				if mask&profile != 0 {
					if err := f.store.Use(c.profile); err != nil {
						t.Fatal(err)
					}
					want, from = c.profile, "current profile in "+f.store.Path()
				}
			case mask&profile != 0:
				*p.field(c.name) = c.profile
				want, from = c.profile, "profile Work.1"
				fallthrough
			default:
				f.profile(p, "", true)
			}
			if mask&project != 0 {
				f.project(c.name + ": " + c.project + "\n")
				want, from = c.project, "project file "+filepath.Join(f.dir, ProjectFile)
			}
			if mask&variable != 0 {
				kv = append(kv, c.variable, c.environ)
				want, from = c.environ, "environment "+c.variable
			}
			if mask&flag != 0 {
				flags[c.name] = c.flag
				want, from = c.flag, "flag --"+c.name
			}
			s, err := f.resolve(flags, kv...)
			if err != nil {
				t.Errorf("%s %04b: %v", c.name, mask, err)
				continue
			}
			if got := value(t, s, c.name); got.Value != want || got.From != from {
				t.Errorf("%s %04b: %q from %q, want %q from %q", c.name, mask, got.Value, got.From, want, from)
			}
		}
	}
}

// TestEverySourceIsChecked: a bad value is an error that names its source, also where another source has precedence.
func TestEverySourceIsChecked(t *testing.T) {
	for name, bad := range map[string]string{
		nameProfile: "a/b", nameZone: "mars", nameBaseURL: "ftp://h.example", nameOrg: "a\x01", nameWorkspace: "a\x01",
		nameProject: "a\x01",
		nameOutput:  "C S V", nameTimeout: "soon", nameHistory: "much", nameSpool: "much",
	} {
		quoted := strings.ReplaceAll(fmt.Sprintf("%q", bad), `\x01`, `\u0001`)
		good := map[string]string{nameZone: "local", nameBaseURL: "https://h.example/api/v1", nameOutput: "csv",
			nameTimeout: "1", nameHistory: "1", nameSpool: "1"}[name]
		if good == "" {
			good = "w"
		}
		for source, resolve := range map[string]func(f *fixture) (*Settings, error){
			"flag --" + name: func(f *fixture) (*Settings, error) { return f.resolve(map[string]string{name: bad}) },
			"environment " + EnvName(name): func(f *fixture) (*Settings, error) {
				return f.resolve(map[string]string{name: good}, EnvName(name), bad)
			},
			ProjectFile + ":1: " + name: func(f *fixture) (*Settings, error) {
				f.project(name + ": " + quoted + "\n")
				return f.resolve(map[string]string{name: good}, EnvName(name), good)
			},
			"config.yaml:3: " + name: func(f *fixture) (*Settings, error) {
				write(t, f.store.Path(), "profiles:\n  w:\n    "+name+": "+quoted+"\n")
				return f.resolve(map[string]string{name: good}, EnvName(name), good)
			},
		} {
			if name == nameProfile && strings.HasPrefix(source, "config") {
				continue // not a field of profiles
			}
			f := newFixture(t)
			if _, err := resolve(f); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), source+": ") {
				t.Errorf("%s: %v", source, err)
			}
		}
	}
}

// TestPrecedenceOfProfileName: the chosen profile's settings are used.
func TestPrecedenceOfProfileName(t *testing.T) {
	f := newFixture(t)
	for _, n := range []string{"cur", "proj", "env", "flag"} {
		f.profile(Profile{Name: n, Project: "p-" + n}, "", false)
	}
	check := func(want, from string, flags map[string]string, kv ...string) {
		t.Helper()
		s, err := f.resolve(flags, kv...)
		if err != nil {
			t.Fatal(err)
		}
		if s.Profile.Value != want || !strings.HasPrefix(s.Profile.From, from) {
			t.Errorf("profile %+v, want %q from %s", s.Profile, want, from)
		}
		if want != "" && s.Project.Value != "p-"+want {
			t.Errorf("project %+v is not of profile %s", s.Project, want)
		}
	}
	check("", "default", nil)
	if err := f.store.Use("cur"); err != nil {
		t.Fatal(err)
	}
	check("cur", "current profile in ", nil)
	f.project("profile: proj\n")
	check("proj", "project file ", nil)
	check("env", "environment DIG_PROFILE", nil, "DIG_PROFILE", "env")
	check("flag", "flag --profile", map[string]string{"profile": "flag"}, "DIG_PROFILE", "env")
	if _, err := f.resolve(map[string]string{"profile": "flog"}); !errors.Is(err, ErrNotFound) ||
		!strings.Contains(err.Error(), "flag --profile") {
		t.Errorf("%v", err)
	}
}

func TestDefaultsSendNothingAnywhere(t *testing.T) {
	f := newFixture(t)
	s, err := f.resolve(nil, "DIG_API_KEY", hostedKey)
	if err != nil {
		t.Fatal(err)
	}
	if s.Zone.Value != "local" || !s.InProcess() || !s.Key.IsZero() || s.KeyFrom != "zone local uses no key" {
		t.Errorf("%+v", s)
	}
	if _, err := s.NeedKey(); err != nil {
		t.Error(err)
	}
}

func TestZonesAndAddresses(t *testing.T) {
	us, eu := DefaultAddresses(US), DefaultAddresses(EU)
	for name, c := range map[string]struct {
		flags      map[string]string
		env        []string
		zone, addr string
		candidates int
		err        string
	}{
		"us": {flags: map[string]string{"zone": "us"}, zone: "us", addr: us[0], candidates: 1},
		"eu": {flags: map[string]string{"zone": "eu"}, zone: "eu", addr: eu[0], candidates: 2},
		"second eu address": {flags: map[string]string{"zone": "eu", "base-url": eu[1] + "/"},
			zone: "eu", addr: eu[1]},
		"zone follows the address": {env: []string{"DIG_BASE_URL", eu[1]}, zone: "eu", addr: eu[1]},
		"other address": {env: []string{"DIG_BASE_URL", "https://h.example/api/v1"}, zone: "local",
			addr: "https://h.example/api/v1"},
		"flag zone, env address": {flags: map[string]string{"zone": "eu"}, env: []string{"DIG_BASE_URL",
			"http://127.0.0.1:1/api/v1"}, zone: "eu", addr: "http://127.0.0.1:1/api/v1"},
		"other zone's address": {flags: map[string]string{"zone": "us"}, env: []string{"DIG_BASE_URL", eu[0]},
			err: "address of zone eu"},
		"local against far env": {flags: map[string]string{"zone": "local"}, env: []string{"DIG_BASE_URL",
			"https://h.example/api/v1"}, err: "runs on this machine"},
		"local and loopback": {flags: map[string]string{"zone": "local"}, env: []string{"DIG_BASE_URL",
			"http://localhost:1/api/v1"}, zone: "local", addr: "http://localhost:1/api/v1"},
		"local and far, both flags": {flags: map[string]string{"zone": "local", "base-url": "https://h.example/api/v1"},
			zone: "local", addr: "https://h.example/api/v1"},
		"plain http": {env: []string{"DIG_BASE_URL", "http://h.example/api/v1"},
			err: "environment DIG_BASE_URL: \"http://h.example/api/v1\": plain http"},
		"zone typo": {env: []string{"DIG_ZONE", "loacl"},
			err: "environment DIG_ZONE: \"loacl\" is not a zone"},
		"empty flag":     {flags: map[string]string{"project": ""}, err: "flag --project: is empty"},
		"empty variable": {env: []string{"DIG_ZONE", ""}, zone: "local"},
		"bad timeout": {flags: map[string]string{"timeout": "NaN"},
			err: "flag --timeout: \"NaN\" is not a duration"},
	} {
		s, err := newFixture(t).resolve(c.flags, c.env...)
		if c.err != "" {
			if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", name, err, c.err)
			}
			continue
		}
		if err != nil || s.Zone.Value != c.zone || s.BaseURL.Value != c.addr || len(s.Candidates) != c.candidates {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func TestHintAboutTheVersionSegment(t *testing.T) {
	s, err := newFixture(t).resolve(map[string]string{"base-url": "https://h.example"})
	if err != nil || s.BaseURL.Value != "https://h.example" || len(s.Notes) != 1 || !strings.Contains(s.Notes[0],
		"https://h.example/api/v1") {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestForeignZoneLeavesTheProfilesPlaceOut(t *testing.T) {
	f := newFixture(t)
	f.profile(Profile{Name: "w", Zone: "us", Org: "o", Workspace: "ws", Project: "p", Output: "csv", Timeout: "9"},
		hostedKey, true)
	for _, zone := range []string{"local", "eu"} {
		s, err := f.resolve(map[string]string{"zone": zone})
		if err != nil {
			t.Fatal(err)
		}
		if s.Org.Value+s.Workspace.Value+s.Project.Value != "" || !s.Key.IsZero() || s.Output.Value != "csv" ||
			s.Timeout.Value != "9" {
			t.Errorf("%s: %+v", zone, s)
		}
		if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "project=p") || strings.Contains(s.Notes[0], secretEnd) {
			t.Errorf("%s: notes %q", zone, s.Notes)
		}
	}
	s, err := f.resolve(map[string]string{"zone": "eu"})
	if err != nil || !strings.Contains(s.KeyFrom, "the key of profile w was stored for "+DefaultAddresses(US)[0]) {
		t.Errorf("%q, %v", s.KeyFrom, err)
	}
	f.profile(Profile{Name: "here", Zone: "local"}, "", false)
	if s, _ := f.resolve(map[string]string{"zone": "us", "profile": "here"}); s == nil ||
		strings.Contains(s.KeyFrom, "here") {
		t.Errorf("a local profile is blamed for a key it cannot have: %+v", s)
	}
	s, err = f.resolve(map[string]string{"zone": "us"})
	if err != nil || s.Project.Value != "p" || s.Key.Reveal() != hostedKey || len(s.Notes) != 0 {
		t.Errorf("same zone: %+v, %v", s, err)
	}
}
