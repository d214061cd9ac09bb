package secret

import (
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/late"
)

// Statement masks the secrets of a statement: what Hide masks, and the literals that stand in one condition, expression
// or list of values with a column, option or literal that is named like a secret, as in password = 'x' or INSERT INTO
// users (name, password) VALUES ('a', 'x').
func Statement(sql string) string { return mask(sql, inStatement(sql)) }

// InStatement returns what Statement masks.
func InStatement(sql string) []string { return texts(sql, inStatement(sql)) }

// region is a part of a statement that can give a value to a name.
type region struct {
	named    bool // it has the name of a secret
	byText   bool // only as a literal
	doubtful bool // only such as key, which are often something else
	literals []span
	numbers  []span
}

// breaks start a new region, besides the commas of a list that is not in parentheses.
var breaks = map[string]bool{"select": true, "from": true, "where": true, "and": true, "or": true, "group": true,
	"order": true, "having": true, "join": true, "on": true,
	"union": true, "intersect": true, "except": true, "limit": true, "with": true, ";": true}

// pinLike matches the names whose values may be numbers.
var pinLike = late.Regexp(`(?i)(?:pin|otp|pwd|passw(?:or)?d|passcode|secret|token|cvv|cvc)$`)

func inStatement(sql string) []span {
	var out []span
	for _, s := range spansOf(sql) {
		if !column(sql, s) {
			out = append(out, s)
		}
	}
	var r region
	depth := 0
	between, digits := false, false
	immediate, used := false, false // EXECUTE IMMEDIATE has a parameter that may be a secret; after its USING
	var before [2]string            // the last two tokens
	gap := 0                        // the end of the last token
	flush := func() {
		if r.named {
			for _, l := range r.literals {
				value := sql[l.from:l.to]
				if !masked(value) && !(r.byText && nameOnly(value)) && (!r.doubtful || random(value)) {
					out = append(out, l)
				}
			}
			if digits && !r.doubtful {
				out = append(out, r.numbers...)
			}
		}
		r, digits = region{named: used, doubtful: !used, byText: !used}, false
	}
	name := func(w string, isText bool) {
		if Named(w) {
			r.byText = r.byText && isText
			r.named, digits = true, digits || pinLike().MatchString(w)
			r.doubtful = r.doubtful && ambiguous(w)
		}
	}
	r = region{doubtful: true, byText: true}
	sqltext.Scan(sql, true, func(from, to int) {
		out = append(out, inComment(sql, gap, from)...)
		gap = to
		w := sql[from:to]
		low := strings.ToLower(w)
		switch {
		case low == "between":
			between = true
		case low == "and" && between:
			between = false
		case low == "select" && (before == [2]string{"as", "("} || before == [2]string{"in", "("}):
			// WITH t(password) AS (SELECT 'x'), password IN (SELECT 'x')
		case breaks[low] && before[1] != "distinct", w == "," && depth == 0:
			flush()
			if low == "with" || low == ";" {
				depth = 0
			}
		case low == "using" && immediate:
			used = true
			flush()
		case w == "(":
			depth++
		case w == ")":
			depth--
		case isLiteral(w):
			inner := literal(sql, from, to)
			r.literals = append(r.literals, inner)
			if before == [2]string{"execute", "immediate"} {
				immediate = takesSecret(sql[inner.from:inner.to])
			}
			if plain := strings.ReplaceAll(sql[inner.from:inner.to], "''", "'"); len(plain) < inner.to-inner.from &&
				Hide(plain) != plain { // the places differ
				out = append(out, inner)
			}
			if spans, ok := inDocument(sql[inner.from:inner.to]); ok {
				out = slices.DeleteFunc(out, func(s span) bool { return s.from >= inner.from && s.to <= inner.to })
				for _, s := range spans {
					out = append(out, span{inner.from + s.from, inner.from + s.to})
				}
			}
			if text := sql[inner.from:inner.to]; nameOnly(text) && !ambiguous(text) {
				name(text, true) // map(ARRAY['password'], ARRAY['x'])
			}
		case w[0] == '"':
			name(sqltext.Unquote(w), false)
		case w[0] >= '0' && w[0] <= '9':
			r.numbers = append(r.numbers, span{from, to})
		case sqltext.WordStart(w[0]):
			name(w, false)
			if low == "identified" {
				r = region{named: true, literals: r.literals}
			}
			if before[0] == "identified" && before[1] == "by" {
				out = append(out, span{from, to})
			}
		}
		before = [2]string{before[1], low}
	})
	flush()
	return merged(append(out, inComment(sql, gap, len(sql))...))
}

// takesSecret reports whether a statement has parameters where literals would be masked, or other secrets beside them.
func takesSecret(sql string) bool {
	given := strings.ReplaceAll(sql, "?", "'?'")
	return given != sql && Statement(given) != given
}

// nameOnly reports whether a value is itself the name of a secret, such as that of a column.
func nameOnly(value string) bool {
	return len(value) < 64 && !strings.ContainsAny(value, " =:;,/+") && Named(value) && !random(value)
}

// column reports whether a span is a word after an operator with blanks around it, or the name of a secret: a column in
// SQL, where a command line has a value.
func column(sql string, s span) bool {
	return s.from > 1 && (strings.HasSuffix(sql[:s.from], "= ") || strings.HasSuffix(sql[:s.from], ": ") ||
		nameOnly(sql[s.from:s.to]) && strings.Contains(sql[s.from:s.to], ".")) && sqltext.WordStart(sql[s.from]) &&
		!inQuotes(sql, s.from)
}

// inQuotes reports whether a position is within a literal, a quoted name or a comment.
func inQuotes(sql string, at int) bool {
	in := true
	sqltext.Scan(sql, true, func(from, to int) {
		if from <= at && at < to {
			in = sql[from] == '\'' || sql[from] == '"' || sql[from] == '$' || isLiteral(sql[from:to])
		}
	})
	return in
}

func isLiteral(w string) bool {
	return w[0] == '\'' || len(w) > 2 && (strings.HasPrefix(strings.ToLower(w), "e'") || w[0] == '$' &&
		strings.HasSuffix(w, "$"))
}

// inDocument returns the secrets of a literal that is a JSON document; all of it where quotes in it are doubled.
func inDocument(text string) (spans []span, ok bool) {
	plain := strings.ReplaceAll(text, "''", "'")
	if plain == "" || plain[0] != '{' && plain[0] != '[' {
		return nil, false
	}
	root, ok := parse(plain)
	if !ok {
		return nil, false
	}
	d := document{text: plain}
	if d.walk(root, place{}); d.any && plain != text {
		return []span{{0, len(text)}}, true
	}
	for _, s := range d.spans {
		if plain[s.from] == '"' {
			s = span{s.from + 1, s.to - 1}
		}
		spans = append(spans, s)
	}
	return spans, true
}

// literal returns the inside of a literal.
func literal(sql string, from, to int) span {
	w := sql[from:to]
	if w[0] == '$' {
		if tag := strings.IndexByte(w[1:], '$'); tag >= 0 && len(w) >= 2*(tag+2) {
			return span{from + tag + 2, to - tag - 2}
		}
		return span{from, to}
	}
	from += strings.IndexByte(w, '\'') + 1
	if strings.HasSuffix(w, "'") && to > from {
		to--
	}
	return span{from, to}
}

// inComment returns the secrets in the comments between two tokens: what follows the name of a secret.
func inComment(sql string, from, to int) []span {
	gap := sql[from:to]
	if !strings.Contains(gap, "--") && !strings.Contains(gap, "/*") {
		return nil
	}
	var out []span
	for _, m := range assigned().FindAllStringSubmatchIndex(gap, -1) {
		value := gap[m[6]:m[7]]
		prose := strings.Trim(value, "abcdefghijklmnopqrstuvwxyz") == "" && !strings.ContainsAny(gap[m[4]:m[5]], "=:")
		if name := gap[m[2]:m[3]]; Named(name) && !ambiguous(name) && !prose {
			out = append(out, span{from + m[6], from + m[7]})
		}
	}
	return out
}
