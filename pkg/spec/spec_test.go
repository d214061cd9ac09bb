package spec

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestOperations(t *testing.T) {
	ids, routes := map[string]bool{}, map[string]bool{}
	for _, o := range All() {
		if ids[o.ID] || routes[o.Method+o.Path] {
			t.Errorf("%s is there twice", o.ID)
		}
		ids[o.ID], routes[o.Method+o.Path] = true, true
		if !strings.HasPrefix(o.Path, "/") || strings.HasSuffix(o.Path, "/") {
			t.Errorf("%s: path %q", o.ID, o.Path)
		}
		if got, ok := Find(o.ID); !ok || got.Path != o.Path {
			t.Errorf("Find(%q) = %v, %v", o.ID, got, ok)
		}
	}
	if len(ids) != 144 {
		t.Errorf("%d operations, the documents have 144", len(ids))
	}
}

func TestAt(t *testing.T) {
	for _, c := range []struct {
		op   Op
		args []string
		path string // "" for a refusal
	}{
		{GetWorkspace, []string{"o", "w"}, "/organizations/o/workspaces/w"},
		{GetConnection, []string{"p", "a b?c#d%2F"}, "/connections/p/a%20b%3Fc%23d%252F"},
		{GetConnection, []string{"p", "çay"}, "/connections/p/%C3%A7ay"},
		{GetConnection, []string{"p", "..."}, "/connections/p/..."},
		{GetConnection, []string{"{connectionId}", "x"}, "/connections/%7BconnectionId%7D/x"},
		{ListOrganizations, nil, "/organizations"},
		{GetConnection, []string{"p"}, ""},
		{GetConnection, []string{"p", "c", "d"}, ""},
		{GetConnection, []string{"p", ""}, ""},
		{GetConnection, []string{"p", "."}, ""},
		{GetConnection, []string{"p", ".."}, ""},
		{GetConnection, []string{"p", "a/b"}, "/connections/p/a%2Fb"},
		{GetConnection, []string{"p", `a\..`}, "/connections/p/a%5C.."},
		{GetConnection, []string{"p", "a\nb"}, ""},
		{GetConnection, []string{"p", "a\x00b"}, ""},
	} {
		b := c.op.At(c.args...)
		if c.path == "" {
			if !errors.Is(b.Err, ErrParam) {
				t.Errorf("%s.At(%q) = %q, want a refusal", c.op.ID, c.args, b.Path)
			}
			continue
		}
		if slash := strings.Contains(c.path, "%2F") || strings.Contains(c.path, "%5C"); slash != errors.Is(b.Slash,
			ErrParam) {
			t.Errorf("%s.At(%q): %v", c.op.ID, c.args, b.Slash)
		}
		if b.Err != nil || b.Path != c.path {
			t.Errorf("%s.At(%q) = %q, %v; want %q", c.op.ID, c.args, b.Path, b.Err, c.path)
		}
	}
}

// FuzzAt: whatever the parameters, the path has the template's shape and the server reads back what was meant.
func FuzzAt(f *testing.F) {
	for _, s := range []string{"x", "..", "a/b", "%2e%2e", "{x}", "ü", "\x00", "a;b=c", "?"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		bound := GetConnection.At(a, b)
		if bound.Err != nil {
			if bound.Path != "" {
				t.Fatalf("refused, but has a path %q", bound.Path)
			}
			return
		}
		u, err := url.Parse("http://h/api/v1" + bound.Path)
		if err != nil {
			t.Fatalf("%q: %v", bound.Path, err)
		}
		if u.RawQuery != "" || u.Fragment != "" || u.Host != "h" {
			t.Fatalf("%q leaks out of the path: %+v", bound.Path, u)
		}
		segs := strings.Split(u.EscapedPath(), "/")
		if len(segs) != 6 {
			t.Fatalf("%q has %d segments", u.EscapedPath(), len(segs))
		}
		for i, want := range []string{a, b} {
			if got, err := url.PathUnescape(segs[4+i]); err != nil || got != want {
				t.Fatalf("parameter %q arrives as %q (%v)", want, got, err)
			}
		}
		if clean := u.JoinPath().EscapedPath(); strings.Count(clean, "/") != 5 {
			t.Fatalf("%q resolves to %q", u.EscapedPath(), clean)
		}
	})
}

func TestWith(t *testing.T) {
	b := ListApiKeys.At("p").With("a", "1")
	c := b.With("a", "2").With("empty", "").WithQuery(url.Values{"b": {"3"}})
	if b.Query.Encode() != "a=1" || c.Query.Encode() != "a=2&b=3" {
		t.Errorf("With shares state: %q, %q", b.Query.Encode(), c.Query.Encode())
	}
}
