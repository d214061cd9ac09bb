package localstate

import (
	"testing"
	"time"
)

// TestOverlapped: whether a count has the rows of another import is known if that ended before the count began, or
// began after it had ended.
func TestOverlapped(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	key := ImportKey("table", "m", "mine")
	was := Import{From: at(100), At: at(102), Open: true}
	for name, x := range map[string]struct {
		other Import
		table string
		want  bool
	}{
		"before":              {Import{From: at(80), At: at(82), Done: at(99)}, "m", false},
		"settled meanwhile":   {Import{From: at(80), At: at(82), Done: at(101)}, "m", true},
		"settled afterwards":  {Import{From: at(101), At: at(103), Done: at(110)}, "m", true},
		"within the count":    {Import{From: at(101), At: at(101), Done: at(102)}, "m", true},
		"after":               {Import{From: at(103), At: at(104), Done: at(110)}, "m", false},
		"still open":          {Import{From: at(80), At: at(82), Open: true}, "m", true},
		"open for long":       {Import{From: at(-9000), At: at(-9000), Open: true}, "m", false},
		"open, after":         {Import{From: at(103), At: at(104), Open: true}, "m", true},
		"another table":       {Import{From: at(80), At: at(82), Done: at(101)}, "n", false},
		"of earlier releases": {Import{At: at(82)}, "m", false},
	} {
		notes := map[string]Import{key: was, ImportKey("table", x.table, "other"): x.other}
		if got := Overlapped(notes, key, was); got != x.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
