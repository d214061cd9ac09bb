package output

import (
	"bytes"
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
	text := "x " + key + " aab abcabcabcabd abcd1234.abc no " + `{"k":"p&ss w\"rd\nline"} ?k=p%26ss+w%22rd%0Aline` + " end abcd"
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

func BenchmarkMasker(b *testing.B) {
	row := []byte(strings.Repeat("12345,some text of a row,2026-01-01,abcd,1.50\n", 1400))
	for name, m := range map[string]*Masker{"none": {}, "key": {secrets: [][]byte{[]byte("abcd1234.abcdefghijklmnopqrstuvwxyz012345")}}} {
		b.Run(name, func(b *testing.B) {
			w := m.Writer(io.Discard)
			b.SetBytes(int64(len(row)))
			for b.Loop() {
				_, _ = w.Write(row)
			}
		})
	}
}
