// Package limits rejects statements that are too large, before the parser and the planner of DuckDB receive them: these
// are recursive, take superlinear time and cannot be interrupted.
package limits

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Limits of a text.
const (
	MaxTokens  = 64 << 10 // identifiers, numbers, strings and operators
	MaxNesting = 500      // levels of brackets
	MaxParts   = 100      // parts of a dotted name
	MaxSigns   = 1000     // consecutive prefix operators, subscripts or casts
)

// MaxDepth limits the depth of the tree of a query: for chains of thousands of operators or set operations, DuckDB's
// planner takes minutes or overflows the stack.
const MaxDepth = 2000

// MaxExpanded is the maximum number of tables that a statement reads after the planner has expanded each name of a WITH
// list: a name that is read twice doubles the number, and so does a select list with the same star twice.
const MaxExpanded = 2000

// MaxSaved limits the number of saved queries that a statement expands to. DuckDB plans each as often as it is
// referenced: twenty queries that each read the previous one twice expand to a million.
const MaxSaved = 2000

// MaxGrowing limits the nesting of growing functions, by calls and by derived tables.
const MaxGrowing = 6

// Joining functions concatenate two values, so the same value twice doubles its length.
var Joining = Words(`|| concat concat_ws list_concat list_cat array_concat array_cat list_append array_append ` +
	`list_prepend array_prepend`)

// MaxText limits the length of a statement: for some statements the planner takes superlinear time.
const MaxText = 256 << 10

// Words are the words of a string as a set.
func Words(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// MaxLambdas limits the nesting of lambdas: the time to plan them doubles with each level.
const MaxLambdas = 16

// Length rejects a text that is too long or cannot be sent.
func Length(sql string) error {
	if len(sql) > MaxText {
		return &engine.Error{Kind: engine.KindLimit,
			Message: fmt.Sprintf("Query text length (%d) exceeds the maximum length (%d)", len(sql), MaxText)}
	}
	if !utf8.ValidString(sql) || strings.IndexByte(sql, 0) >= 0 {
		return &engine.Error{Kind: engine.KindSyntax, Message: "the statement is not valid UTF-8 text"}
	}
	return nil
}

// Growing is the error for a statement that nests more than MaxGrowing functions.
func Growing(depth int) error {
	if depth <= MaxGrowing {
		return nil
	}
	return &engine.Error{Kind: engine.KindLimit,
		Message: fmt.Sprintf("more than %d functions that lengthen texts (hex, url_encode, to_json and similar) "+
			"are nested", MaxGrowing)}
}

// Saved rejects a statement that expands to more than MaxSaved saved queries.
func Saved(weight int) error {
	if weight <= MaxSaved {
		return nil
	}
	return &engine.Error{Kind: engine.KindLimit,
		Message: fmt.Sprintf("the statement expands to more than %d saved queries, each counted as often as it is named", MaxSaved)}
}
