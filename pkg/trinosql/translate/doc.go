// Package translate translates a statement in Trino's language to DuckDB's SQL with the same result.
//
// The statement is parsed and analysed before, so that DuckDB resolves nothing: relations, columns and lambda
// parameters have generated names (~r1, ~c2, ~x3), each expression is printed with exactly its type in Trino, and
// coercions are explicit casts. What cannot be computed exactly is rejected with a *trinosql.Unsupported that names it.
//
// # Functions
//
// The files functions_*.txt have the translation of functions and operators, one signature per line:
//
//	KEY = TEMPLATE
//
// KEY is functions.Function.Key. In the template $1, $2 and so on are the arguments, already of the signature's types,
// $* is all arguments, ${T} is DuckDB's name of the type of the variable T and ${R} that of the result. An argument
// that occurs more than once is evaluated once.
//
//	agg CALL            an aggregate or window function, with DISTINCT, ORDER BY, FILTER and OVER as written
//	agg CALL | WRAP     the same, where $0 is the call
//	go NAME             a rule in Go
//	no: REASON          rejected
//
// Empty lines and lines that begin with # are ignored.
package translate
