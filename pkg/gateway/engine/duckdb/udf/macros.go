//go:build cgo

package udf

// Macros shadow functions of DuckDB that could end the process. Most create a value of any size outside
// memory_limit and ignore interrupts (measured: repeat, lpad, rpad, range): a million
// characters or elements is their limit.
var Macros = []string{
	`CREATE MACRO repeat(s VARCHAR, n BIGINT) AS CASE WHEN n > 1000000 OR length(s) * n > 1000000
		THEN error('repeat: the result would be longer than 1000000 characters') WHEN "~room"(strlen(s)::DOUBLE * n) THEN system.main.repeat(s, n) END,
	(s BLOB, n BIGINT) AS CASE WHEN n > 1000000 OR octet_length(s) * n > 1000000
		THEN error('repeat: the result would be longer than 1000000 bytes') WHEN "~room"(octet_length(s)::DOUBLE * n) THEN system.main.repeat(s, n) END`,
	`CREATE MACRO lpad(s VARCHAR, n BIGINT, p VARCHAR) AS CASE WHEN n > 1000000
		THEN error('lpad: the result would be longer than 1000000 characters') WHEN "~room"(n::DOUBLE) THEN system.main.lpad(s, n::INTEGER, p) END`,
	`CREATE MACRO rpad(s VARCHAR, n BIGINT, p VARCHAR) AS CASE WHEN n > 1000000
		THEN error('rpad: the result would be longer than 1000000 characters') WHEN "~room"(n::DOUBLE) THEN system.main.rpad(s, n::INTEGER, p) END`,
	// A short text that is replaced by a long one: the occurrences are counted only where there could be too many.
	`CREATE MACRO replace(s, f, t) AS CASE WHEN "~room"(CASE WHEN strlen(t) <= strlen(f) OR strlen(f) = 0 OR strlen(s)::DOUBLE * strlen(t) < 10000 * strlen(f) THEN 0
		ELSE (strlen(s) - strlen(system.main.replace(s, f, ''))) // strlen(f) * strlen(t)::DOUBLE END) THEN system.main.replace(s, f, t) END`,
	likeMacro,
	rangeMacro,
}

// likeMacro passes patterns that could take the engine hours to a function of this package that needs one pass per
// wildcard. A pattern with wildcards at its ends only is compared in one pass; if it is a constant, the condition is
// folded while the statement is planned. Otherwise the engine tries, in the worst case, every position of the text for
// each wildcard.
const likeMacro = `CREATE MACRO "~~"(a, b) AS CASE
	WHEN length(b) <= 1000 AND position('_' IN b) = 0 AND position('%' IN trim(b, '%')) = 0 THEN system.main."~~"(a, b)
	WHEN pow(strlen(a) + 1, length(b) - length(system.main.replace(b, '%', ''))) < 1e8 THEN system.main."~~"(a, b)
	WHEN strlen(a)::DOUBLE * strlen(b) > 1e9 THEN error('LIKE: the text and the pattern are too long, their lengths multiply to more than 1000000000')
	ELSE "~like"(a, b)::BOOLEAN END`

const rangeMacro = `CREATE MACRO range(b BIGINT) AS CASE WHEN b > 1000000 THEN error('range: more than 1000000 elements')
		WHEN "~room"(b::DOUBLE * 8) THEN system.main.range(b) END,
	(a BIGINT, b BIGINT) AS CASE WHEN b::HUGEINT - a > 1000000 THEN error('range: more than 1000000 elements')
		WHEN "~room"((b::DOUBLE - a) * 8) THEN system.main.range(a, b) END,
	(a BIGINT, b BIGINT, s BIGINT) AS CASE WHEN abs(b::HUGEINT - a) // greatest(abs(s::HUGEINT), 1) > 1000000 THEN error('range: more than 1000000 elements')
		WHEN "~room"(abs(b::DOUBLE - a) / greatest(abs(s::DOUBLE), 1) * 8) THEN system.main.range(a, b, s) END,
	(a TIMESTAMP, b TIMESTAMP, s INTERVAL) AS CASE WHEN abs(epoch(b) - epoch(a)) / greatest(abs(epoch(s)), 0.000001) > 1000000
			THEN error('range: more than 1000000 elements')
		WHEN "~room"(abs(epoch(b) - epoch(a)) / greatest(abs(epoch(s)), 0.000001) * 8) THEN system.main.range(a, b, s) END`
