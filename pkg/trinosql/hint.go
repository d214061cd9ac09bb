package trinosql

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/pkg/late"
)

// idioms are constructs of other dialects that Trino's grammar does not have, by the text before and after the place of
// the error, with a replacement. A $1 is what the first group of either expression has matched.
var idioms = []struct {
	before, after func() *regexp.Regexp
	hint          string
}{
	{nil, late.Regexp(`^::`), "a cast is written CAST(x AS type)"},
	{late.Regexp(`:$`), late.Regexp(`^:`), "a cast is written CAST(x AS type)"},
	{late.Regexp(`=\s*$`), late.Regexp(`^=`), "equality is written with one ="},
	{nil, late.Regexp(`^==`), "equality is written with one ="},
	{nil, late.Regexp(`^&&`), "write AND"},
	{nil, late.Regexp(`(?i)^ilike\b`), "write lower(x) LIKE and a pattern in lower case"},
	{nil, late.Regexp(`(?i)^(?:not\s+)?(?:rlike|regexp|similar\s+to)\b`), "write regexp_like(x, pattern)"},
	{nil, late.Regexp(`^!?~`), "write regexp_like(x, pattern)"},
	{nil, late.Regexp(`(?i)^qualify\b`),
		"there is no QUALIFY: name the window function in a subquery and write WHERE around it"},
	{late.Regexp(`(?i)\bqualify\s+$`), nil,
		"there is no QUALIFY: name the window function in a subquery and write WHERE around it"},
	{late.Regexp(`(?i)\bselect\s+top\s*\(?\s*$`), late.Regexp(`^(\d+)`), "write LIMIT $1 at the end of the statement"},
	{late.Regexp(`(?i)\*\s*(?:except|exclude|replace|rename)\s*\(\s*$`), nil,
		"a star cannot exclude or change columns: name the columns"},
	{late.Regexp(`\*\s*$`), late.Regexp(`(?i)^(?:exclude|replace|rename)\b`),
		"a star cannot exclude or change columns: name the columns"},
	{late.Regexp(`(?i)\binterval\s+$`), late.Regexp(`^(\d+)`),
		"the number of an interval is a text: INTERVAL '$1' DAY"},
	{late.Regexp(`(?i)\bis\s+(?:not\s+)?$`), late.Regexp(`(?i)^(true|false)\b`), "write x = $1, or coalesce(x, false)"},
	{late.Regexp(`(?i)\bdistinct\s+$`), late.Regexp(`(?i)^on\b`), "there is no DISTINCT ON: row_number() OVER " +
		"(PARTITION BY ...) in a subquery, and WHERE around it, keeps one row of each group"},
	{late.Regexp(`(?i)\(\s*distinct\s+$`), late.Regexp(`^\*`),
		"name what is counted: count(DISTINCT a), or count(DISTINCT (a, b))"},
	{late.Regexp(`,\s*$`), late.Regexp(`(?i)^(from|where|group|having|order|limit)\b`),
		"there is a comma too many before $1"},
	{late.Regexp(`(?i)\bselect\s+$`), late.Regexp(`(?i)^from\b`), "name the columns, or write *"},
	{late.Regexp(`(?i)\b(?:limit|offset|order\s+by)\b[^()]*$`), late.Regexp(`(?i)^(?:where|group|having|order)\b`),
		clauseOrder},
	{late.Regexp(`(?i)\b(?:group\s+by|having)\b[^()]*$`), late.Regexp(`(?i)^where\b`), clauseOrder},
	{late.Regexp(`(?:^|;)\s*$`), late.Regexp(`(?i)^from\b`), "a query begins with SELECT: SELECT * FROM ..."},
	{late.Regexp(`'\w*$`), late.Regexp(`^'`), "a quote within a text is written twice: 'it''s'"},
	{nil, late.Regexp(`^'[^']*$`), "a text ends with another quote; a quote within it is written twice: 'it''s'"},
	{nil, late.Regexp(`^"[^"]*$`), "a name in double quotes ends with another double quote"},
	{nil, late.Regexp(`^\$\d`), "a parameter is written ?"},
	{nil, late.Regexp("^#"), "a comment begins with --"},
}

const clauseOrder = "the order of the clauses is FROM, WHERE, GROUP BY, HAVING, WINDOW, ORDER BY, OFFSET, LIMIT"

var (
	wordHere   = late.Regexp(`^\s*([A-Za-z_]\w*)`)
	wordBefore = late.Regexp(`([A-Za-z_]\w*)\s+$`)
	nameWanted = late.Regexp(`(?i)(?:[.,]|\b(?:select|from|join|as|by|on|where|and))\s*$`)
	clauses    = []string{"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "UNION", "JOIN",
		"DISTINCT", "BETWEEN", "WITH"}
	// beforeClause are the clauses after which a misspelt keyword is taken for an alias.
	beforeClause = map[string][]string{"BY": {"GROUP", "ORDER", "PARTITION"}}
)

// hintBytes limits the text that is examined on both sides of an error.
const hintBytes = 2000

// SyntaxHint suggests a correction for a syntax error, "" if none is known. The offset is that of an
// error of Parse.
func SyntaxHint(text string, offset int) string {
	if offset < 0 || offset > len(text) {
		return ""
	}
	before, after := strings.ToValidUTF8(text[max(0, offset-hintBytes):offset], ""),
		strings.ToValidUTF8(text[offset:min(len(text), offset+hintBytes)], "")
	for _, d := range idioms {
		group, ok := "", true
		for i, p := range []func() *regexp.Regexp{d.before, d.after} {
			if p == nil || !ok {
				continue
			}
			m := p().FindStringSubmatch([]string{before, after}[i])
			if ok = m != nil; len(m) > 1 {
				group = m[1]
			}
		}
		if ok {
			return strings.ReplaceAll(d.hint, "$1", group)
		}
	}
	return wordHint(before, after)
}

// wordHint is about a word that is misspelt, or reserved.
func wordHint(before, after string) string {
	word := func(p func() *regexp.Regexp, s string) string {
		if m := p().FindStringSubmatch(s); m != nil {
			return strings.ToUpper(m[1])
		}
		return ""
	}
	dotted := strings.TrimPrefix(after, ".")
	here, last := word(wordHere, dotted), word(wordBefore, before)
	meant := func(w string, of []string) string {
		if len(w) < 3 || lookup(w) > wNone {
			return ""
		}
		if near := nearest.Of(w, of); near != "" && len(near) <= len(w)+1 && len(w) <= len(near)+1 {
			return "did you mean " + near + "?"
		}
		return ""
	}
	switch {
	case beforeClause[here] != nil && !slices.Contains(beforeClause[here], last):
		return meant(last, beforeClause[here])
	case here != "" && Reserved(here) && (len(dotted) < len(after) || nameWanted().MatchString(before)):
		return here + " is a reserved word; as a name it is written " + QuoteName(strings.ToLower(here))
	}
	if hint := meant(here, clauses); hint != "" {
		return hint
	}
	return meant(last, clauses)
}
