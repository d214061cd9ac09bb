//go:build cgo

package duckdb

import "testing"

// FuzzTrinoSyntax reads any text by its tokens: tokens and edits stay within it and in order.
func FuzzTrinoSyntax(f *testing.F) {
	for _, s := range []string{"SELECT CAST(1 AS varchar(3)), if(a, b), x'00', 0x1F, 1e400, 5. FROM UNNEST(a, b) WITH ORDINALITY AS t(x, y)",
		"WITH a AS (VALUES 1, (2)) SELECT INTERVAL '1' DAY, EXTRACT(year FROM d) LIMIT 1 OFFSET 2", "((([", "VALUES", "cast(", "if(,", "unnest(", "with x as (", "trim(from"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		tokens, err := lex(sql)
		if err != nil {
			return
		}
		at := 0
		for _, k := range tokens {
			if k.pos < at || k.end <= k.pos || k.end > len(sql) {
				t.Fatalf("token %d..%d of %d bytes after %d", k.pos, k.end, len(sql), at)
			}
			at = k.end
		}
		edits, err := trinoSyntax(sql, tokens)
		if err != nil {
			return
		}
		for _, e := range edits {
			if e.pos < 0 || e.end < e.pos || e.end > len(sql) {
				t.Fatalf("edit %d..%d of %d bytes", e.pos, e.end, len(sql))
			}
		}
		apply(sql, edits)
	})
}
