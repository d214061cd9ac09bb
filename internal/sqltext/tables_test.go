package sqltext

import (
	"slices"
	"testing"
)

// TestTablesIn: three-part names are found wherever they stand, and nothing in a literal or a comment is one.
func TestTablesIn(t *testing.T) {
	for sql, want := range map[string][]TableRef{
		`SELECT 1`: nil,
		`SELECT * FROM lake.files.orders o JOIN "Big Lake"."s".t ON o.id = t.id`: {{"lake", "files", "orders"},
			{"Big Lake", "s", "t"}},
		`SELECT 'a.b.c', x -- d.e.f
		 FROM Lake . Files . Orders /* g.h.i */ WHERE y = 'it''s k.l.m'`: {{"lake", "files", "orders"}},
		`SELECT * FROM peaka."table"."odd ""name""", a.b`: {{"peaka", "table", `odd "name"`}},
		`SELECT a.b.c FROM a.b.c`:                         {{"a", "b", "c"}},
		`SELECT 1.5 * x.y`:                                nil,
	} {
		if got := TablesIn(sql); !slices.Equal(got, want) {
			t.Errorf("%s\n  %v, want %v", sql, got, want)
		}
	}
}
