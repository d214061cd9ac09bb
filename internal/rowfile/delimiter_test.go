package rowfile

import "testing"

func TestDelimiter(t *testing.T) {
	for text, want := range map[string]byte{
		"a,b\n1,2\n": ',', "a;b\n1,5;2,5\n": ';', "a;b\n1;2\n": ';', "a\tb\n1,2\t3,4": '\t', "a|b|c\n1|2|3": '|',
		"a\n1\n": ',', "": ',',
		"a;b\n\"1;2\";3\n": ';', "name\nx;y\n": ',', "a,b\n1\n": ',', "\"a;b\",c\n1,2\n": ',', "a;b\n1\n": ';',
	} {
		if got := (&File{}).delimiter([]byte(text), true); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
