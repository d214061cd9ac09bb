// Package translate prints a statement in Trino's language as the SQL of DuckDB that gives Trino's answer.
//
// The statement comes parsed and analysed, so that nothing is left for DuckDB to resolve: relations, columns and parameters of lambdas
// get names of their own (~r1, ~c2, ~x3), each expression is printed with exactly the type that Trino gives it, and what is coerced is
// cast. What cannot be computed exactly is refused by name with an *Unsupported.
//
// # Functions
//
// The files functions_*.txt say what a function or operator is in DuckDB, one signature on a line:
//
//	KEY = TEMPLATE
//
// KEY is functions.Function.Key. In the template $1, $2 and so on stand for the arguments, already of the signature's types, $* for all
// that are given, ${T} for DuckDB's name of the type that the variable T stands for and ${R} for that of the result. An argument that is needed
// more than once is computed once.
//
//	agg CALL            an aggregate or window function, with DISTINCT, ORDER BY, FILTER and OVER as written
//	agg CALL | WRAP     the same with $0 standing for the call
//	go NAME             a rule in Go
//	no: REASON          refused
//
// An empty line, and one that begins with #, says nothing.
package translate
