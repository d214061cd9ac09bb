// Package functions is the table of Trino's functions and operators: their signatures, and which of them a call means.
//
// The table is table.txt, one signature on a line, as Trino 435 tells it:
//
//	S regexp_replace(varchar(x), joniregexp, varchar(y)) varchar(z) | z = min(2147483647, x + max(x * y / 2, y) * (x + 1))
//
// A letter for the kind (S scalar, A aggregate, W window, O operator), the name with other names behind |, the types of the arguments,
// the type of the result, and behind | the rules: variables for types with what is asked of them, and how variables for numbers are
// computed. "..." behind the last argument says that it may be given any number of times; "?" that an argument may be NULL (others
// make the result NULL without being looked at) or that the result may be NULL though no argument is. #hidden functions are not shown
// by SHOW FUNCTIONS.
//
// The part up to the rules is the key of a signature: Function.Key, under which other packages keep what they know about it.
package functions
