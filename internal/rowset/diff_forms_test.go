package rowset

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dig-cli/dig/internal/rowfile"
)

// TestDiffForms compares files that differ in their form alone, and in one value.
func TestDiffForms(t *testing.T) {
	for name, c := range map[string]struct {
		a, b           string
		equal, changed int64
	}{
		"delimiter.csv": {"a;b\n1;x\n2;y\n", "a,b\n1,x\n2,z\n", 1, 1},
		"members.ndjson": {`{"k":1,"v":{"a":1,"b":[{"c":1,"d":2}]}}` + "\n", `{"v":{"b":[{"d":2,"c":1}],"a":1},"k":1}` +
			"\n", 1, 0},
		"values.ndjson": {`{"k":1,"v":{"a":1,"b":2}}` + "\n", `{"k":1,"v":{"a":2,"b":1}}` + "\n", 0, 1},
		"order.ndjson":  {`{"k":1,"v":[1,2]}` + "\n", `{"k":1,"v":[2,1]}` + "\n", 0, 1},
		"twice.ndjson":  {`{"k":1,"v":{"a":1,"a":2}}` + "\n", `{"k":1,"v":{"a":2}}` + "\n", 0, 1},
	} {
		dir := t.TempDir()
		paths := []string{filepath.Join(dir, "a"+name), filepath.Join(dir, "b"+name)}
		for i, text := range []string{c.a, c.b} {
			if err := os.WriteFile(paths[i], []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		a, err := Open(t.Context(), paths[0], paths[0], rowfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Open(t.Context(), paths[1], paths[1], rowfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		names, err := a.Columns()
		if err != nil {
			t.Fatal(err)
		}
		d, err := Diff(a, b, []string{names[0].Name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for d.Next() {
		}
		if st := d.Stats(); st.Equal != c.equal || st.Changed != c.changed || d.Err() != nil {
			t.Errorf("%s: %+v, %v", name, st, d.Err())
		}
		_ = d.Close()
	}
}
