// Package functions is the table of Trino's functions and operators: their signatures, and how calls resolve to them.
//
// The table is table.txt, one signature per line, as reported by Trino 476:
//
//	S regexp_replace(varchar(x), joniregexp, varchar(y)) varchar(z) | z = min(2147483647, x + max(x * y / 2, y) * (x + 1))
//
// A letter for the kind (S scalar, A aggregate, W window, O operator), the name with aliases after |, the types of the
// arguments, the type of the result, and after | the rules: type variables with their constraints, and how numeric
// variables are computed. "..." after the last argument makes it variadic; "?" means that an argument may be NULL (a
// NULL for any other makes the result NULL without a call) or that the result may be NULL although no argument is.
// #hidden functions are not shown by SHOW FUNCTIONS.
//
// The part up to the rules is the key of a signature: Function.Key, by which other packages refer to it.
package functions
