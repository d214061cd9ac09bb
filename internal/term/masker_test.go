package term

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"
	"testing"
)

// TestMasker: a secret is hidden however the writes cut it, in every form it takes, and all else passes as it is.
func TestMasker(t *testing.T) {
	const key = "abcd1234.abcdefghijklmnopqrstuvwxyz012345"
	var m Masker
	m.Hide(key)
	m.Hide("p&ss w\"rd\nline")
	m.Hide("abcabcabd")
	m.Hide("no") // too short to be told from other texts
	text := "x " + key + " aab abcabcabcabd abcd1234.abc no " + `{"k":"p&ss w\"rd\nline"} ?k=p%26ss+w%22rd%0Aline` +
		" end abcd"
	want := "x **** aab abc**** abcd1234.abc no " + `{"k":"****"} ?k=****` + " end abcd"
	for size := 1; size <= len(text); size++ {
		var b bytes.Buffer
		w := m.Writer(&b)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if got, err := io.WriteString(w, rest[:n]); got != n || err != nil {
				t.Fatal(got, err)
			}
			if strings.Contains(b.String(), "abcdefghij") {
				t.Fatalf("pieces of %d: %q", size, b.String())
			}
			rest = rest[n:]
		}
		if err := w.Flush(); err != nil || b.String() != want {
			t.Fatalf("pieces of %d: %q, %v", size, b.String(), err)
		}
	}
	if got := m.Masked(text); got != want {
		t.Errorf("%q", got)
	}
}

// TestMaskerOfEncodedSecrets: a note that holds a secret in hex or base64, wherever it stands in what was encoded, does
// not tell it.
func TestMaskerOfEncodedSecrets(t *testing.T) {
	const key = "abcd1234.abc?>ghijklmnopqrstuvwxyz012345"
	var m Masker
	m.Hide(key)
	for _, name := range []string{"", "u", "ab", "user:", "someone:"} {
		for _, end := range []string{"", "\n", "!!"} {
			text := []byte(name + key + end)
			for what, form := range map[string]string{"hex": hex.EncodeToString(text),
				"HEX":          strings.ToUpper(hex.EncodeToString(text)),
				"base64":       base64.StdEncoding.EncodeToString(text),
				"of addresses": base64.RawURLEncoding.EncodeToString(text)} {
				var b bytes.Buffer
				w := m.Writer(&b)
				for _, c := range []byte("Basic " + form + " was refused") {
					_, _ = w.Write([]byte{c})
				}
				_ = w.Flush()
				// What is left around the stars are signs of what stands beside the secret.
				left := strings.TrimSuffix(strings.TrimPrefix(b.String(), "Basic "), " was refused")
				if !strings.Contains(left, maskedText) || len(left) > len(maskedText)+2*len(name+end)+4 {
					t.Errorf("%s of %q: %s", what, text, b.String())
				}
			}
		}
	}
}

// TestMaskerOfResults: a result is masked by field, and all else in it is as it was.
func TestMaskerOfResults(t *testing.T) {
	const key = "abcd1234.abcdefghijklmnopqrstuvwxyz012345"
	var m Masker
	m.Hide("postgres")
	m.Hide(key)
	for text, want := range map[string]string{
		`[{"name":"postgres-main","type":"postgres","n":1.50}]`:                                   "",
		`{"name":"x", "credential":{"user":"postgres","password":"postgres","odd":"postgres-x"}}`: `{"name":"x", "credential":{"user":"postgres","password":"****","odd":"****-x"}}`,
		`{"token":"postgres","tokens":["postgres","other"],"keyColumns":["postgres"]}`:            `{"token":"****","tokens":["****","other"],"keyColumns":["postgres"]}`,
		`{"url":"jdbc:x://h?k=` + key + `","name":"` + key +
			`"}`: `{"url":"jdbc:x://h?k=****","name":"****"}`,
		`{"password":"other"}`:                       "",
		`{"document":"{\"password\":\"postgres\"}"}`: `{"document":"{\"password\":\"****\"}"}`,
	} {
		if want == "" {
			want = text
		}
		if got := m.Result(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
