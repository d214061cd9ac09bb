package rowfile

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// TestUTF32: a text in UTF-32 is refused by its name, and no text in UTF-16 is taken for one.
func TestUTF32(t *testing.T) {
	wide := func(text string, order binary.ByteOrder) string {
		var b bytes.Buffer
		for _, c := range text {
			_ = binary.Write(&b, order, c)
		}
		return b.String()
	}
	const text = "id,name\r\n1,Łukasz\n2,𝛼\n"
	for _, c := range []struct{ name, text, want string }{
		{"le.csv", wide(text, binary.LittleEndian), "iconv -f UTF-32LE -t UTF-8"},
		{"be.csv", wide(text, binary.BigEndian), "iconv -f UTF-32BE -t UTF-8"},
		{"mark.csv", wide("\ufeff"+text, binary.LittleEndian), "iconv -f UTF-32 -t UTF-8"},
		{"mark", wide("\ufeff"+text, binary.BigEndian), "iconv -f UTF-32 -t UTF-8"},
		{"x.json", wide(`[{"a": 1}]`, binary.BigEndian), "iconv -f UTF-32BE -t UTF-8"},
		{"utf8.csv", text, ""},
		{"utf16.csv", "a\x00\n\x00b\x00\n\x00c\x00\n\x00", ""},
		{"utf16be.csv", "\x00a\x00\n\x00b\x00\n", ""},
		{"utf16mark.csv", "\xff\xfea\x00\n\x00", ""},
	} {
		_, err := Open(t.Context(), strings.NewReader(c.text), int64(len(c.text)), c.name, Options{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
