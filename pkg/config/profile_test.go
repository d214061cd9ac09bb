package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func fileEnv(kv ...string) func(string) string {
	return env(append(kv, "DIG_KEY_STORAGE", "file")...)
}

func openStore(t testing.TB, getenv func(string) string) *Store {
	t.Helper()
	s, err := OpenStore(filepath.Join(t.TempDir(), "cfg"), getenv)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// update changes a profile in any way.
func update(s *Store, name string, change func(*Profile)) error {
	return s.edit(name, func(p *Profile) error { old := *p; change(p); p.keepKey(old); return nil })
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestProfileLife(t *testing.T) {
	s := openStore(t, fileEnv())
	if list, current, err := s.List(); err != nil || len(list) != 0 || current != "" {
		t.Fatalf("empty: %v %q %v", list, current, err)
	}
	if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("reading made the directory")
	}
	full := Profile{Name: "work.EU", Zone: "eu", Org: "o 1", Workspace: "w", Project: "012", Output: "json",
		Timeout: "1m30s"}
	added, err := s.Add(full, mustKey(t, hostedKey), AddOptions{})
	if err != nil || added.Storage != "file" || !strings.Contains(added.Where, "credentials.yaml") ||
		len(added.Hints) != 0 {
		t.Fatalf("add: %+v, %v", added, err)
	}
	for _, name := range []string{"true", "1", "null", "1.2.3"} {
		if _, err := s.Add(Profile{Name: name, Zone: "local"}, Key{}, AddOptions{}); err != nil {
			t.Errorf("add %s: %v", name, err)
		}
	}
	full.KeyStorage = "file"
	if got, err := s.Get("work.EU"); err != nil || got != full {
		t.Errorf("get: %+v, %v; want %+v", got, err, full)
	}
	if _, err := s.Add(Profile{Name: "work.EU"}, Key{}, AddOptions{}); !errors.Is(err, ErrConflict) {
		t.Errorf("added twice: %v", err)
	}
	if _, err := s.Add(Profile{Name: "Work.eu"}, Key{}, AddOptions{Replace: true}); !errors.Is(err, ErrConflict) {
		t.Errorf("added under another case: %v", err)
	}
	if err := s.Use("true"); err != nil {
		t.Error(err)
	}
	list, current, err := s.List()
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
	}
	if want := []string{"work.EU", "true", "1", "null", "1.2.3"}; err != nil || current != "true" ||
		!slices.Equal(names, want) {
		t.Errorf("list: %v %q %v", names, current, err)
	}
	if err := update(s, "work.EU", func(p *Profile) {
		p.BaseURL = DefaultAddresses(EU)[1] + "/"
		p.KeyStorage = "keyring"
	}); err != nil {
		t.Error(err)
	}
	if got, _ := s.Get("work.EU"); got.BaseURL != DefaultAddresses(EU)[1] || got.KeyStorage != "file" {
		t.Errorf("update: %+v", got)
	}
	if k, err := s.Key(full); err != nil || k.Key.Reveal() != hostedKey || k.Address != DefaultAddresses(EU)[0] {
		t.Errorf("key: %+v, %v", k, err)
	}
	if left, err := s.Remove("true"); err != nil || left != "" {
		t.Errorf("remove: %q, %v", left, err)
	}
	if _, current, _ := s.List(); current != "" {
		t.Errorf("the removed profile is still current: %q", current)
	}
	if _, err := s.Remove("work.EU"); err != nil {
		t.Error(err)
	}
	if strings.Contains(read(t, filepath.Join(s.dir, "credentials.yaml")), "ABCDEF") {
		t.Error("the key outlived its profile")
	}
	for _, err := range []error{s.Use("work.EU"), update(s, "nix", func(*Profile) {}), second(s.Remove("nix")),
		second(s.Get("nix"))} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("unknown profile: %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestAddRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		p    Profile
		key  Key
		env  string
		want string
	}{
		"empty name":    {p: Profile{}, want: "empty"},
		"path as name":  {p: Profile{Name: "../x"}, want: "profile name"},
		"space in name": {p: Profile{Name: "a b"}, want: "profile name"},
		"dash first":    {p: Profile{Name: "-x"}, want: "profile name"},
		"long name":     {p: Profile{Name: strings.Repeat("x", 65)}, want: "profile name"},
		"zone":          {p: Profile{Name: "x", Zone: "mars"}, want: "not a zone"},
		"plain http":    {p: Profile{Name: "x", BaseURL: "http://h.example/api/v1"}, want: "plain http"},
		"other zone's url": {p: Profile{Name: "x", Zone: "us", BaseURL: DefaultAddresses(EU)[1]},
			want: "address of zone eu"},
		"control":          {p: Profile{Name: "x", Org: "a\x1b[2J"}, want: "control character"},
		"timeout":          {p: Profile{Name: "x", Timeout: "soon"}, want: "not a duration"},
		"negative timeout": {p: Profile{Name: "x", Timeout: "-1s"}, want: "negative"},
		"key for local":    {p: Profile{Name: "x", Zone: "local"}, key: mustKey(t, hostedKey), want: "uses no key"},
		"storage":          {p: Profile{Name: "x"}, env: "cloud", want: "not a storage"},
		"no keyring": {p: Profile{Name: "x", Zone: "us"}, key: mustKey(t, hostedKey), env: "keyring",
			want: "no session bus"},
	} {
		if name == "no keyring" && runtime.GOOS != "linux" {
			continue
		}
		s := openStore(t, env("DIG_KEY_STORAGE", c.env))
		_, err := s.Add(c.p, c.key, AddOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if _, err := os.Stat(s.Path()); err == nil {
			t.Errorf("%s: config.yaml was written", name)
		}
	}
}

func TestFilesAreForTheOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no mode bits")
	}
	s := openStore(t, fileEnv())
	if _, err := s.Add(Profile{Name: "w", Zone: "us"}, mustKey(t, hostedKey), AddOptions{}); err != nil {
		t.Fatal(err)
	}
	cred := filepath.Join(s.dir, "credentials.yaml")
	for path, want := range map[string]os.FileMode{s.dir: 0o700, s.Path(): 0o600, cred: 0o600,
		filepath.Join(s.dir, ".lock"): 0o600} {
		st, err := os.Stat(path)
		if err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %o", path, st.Mode(), err, want)
		}
	}
	p, _ := s.Get("w")
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620} {
		if err := os.Chmod(cred, mode); err != nil {
			t.Fatal(err)
		}
		_, err := s.Key(p)
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrStorage) || !strings.Contains(e.Hint(), "chmod 600") {
			t.Errorf("%o: %v", mode, err)
		}
		if err := s.keys("file").Set("other", StoredKey{mustKey(t, "k"), "https://h.example"}); !errors.Is(err,
			ErrStorage) {
			t.Errorf("%o: written all the same: %v", mode, err)
		}
	}
	if err := os.Chmod(s.Path(), 0o602); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get("w"); !errors.Is(err, ErrStorage) {
		t.Errorf("a config.yaml that others may write: %v", err)
	}
}

func TestKeysAreNotInConfigFile(t *testing.T) {
	s := openStore(t, fileEnv())
	if _, err := s.Add(Profile{Name: "w", Zone: "us"}, mustKey(t, hostedKey), AddOptions{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(read(t, s.Path()), "ABCDEF") {
		t.Error("config.yaml holds the key")
	}
	if !strings.Contains(read(t, filepath.Join(s.dir, "credentials.yaml")), hostedKey) {
		t.Error("credentials.yaml lacks the key")
	}
}

// TestCommentsAreKept: no change of config.yaml loses a comment, but those on what is removed.
func TestCommentsAreKept(t *testing.T) {
	const before = `# head

# which one
current: a # why a

# all of them
profiles:
  # about a
  a:
    # where its data is
    zone: us # residency
    project: p1 # main
  # about b
  b: {zone: local} # short
  # about n
  n: # nothing
# the end
`
	all := []string{"# head", "# which one", "# why a", "# all of them", "# about a", "# where its data is",
		"# residency", "# main", "# about b", "# short", "# about n", "# nothing", "# the end"}
	for name, c := range map[string]struct {
		change func(s *Store) error
		has    string
		gone   []string
	}{
		"Use":       {change: func(s *Store) error { return s.Use("b") }, has: "current: b # why a"},
		"Use, none": {change: func(s *Store) error { return s.Use("") }, gone: []string{"# which one", "# why a"}},
		"Update": {change: func(s *Store) error {
			return update(s, "a", func(p *Profile) {
				p.Project,
					p.Output = "p2", "csv"
			})
		}, has: "project: p2 # main"},
		"Update, less": {change: func(s *Store) error { return update(s, "a", func(p *Profile) { p.Project = "" }) },
			gone: []string{"# main"}},
		"Add": {change: func(s *Store) error {
			_, err := s.Add(Profile{Name: "c", Zone: "eu"}, Key{}, AddOptions{Use: true})
			return err
		}, has: "current: c # why a"},
		"Add, a key": {change: func(s *Store) error {
			_, err := s.Add(Profile{Name: "c", Zone: "us"}, mustKey(t, hostedKey), AddOptions{})
			return err
		}, has: "key-storage: file"},
		"Add, in place": {change: func(s *Store) error {
			_, err := s.Add(Profile{Name: "b", Zone: "local", Project: "x"}, Key{}, AddOptions{Replace: true})
			return err
		}, has: "project: x"},
		"Update, empty": {change: func(s *Store) error { return update(s, "n", func(p *Profile) { p.Project = "x" }) },
			has: "n: # nothing"},
		"Set": {change: func(s *Store) error {
			_, err := s.Set("n", map[string]string{"project": "x"}, nil,
				false)
			return err
		}, has: "n: # nothing"},
		"Set, less": {change: func(s *Store) error {
			_, err := s.Set("a", map[string]string{"zone": "eu"}, []string{"project"}, false)
			return err
		}, has: "zone: eu # residency", gone: []string{"# main"}},
		"Rename": {change: func(s *Store) error { return s.Rename("b", "z") },
			has: "z: {zone: local} # short"},
		"Rename, current": {change: func(s *Store) error { return s.Rename("a", "z") }, has: "current: z # why a"},
		"Replace": {change: func(s *Store) error {
			_, err := s.Replace([]byte(before),
				[]byte(before+"# more\n"))
			return err
		}, has: "# more"},
		"Login and out": {change: func(s *Store) error {
			if _, err := s.Add(Profile{Name: "a", Zone: "us"}, mustKey(t, hostedKey), AddOptions{Replace: true,
				Merge: func(*Profile) error { return nil }}); err != nil {
				return err
			}
			if err := s.Learn("a", mustKey(t, hostedKey), KeyFacts{Kind: KindPartner}); err != nil {
				return err
			}
			_, err := s.Logout("a")
			return err
		}, has: "project: p1 # main"},
		"Remove": {change: func(s *Store) error { _, err := s.Remove("b"); return err }, has: "project: p1 # main",
			gone: []string{"# about b", "# short"}},
	} {
		s := openStore(t, fileEnv())
		write(t, s.Path(), before)
		if err := c.change(s); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := read(t, s.Path())
		for _, want := range append(slices.Clone(all), c.has) {
			if !strings.Contains(got, want) && !slices.Contains(c.gone, want) {
				t.Errorf("%s lost %q:\n%s", name, want, got)
			}
		}
		if _, _, err := s.List(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	reads := []string{"Check", "Get", "Key", "KeysOf", "List", "Members", "Path", "PendingRename", "RemoveKeys", "Text"}
	writes := []string{"Add", "Learn", "Logout", "Remove", "Rename", "Replace", "Set", "Use"} // as above
	for m := range reflect.TypeFor[*Store]().Methods() {
		if !slices.Contains(append(reads, writes...), m.Name) {
			t.Errorf("Store.%s is not tested here: does it keep comments?", m.Name)
		}
	}
}

// TestRemoveKeepsComments: with a profile go the comments about it, not those of the file or of what stands below it.
func TestRemoveKeepsComments(t *testing.T) {
	for before, want := range map[string]string{
		"# about the file\ncurrent: b\nprofiles:\n  a:\n    zone: local\n    # under a\n  # about b\n  b:\n    zone: " +
			"local\n\n# at the end\n": "# about the file\nprofiles:\n  a:\n    zone: local\n    # under a\n\n# at " +
			"the end\n",
		"profiles:\n  b:\n    zone: local\ncurrent: b\n# at the end\n":            "profiles: {}\n# at the end\n",
		"profiles:\n  b:\n    zone: local\n\n  # below b\n\n  c:\n    zone: us\n": "profiles:\n  # below b\n  c:\n    zone: us\n",
	} {
		s := openStore(t, fileEnv())
		write(t, s.Path(), before)
		if _, err := s.Remove("b"); err != nil {
			t.Error(err)
		}
		if got := read(t, s.Path()); got != want {
			t.Errorf("%s\nbecame\n%s\nwant\n%s", before, got, want)
		}
	}
}

func TestConfigFileErrors(t *testing.T) {
	for text, want := range map[string]string{
		"profile:\n":                                    ":1: profile: unknown field (did you mean profiles?)",
		"profiles:\n  a:\n    zonne: us\n":              ":3: zonne: unknown field (did you mean zone?)",
		"profiles:\n  a:\n    base_url: https://x\n":    ":3: base_url: unknown field (did you mean base-url?)",
		"profiles:\n  a:\n    organization: x\n":        ":3: organization: unknown field (did you mean org?)",
		"profiles:\n  a:\n    api-key: x\n":             ":3: api-key: keys are not stored in this file",
		"profiles:\n  a:\n    zone: mars\n":             ":3: zone: \"mars\" is not a zone",
		"profiles:\n  a:\n    base-url: http://h.xyz\n": ":3: base-url: \"http://h.xyz\": plain http",
		"profiles:\n  a:\n    zone:\n":                  ":3: zone: is empty",
		"profiles:\n  a:\n    zone: [us]\n":             ":3: zone: is not a single value",
		"profiles:\n  a: {}\n  a: {}\n":                 ":3: a: is given twice, first on line 2",
		"profiles:\n  a: {}\n  A: {}\n":                 ":3: profile: \"A\" differs from profile \"a\" only by case (give one of the two another name",
		"profiles:\n  a: &x {}\n  b: *x\n":              ":3: b: is an alias",
		"profiles:\n  a b: {}\n":                        ":2: profile: \"a b\" is not a profile name",
		"profiles:\n  a: us\n":                          ":2: a: is not a mapping",
		"profiles: [a]\n":                               ":1: profiles: is not a mapping",
		"current: x\n":                                  ":1: current: there is no profile \"x\"",
		"current: [\n":                                  "did not find expected",
		"- a\n":                                         ":1: contains no fields",
		"profiles: {}\n---\nprofiles: {}\n":             "second document",
		"profiles:\n  a:\n    key-storage: cloud\n":     ":3: key-storage: \"cloud\" is not a storage",
		"profiles:\n\ta: {}\n":                          ":2: found character that cannot start any token",
		strings.Repeat("#", maxFile+1):                  "the limit is",
	} {
		s := openStore(t, fileEnv())
		write(t, s.Path(), text)
		_, _, err := s.List()
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrUsage) {
			t.Errorf("%.40q: %v", text, err)
			continue
		}
		if full := err.Error() + " (" + e.Hint() + ")"; !strings.Contains(full, want) ||
			!strings.HasPrefix(full, s.Path()) {
			t.Errorf("%.40q: %s\nwant %s", text, full, want)
		}
		if _, err := s.Add(Profile{Name: "new"}, Key{}, AddOptions{}); err == nil || read(t, s.Path()) != text {
			t.Errorf("%.40q: a file that cannot be read was overwritten (%v)", text, err)
		}
	}
	for _, text := range []string{"", "# nothing\n", "profiles:\n", "profiles: {}\n", "profiles:\n  a:\n"} {
		s := openStore(t, fileEnv())
		write(t, s.Path(), text)
		if _, err := s.Add(Profile{Name: "new"}, Key{}, AddOptions{}); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if strings.HasPrefix(text, "#") && !strings.Contains(read(t, s.Path()), "# nothing") {
			t.Errorf("%q: comment lost:\n%s", text, read(t, s.Path()))
		}
	}
}
