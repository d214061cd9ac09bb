//go:build cgo

package duckdb

import "fmt"

// capMacros shadow functions of DuckDB that a statement could end the process with. Most make a value of any size outside
// memory_limit and without hearing an interrupt (measured: repeat, lpad, rpad, range, generate_series, list_resize): a million
// characters or elements is the most they give.
var capMacros = []string{
	`CREATE MACRO repeat(s VARCHAR, n BIGINT) AS CASE WHEN n > 1000000 OR length(s) * n > 1000000
		THEN error('repeat: the result would be longer than 1000000 characters') ELSE system.main.repeat(s, n) END,
	(s BLOB, n BIGINT) AS CASE WHEN n > 1000000 OR octet_length(s) * n > 1000000
		THEN error('repeat: the result would be longer than 1000000 bytes') ELSE system.main.repeat(s, n) END`,
	`CREATE MACRO lpad(s VARCHAR, n BIGINT, p VARCHAR) AS CASE WHEN n > 1000000
		THEN error('lpad: the result would be longer than 1000000 characters') ELSE system.main.lpad(s, n::INTEGER, p) END`,
	`CREATE MACRO rpad(s VARCHAR, n BIGINT, p VARCHAR) AS CASE WHEN n > 1000000
		THEN error('rpad: the result would be longer than 1000000 characters') ELSE system.main.rpad(s, n::INTEGER, p) END`,
	`CREATE MACRO list_resize(l, n) AS CASE WHEN n > 1000000
		THEN error('list_resize: more than 1000000 elements') ELSE system.main.list_resize(l, n) END,
	(l, n, v) AS CASE WHEN n > 1000000
		THEN error('list_resize: more than 1000000 elements') ELSE system.main.list_resize(l, n, v) END`,
	`CREATE MACRO array_resize(l, n) AS CASE WHEN n > 1000000
		THEN error('array_resize: more than 1000000 elements') ELSE system.main.list_resize(l, n) END,
	(l, n, v) AS CASE WHEN n > 1000000
		THEN error('array_resize: more than 1000000 elements') ELSE system.main.list_resize(l, n, v) END`,
	rangeMacro("range"),
	rangeMacro("generate_series"),
	// Nothing interrupts these either: a pair of long texts takes hours, and the last one a table of their lengths.
	distanceMacro("levenshtein", 100_000_000),
	distanceMacro("editdist3", 100_000_000),
	distanceMacro("damerau_levenshtein", 10_000_000),
	// These call themselves for each level that a value nests, until the stack is full and the process ends.
	`CREATE MACRO json_structure(j) AS system.main.json_structure("~shallow"(j))`,
	`CREATE MACRO json_group_structure(j) AS system.main.json_structure("~shallow"(json_group_array(j))) -> 0`,
	`CREATE MACRO json_contains(a, b) AS system.main.json_contains("~shallow"(a), "~shallow"(b))`,
	`CREATE MACRO json_merge_patch(a, b) AS system.main.json_merge_patch("~shallow"(a), "~shallow"(b)),
	(a, b, c) AS system.main.json_merge_patch("~shallow"(a), "~shallow"(b), "~shallow"(c)),
	(a, b, c, d) AS system.main.json_merge_patch("~shallow"(a), "~shallow"(b), "~shallow"(c), "~shallow"(d))`,
}

// distanceMacro bounds the product of the lengths of two texts.
func distanceMacro(name string, most int) string {
	return fmt.Sprintf(`CREATE MACRO %[1]s(a, b) AS CASE WHEN strlen(a) * strlen(b) > %[2]d
		THEN error('%[1]s: the texts are too long, their lengths multiply to more than %[2]d') ELSE system.main.%[1]s(a, b) END`, name, most)
}

func rangeMacro(name string) string {
	fail := `error('` + name + `: more than 1000000 elements')`
	call := `system.main.` + name
	return `CREATE MACRO ` + name + `(b BIGINT) AS CASE WHEN b > 1000000 THEN ` + fail + ` ELSE ` + call + `(b) END,
	(a BIGINT, b BIGINT) AS CASE WHEN b::HUGEINT - a > 1000000 THEN ` + fail + ` ELSE ` + call + `(a, b) END,
	(a BIGINT, b BIGINT, s BIGINT) AS CASE WHEN abs(b::HUGEINT - a) // greatest(abs(s::HUGEINT), 1) > 1000000
		THEN ` + fail + ` ELSE ` + call + `(a, b, s) END,
	(a TIMESTAMP, b TIMESTAMP, s INTERVAL) AS CASE WHEN abs(epoch(b) - epoch(a)) / greatest(abs(epoch(s)), 0.000001) > 1000000
		THEN ` + fail + ` ELSE ` + call + `(a, b, s) END`
}
