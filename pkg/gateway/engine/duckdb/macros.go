//go:build cgo

package duckdb

import (
	"fmt"
	"strings"
)

// capMacros shadow functions of DuckDB that could end the process. Most create a value of any size outside
// memory_limit and ignore interrupts (measured: repeat, lpad, rpad, range, generate_series, list_resize): a million
// characters or elements is their limit.
var capMacros = []string{
	`CREATE MACRO repeat(s VARCHAR, n BIGINT) AS CASE WHEN n > 1000000 OR length(s) * n > 1000000
		THEN error('repeat: the result would be longer than 1000000 characters') WHEN "~room"(strlen(s)::DOUBLE * n) THEN system.main.repeat(s, n) END,
	(s BLOB, n BIGINT) AS CASE WHEN n > 1000000 OR octet_length(s) * n > 1000000
		THEN error('repeat: the result would be longer than 1000000 bytes') WHEN "~room"(octet_length(s)::DOUBLE * n) THEN system.main.repeat(s, n) END`,
	`CREATE MACRO lpad(s VARCHAR, n BIGINT, p VARCHAR) AS CASE WHEN n > 1000000
		THEN error('lpad: the result would be longer than 1000000 characters') WHEN "~room"(n::DOUBLE) THEN system.main.lpad(s, n::INTEGER, p) END`,
	`CREATE MACRO rpad(s VARCHAR, n BIGINT, p VARCHAR) AS CASE WHEN n > 1000000
		THEN error('rpad: the result would be longer than 1000000 characters') WHEN "~room"(n::DOUBLE) THEN system.main.rpad(s, n::INTEGER, p) END`,
	`CREATE MACRO list_resize(l, n) AS CASE WHEN n > 1000000
		THEN error('list_resize: more than 1000000 elements') WHEN "~room"(n::DOUBLE * 16) THEN system.main.list_resize(l, n) END,
	(l, n, v) AS CASE WHEN n > 1000000
		THEN error('list_resize: more than 1000000 elements') WHEN "~room"(n::DOUBLE * (16 + coalesce(strlen(v::VARCHAR), 0))) THEN system.main.list_resize(l, n, v) END`,
	`CREATE MACRO array_resize(l, n) AS CASE WHEN n > 1000000
		THEN error('array_resize: more than 1000000 elements') WHEN "~room"(n::DOUBLE * 16) THEN system.main.list_resize(l, n) END,
	(l, n, v) AS CASE WHEN n > 1000000
		THEN error('array_resize: more than 1000000 elements') WHEN "~room"(n::DOUBLE * (16 + coalesce(strlen(v::VARCHAR), 0))) THEN system.main.list_resize(l, n, v) END`,
	// A short text that is replaced by a long one: the occurrences are counted only where there could be too many.
	`CREATE MACRO replace(s, f, t) AS CASE WHEN "~room"(CASE WHEN strlen(t) <= strlen(f) OR strlen(f) = 0 OR strlen(s)::DOUBLE * strlen(t) < 10000 * strlen(f) THEN 0
		ELSE (strlen(s) - strlen(system.main.replace(s, f, ''))) // strlen(f) * strlen(t)::DOUBLE END) THEN system.main.replace(s, f, t) END`,
	formatMacro("format", "{"),
	formatMacro("printf", "%"),
	// These allocate memory outside of all limits for each group, of a size given by an argument.
	`CREATE MACRO bitstring_agg(x) AS system.main.bitstring_agg(x),
	(x, lo, hi) AS CASE WHEN hi::HUGEINT - lo::HUGEINT > 1000000
		THEN error('bitstring_agg: more than 1000000 bits') ELSE system.main.bitstring_agg(x, lo, hi) END`,
	likeMacro("~~", "", "%", ""), likeMacro("!~~", "NOT ", "%", ""), likeMacro("~~*", "", "%", "lower"), likeMacro("!~~*", "NOT ", "%", "lower"),
	globMacro("~~~", "*", ""), globMacro("like_escape", "%", ", e"), globMacro("not_like_escape", "%", ", e"),
	globMacro("ilike_escape", "%", ", e"), globMacro("not_ilike_escape", "%", ", e"),
	rangeMacro("range"),
	rangeMacro("generate_series"),
	// These cannot be interrupted either: a pair of long texts takes hours, and the last one allocates the product of their lengths.
	distanceMacro("levenshtein", 100_000_000),
	distanceMacro("editdist3", 100_000_000),
	distanceMacro("damerau_levenshtein", 10_000_000),
	similarityMacro("jaro_similarity"),
	similarityMacro("jaro_winkler_similarity"),
	// These are recursive over the nesting of a value, until the stack overflows and the process ends.
	`CREATE MACRO json_structure(j) AS system.main.json_structure("~shallow"(j))`,
	`CREATE MACRO json_group_structure(j) AS system.main.json_structure("~shallow"(json_group_array(j))) -> 0`,
	`CREATE MACRO json_contains(a, b) AS system.main.json_contains("~shallow"(a), "~shallow"(b))`,
	`CREATE MACRO json_merge_patch(a, b) AS system.main.json_merge_patch("~shallow"(a), "~shallow"(b)),
	(a, b, c) AS system.main.json_merge_patch("~shallow"(a), "~shallow"(b), "~shallow"(c)),
	(a, b, c, d) AS system.main.json_merge_patch("~shallow"(a), "~shallow"(b), "~shallow"(c), "~shallow"(d))`,
}

// formatMacro limits the result of a format: each of its directives may be replaced by the longest value.
func formatMacro(name, sign string) string {
	const most = 12
	var forms []string
	for n := range most + 1 {
		args, size := "", "1"
		for i := range n {
			args += fmt.Sprintf(", a%d", i)
			size = fmt.Sprintf("greatest(%s, strlen(a%d::VARCHAR))", size, i)
		}
		forms = append(forms, fmt.Sprintf(`(f%[1]s) AS CASE WHEN "~room"(strlen(f) + (strlen(f) - strlen(system.main.replace(f, '%[2]s', ''))) * (1000.0 + %[3]s))
			THEN system.main.%[4]s(f%[1]s) END`, args, sign, size, name))
	}
	return "CREATE MACRO " + name + " " + strings.Join(forms, ", ")
}

// plainPattern is true for a pattern that is compared in one pass: it has wildcards at its ends only. If the pattern is a
// constant, the condition is folded while the statement is planned.
func plainPattern(sign string) string {
	return fmt.Sprintf(`length(b) <= 1000 AND position('_' IN b) = 0 AND position('[' IN b) = 0 AND position('?' IN b) = 0 AND position('%[1]s' IN trim(b, '%[1]s')) = 0`, sign)
}

// patternCost is the worst-case number of steps of the engine: for each wildcard it tries every position of the text.
func patternCost(sign string) string {
	return fmt.Sprintf(`pow(strlen(a) + 1, length(b) - length(system.main.replace(b, '%s', '')))`, sign)
}

// likeMacro passes patterns that could take the engine hours to a function of this package that needs one pass per wildcard.
func likeMacro(name, not, sign, fold string) string {
	return fmt.Sprintf(`CREATE MACRO "%[1]s"(a, b) AS CASE WHEN %[3]s THEN system.main."%[1]s"(a, b) WHEN %[4]s < 1e8 THEN system.main."%[1]s"(a, b)
		WHEN strlen(a)::DOUBLE * strlen(b) > 1e9 THEN error('LIKE: the text and the pattern are too long, their lengths multiply to more than 1000000000')
		ELSE %[2]s("~like"(%[5]s(a), %[5]s(b))::BOOLEAN) END`, name, not, plainPattern(sign), patternCost(sign), fold)
}

func globMacro(name, sign, escape string) string {
	return fmt.Sprintf(`CREATE MACRO "%[1]s"(a, b%[4]s) AS CASE WHEN %[2]s THEN system.main."%[1]s"(a, b%[4]s) WHEN %[3]s < 1e9 THEN system.main."%[1]s"(a, b%[4]s)
		ELSE error('the pattern has too many wildcards for a text of this length') END`, name, plainPattern(sign), patternCost(sign), escape)
}

// distanceMacro limits the product of the lengths of two texts.
func distanceMacro(name string, most int) string {
	return fmt.Sprintf(`CREATE MACRO %[1]s(a, b) AS CASE WHEN strlen(a) * strlen(b) > %[2]d
		THEN error('%[1]s: the texts are too long, their lengths multiply to more than %[2]d') ELSE system.main.%[1]s(a, b) END`, name, most)
}

// similarityMacro limits the product of the lengths of two texts, of which the function compares 64 pairs of letters in a step.
func similarityMacro(name string) string {
	const most = 6_400_000_000
	limit := fmt.Sprintf(`CASE WHEN strlen(a)::HUGEINT * strlen(b) > %[2]d
		THEN error('%[1]s: the texts are too long, their lengths multiply to more than %[2]d') ELSE system.main.%[1]s`, name, most)
	return fmt.Sprintf(`CREATE MACRO %[1]s(a, b) AS %[2]s(a, b) END, (a, b, c) AS %[2]s(a, b, c) END`, name, limit)
}

func rangeMacro(name string) string {
	fail := `error('` + name + `: more than 1000000 elements')`
	call := `system.main.` + name
	return `CREATE MACRO ` + name + `(b BIGINT) AS CASE WHEN b > 1000000 THEN ` + fail + ` WHEN "~room"(b::DOUBLE * 8) THEN ` + call + `(b) END,
	(a BIGINT, b BIGINT) AS CASE WHEN b::HUGEINT - a > 1000000 THEN ` + fail + ` WHEN "~room"((b::DOUBLE - a) * 8) THEN ` + call + `(a, b) END,
	(a BIGINT, b BIGINT, s BIGINT) AS CASE WHEN abs(b::HUGEINT - a) // greatest(abs(s::HUGEINT), 1) > 1000000
		THEN ` + fail + ` WHEN "~room"(abs(b::DOUBLE - a) / greatest(abs(s::DOUBLE), 1) * 8) THEN ` + call + `(a, b, s) END,
	(a TIMESTAMP, b TIMESTAMP, s INTERVAL) AS CASE WHEN abs(epoch(b) - epoch(a)) / greatest(abs(epoch(s)), 0.000001) > 1000000
		THEN ` + fail + ` WHEN "~room"(abs(epoch(b) - epoch(a)) / greatest(abs(epoch(s)), 0.000001) * 8) THEN ` + call + `(a, b, s) END`
}
