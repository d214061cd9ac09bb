package rowfile

import (
	"bytes"
	"slices"
	"testing"
)

// TestMendedNotes counts what is mended: each field and row once, however often the file is opened.
func TestMendedNotes(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		header string
		want   []string
	}{
		"x.csv": {"a,b\n \"x\" , 1\n\"3\" x\",2,\n4\n", "1", []string{
			"1 field with stray quotes, which are text, first in line 3",
			"1 quoted field with blanks beside its quotes, which were left off, first in line 2",
			"1 short row was filled with NULL, first in line 4",
			"1 row has more fields than the first, first in line 3",
			"1 value is read without the blanks around it, first in line 2"}},
		"y.tsv": {" 1\tx\\ty\n2\n", None, []string{"1 short row was filled with NULL, first in line 2",
			"1 value is read without the blanks around it, first in line 1"}},
	} {
		var o Options
		for _, s := range []setting{{"lenient", "true"}, {"header-row", c.header}} {
			if err := o.Set(s.name, s.value); err != nil {
				t.Fatal(err)
			}
		}
		f, err := Open(t.Context(), bytes.NewReader([]byte(c.text)), int64(len(c.text)), name, o)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := f.Learn(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(f.Notes, c.want) {
				t.Errorf("%s: %q, want %q", name, f.Notes, c.want)
			}
		}
	}
}
