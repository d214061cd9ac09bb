package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProjectFileSearch(t *testing.T) {
	f := newFixture(t)
	if err := os.MkdirAll(filepath.Join(f.dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	setSettings(t)
	at := func(dir string) *Settings {
		t.Helper()
		s, err := Resolve(Sources{Getenv: fileEnv("HOME", f.home, "USERPROFILE", f.home), Dir: dir,
			ConfigDir: f.store.dir})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := at(f.dir); s.Path != "" {
		t.Errorf("found %s", s.Path)
	}
	write(t, filepath.Join(f.home, ProjectFile), "project: home\n")
	if s := at(filepath.Join(f.dir, "a", "b")); s.Project.Value != "home" {
		t.Errorf("%+v", s.Project)
	}
	f.project("project: repo\n")
	if s := at(filepath.Join(f.dir, "a", "b")); s.Project.Value != "repo" ||
		s.Path != filepath.Join(f.dir, ProjectFile) {
		t.Errorf("%+v", s.Project)
	}
	write(t, filepath.Join(f.dir, "a", "b", ProjectFile), "output: csv\n")
	if s := at(filepath.Join(f.dir, "a", "b")); s.Project.Value != "" || s.Output.Value != "csv" {
		t.Errorf("two files were mixed: %+v %+v", s.Project, s.Output)
	}
	// A home below: nothing above it is read.
	s, err := Resolve(Sources{Getenv: fileEnv("HOME", filepath.Join(f.dir, "a"), "USERPROFILE",
		filepath.Join(f.dir, "a")), Dir: filepath.Join(f.dir, "a"), ConfigDir: f.store.dir})
	if err != nil || s.Path != "" {
		t.Errorf("searched above home: %q, %v", s.Path, err)
	}
}

func TestProjectFileErrors(t *testing.T) {
	for text, want := range map[string]string{
		"api-key: " + hostedKey + "\n":       ":1: api-key: a project file must not hold a key",
		"zone: us\nkey: " + hostedKey + "\n": ":2: key: a project file must not hold a key",
		"zone: us\nDIG_API_KEY: x\n":         ":2: DIG_API_KEY: a project file must not hold a key",
		"accessToken: x\n":                   ":1: accessToken: a project file must not hold a key",
		"ca-file: /x\n":                      ":1: ca-file: a project file must not choose certificates",
		"client-key: /x\n":                   ":1: client-key: a project file must not choose certificates",
		"projct: x\n":                        ":1: projct: unknown field (did you mean project?)",
		"url: https://h.example\n":           ":1: url: unknown field (did you mean base-url?)",
		"something-else: x\n": "(the fields are profile, zone, base-url, org, workspace, project, " +
			"output, timeout, history, spool, protect, files, journal, friendly, connect-timeout, " +
			"reply-timeout)",
		"\n\nzone: mars\n":                       ":3: zone: \"mars\" is not a zone",
		"base-url: http://h.example/api/v1\n":    ":1: base-url: \"http://h.example/api/v1\": plain http",
		"base-url: https://u:sesame@h.example\n": ":1: base-url: contains a user or password",
		"profile: ../../x\n":                     ":1: profile: \"../../x\" is not a profile name",
		"project: \"a\\e[2J\"\n":                 ":1: project: contains the control character",
		"project: x\nproject: y\n":               ":2: project: is given twice",
		"project: !!binary aGk=\n<<: {}\n":       "not plain text",
		"zone: us\n---\nzone: eu\n":              "second document",
		"project: {a: b}\n":                      ":1: project: is not a single value",
	} {
		f := newFixture(t)
		f.project(text)
		_, err := f.resolve(map[string]string{"zone": "local"}) // a flag does not excuse a bad file
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrUsage) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		full := err.Error() + " (" + e.Hint() + ")"
		if !strings.Contains(full, want) || !strings.HasPrefix(full, filepath.Join(f.dir, ProjectFile)) {
			t.Errorf("%q: %s\nwant %s", text, full, want)
		}
		if strings.Contains(full, secretEnd) || strings.Contains(full, "sesame") {
			t.Errorf("%q: the error repeats a secret: %s", text, full)
		}
	}
}

func TestIdentifiersStayText(t *testing.T) {
	for _, id := range []string{"012", "1e3", "0x1F", "1_000", "true", "2026-11-21", "ABC12345"} {
		f := newFixture(t)
		f.project("project: " + id + "\n")
		f.profile(Profile{Name: "w", Org: id}, "", true)
		s, err := f.resolve(nil)
		if err != nil || s.Project.Value != id || s.Org.Value != id {
			t.Errorf("%s became %q and %q, %v", id, s.Project.Value, s.Org.Value, err)
		}
	}
}

func TestProjectFileThatIsNoFile(t *testing.T) {
	f := newFixture(t)
	if err := os.Mkdir(filepath.Join(f.dir, ProjectFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := f.resolve(nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("%v", err)
	}
}
