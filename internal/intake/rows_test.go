package intake

import (
	"strings"
	"testing"
)

// TestRowCounter compares with encoding/csv, in pieces of all sizes.
func TestRowCounter(t *testing.T) {
	for text, want := range map[string][2]int64{ // records, blank lines
		"":                        {0, 0},
		"a":                       {1, 0},
		"a\n":                     {1, 0},
		"a,b\n1,2\n3,4":           {3, 0},
		"a,b\r\n1,2\r\n":          {2, 0},
		"a\n\n\r\n1\n":            {2, 2},
		"\"a\nb\",c\n1,\"\n\n\"":  {2, 0},
		"\"a\"\"\n\"\"b\"\n":      {1, 0},
		"a\"b\n1,2\"\n":           {2, 0},
		"a,\"x\"\"\"\n\"\",\n":    {2, 0},
		"\xef\xbb\xbf\"a\nb\"\n1": {2, 0},
		"\n\n":                    {0, 2},
	} {
		for size := 1; size <= len(text)+1; size++ {
			if strings.HasPrefix(text, "\xef") && size < 3 {
				continue // the preceding readers return more
			}
			c := &rowCounter{start: true}
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				_, _ = c.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			if got := c.end(); got != want[0] || c.blank != want[1] {
				t.Errorf("%q by %d: %d records and %d blank lines, want %v", text, size, got, c.blank, want)
			}
		}
	}
}
