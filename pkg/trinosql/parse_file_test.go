package trinosql

import (
	"encoding/hex"
	"testing"
)

// TestParseFiles: a string is a relation only where the caller says so, and keeps its place.
func TestParseFiles(t *testing.T) {
	const text = "SELECT * FROM a,\n  'Dir/It''s.csv.gz' AS f JOIN 'b.json' ON 'x' = f.y"
	if _, err := Parse(text); err == nil ||
		err.Error() != `line 2:3: mismatched input ''Dir/It''s.csv.gz''. Expecting: '(', 'LATERAL', 'TABLE', `+
			`'UNNEST', <identifier>` {
		t.Errorf("%v", err)
	}
	s, err := ParseFiles(text, "cat")
	if err != nil {
		t.Fatal(err)
	}
	names := Tables(s.(*Query))
	if len(names) != 3 || len(names[1]) != 3 || names[1][0].Name != "cat" || names[1][2].Name != "it's" ||
		names[2][2].Name != "b" {
		t.Fatalf("%v", names)
	}
	if path, err := hex.DecodeString(names[1][1].Lower()); string(path) != "Dir/It's.csv.gz" || err != nil {
		t.Errorf("%q %v", path, err)
	}
	if at := names[1][0].Pos(); at.Line != 2 || at.Col != 3 {
		t.Errorf("%+v", at)
	}
	for _, bad := range []string{"SELECT * FROM 'a'.b", "SHOW COLUMNS FROM 'a'", "SELECT * FROM X'00'"} {
		if _, err := ParseFiles(bad, "cat"); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}
