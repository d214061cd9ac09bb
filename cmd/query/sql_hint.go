package query

import (
	"regexp"
	"strings"

	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// SQL of other engines that the gateways reject, and the accepted equivalent. Each pattern starts or ends at the
// position of the error.
var (
	limitOffset   = late.Regexp(`(?i)\blimit\s+(\d+|all)\s+$`)
	offsetRows    = late.Regexp(`(?i)^offset\s+(\d+)`)
	limitList     = late.Regexp(`(?i)\blimit\s+(\d+)\s*$`)
	listRows      = late.Regexp(`^,\s*(\d+)`)
	backticked    = late.Regexp("^`([^`\n]+)`")
	noPlaceholder = late.Regexp(`Incorrect number of parameters: expected [1-9]\d* but found 0$`)
	mismatched    = late.Regexp(`mismatched input '([A-Za-z]\w+)'\. Expecting: (.*)`)
	expected      = late.Regexp(`'([A-Z]\w+)'`)
	colon         = late.Regexp(`^:([A-Za-z_]\w*)`)
	unplaced      = late.Regexp(`^(?:mismatched input '[^']*'|backquoted identifiers)`)
)

// sqlHint returns the accepted equivalent of the construct that is rejected at a position (1-based line and column),
// or "" if none is known.
func sqlHint(sql, message string, line, col int) string {
	if noPlaceholder().MatchString(message) {
		return "--bind VALUE gives the value of a ?, once for each of them"
	}
	if line == 0 && unplaced().MatchString(message) { // the hosted zones do not say where [L]
		if e := trinosql.Fault(sql); e != nil && strings.HasPrefix(e.Msg, unplaced().FindString(message)) {
			line, col = e.At.Line, e.At.Col
		}
	}
	lines := strings.SplitAfter(sql, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	row := []rune(lines[line-1])
	if col < 1 || col > len(row) {
		return ""
	}
	before, after := strings.Join(lines[:line-1], "")+string(row[:col-1]), string(row[col-1:])+
		strings.Join(lines[line:], "")
	one := func(p func() *regexp.Regexp, s string) string {
		if m := p().FindStringSubmatch(s); m != nil {
			return m[1]
		}
		return ""
	}
	if n, m := one(limitOffset, before), one(offsetRows, after); n != "" && m != "" {
		return "Trino's order is OFFSET " + m + " LIMIT " + n
	}
	if m, n := one(limitList, before), one(listRows, after); n != "" && m != "" {
		return "Trino does not accept LIMIT m, n: OFFSET " + m + " LIMIT " + n
	}
	if word := nearKeyword(message); word != "" {
		return "did you mean " + word + "?"
	}
	if strings.TrimSpace(before) == "" && strings.HasPrefix(after, "@") {
		return "--file reads the statement from a file"
	}
	if name := one(colon, after); name != "" {
		return "--bind " + name + "=VALUE gives the value of :" + name + " to `dig sql`"
	}
	if name := one(backticked, after); name != "" {
		return `names are quoted with double quotes: ` + sqltext.Quote(name)
	}
	if strings.Contains(message, "mismatched input") {
		return trinosql.SyntaxHint(sql, len(before))
	}
	return ""
}

// nearKeyword returns the keyword that was probably meant by the word that a parser did not expect.
func nearKeyword(message string) string {
	m := mismatched().FindStringSubmatch(message)
	if m == nil || trinosql.Reserved(m[1]) { // not misspelt
		return ""
	}
	var words []string
	if strings.Contains(m[2], "<query>") {
		words = append(words, "SELECT", "WITH", "VALUES", "TABLE")
	}
	for _, w := range expected().FindAllStringSubmatch(m[2], -1) {
		words = append(words, w[1])
	}
	if near := nearest.Of(m[1], words); !strings.EqualFold(near, m[1]) {
		return near
	}
	return ""
}
