package secret

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// form is a line of forms.txt.
type form struct {
	kind, text, open string   // open is the text without its secrets
	secrets          []string // as they are written, in JSON escaped
}

func formsOf(t *testing.T) []form {
	t.Helper()
	raw, err := os.ReadFile("testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []form
	for line := range strings.SplitSeq(string(raw), "\n") {
		kind, marked, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		f := form{kind: kind}
		for i, part := range strings.FieldsFunc(marked+" ", func(r rune) bool { return r == '«' || r == '»' }) {
			f.text += part
			if i%2 == 0 != strings.HasPrefix(marked, "«") {
				f.open += part
			} else {
				f.open += Mark
				f.secrets = append(f.secrets, part)
			}
		}
		f.text, f.open = strings.TrimSuffix(f.text, " "), strings.TrimSuffix(f.open, " ")
		out = append(out, f)
	}
	if len(out) < 150 {
		t.Fatalf("%d forms", len(out))
	}
	return out
}

// TestForms: the secrets of each form are found and masked, and nothing else is changed.
func TestForms(t *testing.T) {
	for _, f := range formsOf(t) {
		var got, again string
		var found []string
		switch f.kind {
		case "member":
			m := Document("{" + f.text + "}")
			got, found, again = m.Text, m.Found, Document(m.Text).Text
			if !json.Valid([]byte(got)) {
				t.Errorf("%s: not JSON: %s", f.text, got)
			}
			var want any
			if err := json.Unmarshal([]byte("{"+regexp.MustCompile(`:\*\*\*(,|$)`).ReplaceAllString(f.open, `:"***"$1`)+
				"}"), &want); err != nil {
				t.Fatalf("%s: %v", f.open, err)
			}
			var have any
			_ = json.Unmarshal([]byte(got), &have)
			a, _ := json.Marshal(want)
			b, _ := json.Marshal(have)
			if string(a) != string(b) {
				t.Errorf("%s:\n  %s, want\n  %s", f.text, b, a)
			}
			if m.Any != (len(f.secrets) > 0) {
				t.Errorf("%s: any secret: %v", f.text, m.Any)
			}
			for cut := range len(f.text) { // a document may be cut off anywhere
				part := Document("{" + f.text[:cut]).Text
				for _, s := range f.secrets {
					if len(s) > 3 && strings.Contains(part, s) {
						t.Errorf("cut off after %s: %s", f.text[:cut], part)
					}
				}
			}
		case "text":
			got, found = Hide(f.text), InText(f.text)
			again = Hide(got)
		case "statement":
			got, found = Statement(f.text), InStatement(f.text)
			again = Statement(got)
		default:
			t.Fatalf("kind %q", f.kind)
		}
		if f.kind != "member" && got != f.open {
			t.Errorf("%s:\n  %s, want\n  %s", f.text, got, f.open)
		}
		if again != got {
			t.Errorf("%s: masked twice: %s, %s", f.text, got, again)
		}
		for _, s := range f.secrets {
			var plain string
			if json.Unmarshal([]byte(`"`+s+`"`), &plain) != nil {
				plain = s
			}
			if f.kind == "member" && strings.Contains(f.text, ":"+s+",") {
				continue // a number
			}
			if !slices.ContainsFunc(found, func(x string) bool { return x == plain || x == s }) {
				t.Errorf("%s: found %q, not %q", f.text, found, plain)
			}
		}
	}
}

// TestBindings: the values of a statement in which something is masked are masked too.
func TestBindings(t *testing.T) {
	for _, name := range []string{"bindings", "bindArgs"} {
		m := Document(`{"` + name + `":["hunter-2x"],"statement":"SELECT * FROM t WHERE password = ? AND ` +
			strings.Repeat("x", 80) + `"}`)
		if strings.Contains(m.Text, "hunter") || !m.Any {
			t.Error(m.Text)
		}
	}
	const open = `{"statement":"SELECT * FROM t WHERE city = ?","bindings":["Ghent"]}`
	if m := Document(open); m.Text != open {
		t.Error(m.Text)
	}
}
