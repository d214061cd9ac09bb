package config

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const edited = `# head
current: a # why a
profiles:
  # about a
  a: # short
    zone: us # residency
    project: p1 # main
  b: {zone: local}
# the end
`

func TestSet(t *testing.T) {
	s := openStore(t, fileEnv())
	write(t, s.Path(), edited)
	if _, err := s.Set("a", map[string]string{"project": "p2", "output": "csv"}, nil, true); err != nil ||
		read(t, s.Path()) != edited {
		t.Fatalf("a check changed the file: %v\n%s", err, read(t, s.Path()))
	}
	if _, err := s.Set("a", map[string]string{"project": "p2", "output": "csv"}, nil, false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Set("b", map[string]string{"base-url": "HTTP://LOCALHOST:80/api/v1/"}, []string{"zone"},
		false); err != nil {
		t.Fatal(err)
	}
	want := `# head
current: a # why a
profiles:
  # about a
  a: # short
    zone: us # residency
    project: p2 # main
    output: csv
  b:
    base-url: http://localhost/api/v1
# the end
`
	if got := read(t, s.Path()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, c := range []struct {
		name  string
		set   map[string]string
		unset []string
		kind  error
		says  string
	}{
		{"c", map[string]string{"zone": "eu"}, nil, ErrNotFound, `no profile "c"`},
		{"a", map[string]string{"projct": "x"}, nil, ErrUsage, "projct"},
		{"a", map[string]string{"zone": "mars"}, nil, ErrUsage, "mars"},
		{"a", map[string]string{"key-kind": "partner"}, nil, ErrUsage, "describes the stored key"},
		{"a", nil, []string{"key-storage"}, ErrUsage, "describes the stored key"},
		{"a", map[string]string{"api-key": "x"}, nil, ErrUsage, "keys are not stored in this file"},
		{"a", map[string]string{"zone": "eu", "base-url": DefaultAddresses(US)[0]}, nil, ErrUsage,
			"is an address of zone us"},
	} {
		for _, check := range []bool{true, false} {
			if _, err := s.Set(c.name, c.set, c.unset, check); !errors.Is(err, c.kind) ||
				!strings.Contains(err.Error(), c.says) {
				t.Errorf("%v %v: %v", c.set, c.unset, err)
			}
		}
	}
	if got := read(t, s.Path()); got != want {
		t.Errorf("a refused change changed the file:\n%s", got)
	}
}

func TestMembers(t *testing.T) {
	s := openStore(t, fileEnv())
	write(t, s.Path(), edited)
	all, err := s.Members()
	if want := "[{current a} {profiles.a.zone us} {profiles.a.project p1} {profiles.b.zone local}]"; err != nil ||
		fmt.Sprint(all) != want {
		t.Errorf("%v, %v, want %s", all, err, want)
	}
	for path, want := range map[string]string{
		"current": "/current", "zone": "in use/zone", "profiles.a.zone": "a/zone",
		"profiles.a.b.c.base-url": "a.b.c/base-url", "profiles.x.key-kind": "x/key-kind",
	} {
		if in, field, err := ParsePath(path, "in use"); err != nil || in+"/"+field != want {
			t.Errorf("%s: %s/%s, %v", path, in, field, err)
		}
	}
	for _, path := range []string{"", "profiles", "profiles.a", "profiles..zone", "a.zone", "profiles.a.nothing",
		"profiles.a."} {
		if in, field, err := ParsePath(path, "in use"); err == nil {
			t.Errorf("%q: %s/%s", path, in, field)
		}
	}
	if _, _, err := ParsePath("zone", ""); !errors.Is(err, ErrNotFound) {
		t.Errorf("a field without a profile: %v", err)
	}
}

func TestRename(t *testing.T) {
	s := openStore(t, fileEnv())
	if _, err := s.Add(Profile{Name: "a", Zone: "us", Project: "p"}, mustKey(t, hostedKey),
		AddOptions{Use: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(Profile{Name: "b", Zone: "local"}, Key{}, AddOptions{}); err != nil {
		t.Fatal(err)
	}
	write(t, s.Path(), strings.Replace(read(t, s.Path()), "  a:", "  # about it\n  a: # short", 1))
	for name, kind := range map[string]error{"b": ErrConflict, "B": ErrConflict, "a/b": ErrUsage, "": ErrUsage} {
		if err := s.Rename("a", name); !errors.Is(err, kind) {
			t.Errorf("to %q: %v", name, err)
		}
	}
	if err := s.Rename("x", "y"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if err := s.Rename("a", "A"); err != nil { // only the case changes
		t.Fatal(err)
	}
	if err := s.Rename("A", "acme"); err != nil {
		t.Fatal(err)
	}
	p, err := s.Get("acme")
	if err != nil || p.Project != "p" || p.KeyStorage != "file" {
		t.Fatalf("%+v, %v", p, err)
	}
	if k, err := s.Key(p); err != nil || k.Key.Reveal() != hostedKey {
		t.Errorf("key: %v", err)
	}
	if _, current, _ := s.List(); current != "acme" {
		t.Errorf("current is %q", current)
	}
	if text := read(t, s.Path()); !strings.Contains(text, "# about it\n  acme: # short") {
		t.Errorf("comments:\n%s", text)
	}
	if text := read(t, filepath.Join(s.dir, "credentials.yaml")); strings.Count(text, secretEnd) != 1 {
		t.Error("a copy of the key remains")
	}
}

func TestLogout(t *testing.T) {
	s := openStore(t, fileEnv())
	p := Profile{Name: "a", Zone: "us", Project: "p", KeyExpires: "2030-01-31T00:00:00Z"}
	p.SetFacts(KeyFacts{KindProject, "a@b.c", "AbCd1234", "sales\x1b[2J"})
	if p.KeyProjectName != "" || p.KeyUser != "a@b.c" {
		t.Errorf("%+v", p)
	}
	if _, err := s.Add(p, mustKey(t, hostedKey), AddOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Learn("a", mustKey(t, "another"), KeyFacts{Kind: KindPartner}); !errors.Is(err, ErrConflict) {
		t.Errorf("facts about another key: %v", err)
	}
	if err := s.Learn("a", mustKey(t, hostedKey), KeyFacts{KindProject, "d@e.f", "AbCd1234", "sales"}); err != nil {
		t.Fatal(err)
	}
	if p, _ = s.Get("a"); p.Facts() != (KeyFacts{KindProject, "d@e.f", "AbCd1234", "sales"}) || p.KeyExpires == "" {
		t.Errorf("%+v", p)
	}
	if where, err := s.Logout("a"); err != nil || !strings.Contains(where, "credentials.yaml") {
		t.Fatalf("%q, %v", where, err)
	}
	if p, _ = s.Get("a"); p != (Profile{Name: "a", Zone: "us", Project: "p"}) {
		t.Errorf("%+v", p)
	}
	if text := read(t, filepath.Join(s.dir, "credentials.yaml")); strings.Contains(text, secretEnd) {
		t.Error("the key remains")
	}
	if _, err := s.Logout("a"); !errors.Is(err, ErrNotAllowed) {
		t.Errorf("twice: %v", err)
	}
}

// TestReplaceKeepsFacts: a profile that is replaced without a key keeps its key and what is known about it.
func TestReplaceKeepsFacts(t *testing.T) {
	s := openStore(t, fileEnv())
	p := Profile{Name: "a", Zone: "us"}
	p.SetFacts(KeyFacts{Kind: KindPartner, User: "u"})
	if _, err := s.Add(p, mustKey(t, hostedKey), AddOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(Profile{Name: "a", Zone: "us", Project: "x"}, Key{}, AddOptions{Replace: true}); err != nil {
		t.Fatal(err)
	}
	if p, _ = s.Get("a"); p.Project != "x" || p.KeyKind != KindPartner || p.KeyUser != "u" || p.KeyStorage != "file" {
		t.Errorf("%+v", p)
	}
	if _, err := s.Add(Profile{Name: "a", Zone: "us"}, mustKey(t, "another"), AddOptions{Replace: true}); err != nil {
		t.Fatal(err)
	}
	if p, _ = s.Get("a"); p.KeyKind != "" || p.KeyUser != "" {
		t.Errorf("facts about the previous key: %+v", p)
	}
}

func TestReplaceFile(t *testing.T) {
	s := openStore(t, fileEnv())
	if _, err := s.Replace(nil, []byte("current: a\nprofiles: {a: {zone: us}}\n")); err != nil {
		t.Fatal(err)
	}
	before, err := s.Text()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Replace(before, []byte("current: b\n")); !errors.Is(err, ErrUsage) {
		t.Errorf("an invalid text: %v", err)
	}
	if err := s.Use(""); err != nil {
		t.Fatal(err)
	}
	is := read(t, s.Path())
	if _, err := s.Replace(before, []byte("current: a\nprofiles: {a: {zone: eu}}\n")); !errors.Is(err, ErrConflict) ||
		read(t, s.Path()) != is {
		t.Errorf("over another change: %v", err)
	}
}

// TestSchema compares the schema with the reader: what one knows the other knows, down to the listed values.
func TestSchema(t *testing.T) {
	type node struct {
		Properties           map[string]node
		AdditionalProperties json.RawMessage
		Enum                 []string
		Type                 any
		Description          string
	}
	schemaOf := func(v any) node {
		raw, err := json.Marshal(v)
		var n node
		if err == nil {
			err = json.Unmarshal(raw, &n)
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	sample := map[string]string{nameZone: "us", nameBaseURL: "https://h.example/api/v1", nameTimeout: "90",
		nameConnectTimeout: "1.5", nameReplyTimeout: "1m", nameCAFile: "/x/ca.pem", nameClientCert: "/x/c.pem",
		nameClientKey: "/x/k.pem", nameHistory: "off", nameSpool: "1GiB", nameProtect: "confirm", nameFiles: "off",
		nameJournal: "off", nameFriendly: "off",
		fieldKeyStorage: "file", fieldKeyKind: "partner", fieldKeyExpires: "2030-01-31T00:00:00Z"}
	config := func(field, value string) error {
		_, err := parseConfig("config.yaml", []byte("profiles:\n  a:\n    "+field+": "+value+"\n"))
		return err
	}
	project := func(field, value string) error {
		_, err := readProjectFile(ProjectFile, []byte(field+": "+value+"\n"))
		return err
	}
	root := schemaOf(Schema(false))
	var each node
	if err := json.Unmarshal(root.Properties["profiles"].AdditionalProperties, &each); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(slices.Sorted(maps.Keys(root.Properties))); got != "[current profiles]" ||
		string(root.AdditionalProperties) != "false" || string(each.AdditionalProperties) != "false" {
		t.Errorf("the file has %s", got)
	}
	for what, c := range map[string]struct {
		schema node
		known  []string
		read   func(field, value string) error
	}{"config.yaml": {each, profileFields(), config}, ProjectFile: {schemaOf(Schema(true)), projectFields(), project}} {
		if string(c.schema.AdditionalProperties) != "false" {
			t.Errorf("%s: the schema allows other fields", what)
		}
		for _, field := range c.known {
			if _, ok := c.schema.Properties[field]; !ok {
				t.Errorf("%s: the reader knows %s, the schema does not", what, field)
			}
		}
		for field, n := range c.schema.Properties {
			value := sample[field]
			if value == "" {
				value = "word"
			}
			if err := c.read(field, value); err != nil {
				t.Errorf("%s: the schema knows %s: %v", what, field, err)
			}
			if n.Description == "" {
				t.Errorf("%s: %s has no description", what, field)
			}
			for _, v := range n.Enum {
				if err := c.read(field, v); err != nil {
					t.Errorf("%s: the schema lists %s: %v", what, v, err)
				}
			}
			if err := c.read(field, "nonsense"); len(n.Enum) > 0 && err == nil {
				t.Errorf("%s: the reader takes a value of %s that the schema does not list", what, field)
			}
		}
	}
}

// editForever changes a profile and its key again and again, and prints the number of each change that is done.
func editForever(dir string) {
	s, err := OpenStore(dir, fileEnv())
	from, _ := strconv.Atoi(os.Getenv("DIG_TEST_FOREVER"))
	for i := from; err == nil; i++ {
		if _, err = s.Set("edited", map[string]string{"project": fmt.Sprint("n", i)}, nil, false); err == nil {
			_, err = fmt.Println(i)
		}
		if key, kerr := NewKey(fmt.Sprintf("abcd1234.%032d", i)); kerr == nil && err == nil {
			_, err = s.Add(Profile{Name: "keyed", Zone: "us"}, key, AddOptions{Replace: true})
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestKilledEdits kills processes that edit profiles at random moments: the file is valid then, holds the last change
// that was acknowledged or the one after it, and nothing else is lost.
func TestKilledEdits(t *testing.T) {
	const rounds = 40
	s := openStore(t, fileEnv())
	write(t, s.Path(), "# head\nprofiles:\n  # about it\n  edited: {zone: us, project: n0}\n  keyed: {zone: us}\n")
	for i := range 10 {
		if _, err := s.Add(Profile{Name: fmt.Sprint("other", i), Zone: "eu"}, mustKey(t, hostedKey),
			AddOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	last := 0
	for round := range rounds {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "DIG_TEST_DIR="+s.dir, fmt.Sprint("DIG_TEST_FOREVER=", last+1))
		c.Stderr = os.Stderr
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 1 + r.IntN(3); n > 0 && lines.Scan(); n-- {
			last, _ = strconv.Atoi(lines.Text())
		}
		time.Sleep(time.Duration(r.IntN(5000)) * time.Microsecond)
		_ = c.Process.Kill()
		for lines.Scan() {
			last, _ = strconv.Atoi(lines.Text())
		}
		if c.Wait() == nil {
			t.Fatal("the process ended by itself")
		}
		p, err := s.Get("edited")
		if err != nil || p.Project != fmt.Sprint("n", last) && p.Project != fmt.Sprint("n", last+1) {
			t.Fatalf("round %d: %+v, %v; %d was acknowledged", round, p, err, last)
		}
		list, _, err := s.List()
		if err != nil || len(list) != 12 || !strings.Contains(read(t, s.Path()), "# head") ||
			!strings.Contains(read(t, s.Path()), "# about it") {
			t.Fatalf("round %d: %v, %v\n%s", round, list, err, read(t, s.Path()))
		}
		for _, p := range list {
			if p.KeyStorage == "" {
				continue
			}
			if _, err := s.Key(p); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
	}
	if last < rounds {
		t.Errorf("only %d changes in %d rounds", last, rounds)
	}
	if err := s.Use(""); err != nil { // removes what the killed ones left
		t.Fatal(err)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil || len(entries) != 3 { // config.yaml, credentials.yaml, .lock
		t.Errorf("%v, %v", entries, err)
	}
}
