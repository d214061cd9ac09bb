//go:build cgo

package duckdb

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// What DuckDB's parser does not read as Trino's does is replaced in the text before it is parsed. Where more than a spelling
// changes, the replacement calls a function whose name begins with "~", which the rules for the tree know.

// syntax collects the edits of one statement.
type syntax struct {
	sql    string
	tokens []token
	edits  []edit

	brackets map[int]*bracket
	clauses  []string // what the brackets around the current token are in
	openers  []string // the words before the brackets around the current token
}

func (x *syntax) at(i int) token {
	if i < 0 || i >= len(x.tokens) {
		return token{kind: tokOp, pos: len(x.sql), end: len(x.sql), text: "<EOF>"}
	}
	return x.tokens[i]
}

func (x *syntax) is(i int, words ...string) bool {
	for k, w := range words {
		if !x.at(i + k).is(w) {
			return false
		}
	}
	return true
}

func (x *syntax) replace(from, to int, text string) {
	x.edits = append(x.edits, edit{from, to, text})
}

func (x *syntax) mismatched(i int, want string) error {
	t := x.at(i)
	word := t.text
	if t.kind == tokWord {
		word = strings.ToUpper(word)
	}
	msg := "mismatched input '" + word + "'"
	if want != "" {
		msg += ". Expecting: " + want
	}
	return syntaxAt(t.pos, "%s", msg)
}

// trinoSyntax finds the edits that make a statement of Trino's dialect readable.
func trinoSyntax(sql string, tokens []token) ([]edit, error) {
	x := &syntax{sql: sql, tokens: tokens, brackets: findBrackets(tokens), clauses: []string{""}}
	if len(tokens) > 0 && tokens[0].is("from") {
		return nil, x.mismatched(0, "<query>")
	}
	for i, t := range tokens {
		x.level(t, x.at(i-1).text)
		if err := x.token(i); err != nil {
			return nil, err
		}
	}
	return x.edits, nil
}

func (x *syntax) token(i int) error {
	t := x.tokens[i]
	switch t.kind {
	case tokString:
		return x.text(i)
	case tokParam:
		if t.text != "?" {
			return x.mismatched(i, "<expression>")
		}
	case tokNumber:
		return x.number(i)
	case tokOp:
		switch t.text {
		case ".":
			if x.at(i+1).isName() && x.is(i+2, "(") {
				return x.mismatched(i+2, "")
			}
		case "=":
			if x.is(i+1, "=") && x.at(i+1).pos == t.end {
				return x.mismatched(i+1, "<expression>")
			}
		case "::", ":", "//", "->>", "#", "$", "{", "`", "@", "!", "~", "^", "&", "|":
			return x.mismatched(i, "")
		case "[":
			if !x.subscript(i - 1) {
				return x.mismatched(i, "<expression>")
			}
		case ",":
			if x.is(i+1, "from") || x.is(i+1, ")") || i+1 == len(x.tokens) {
				return x.mismatched(i+1, "<expression>")
			}
		case "*":
			if x.is(i+1, "*") && x.at(i+1).pos == t.end {
				return x.mismatched(i+1, "")
			}
		}
	case tokWord:
		return x.word(i)
	}
	return nil
}

// beforeValue are the words after which a value begins, so that a bracket there is no subscript.
var beforeValue = set(`select distinct from where and or not in then else when case by on having between like is limit offset values all any`)

func (x *syntax) subscript(i int) bool {
	t := x.at(i)
	return i >= 0 && (t.kind == tokQuoted || t.kind == tokWord && !beforeValue[t.text] || t.is(")") || t.is("]"))
}

// text reads literals with a prefix.
func (x *syntax) text(i int) error {
	t := x.tokens[i]
	switch {
	case t.text[0] == '\'':
	case t.text[0] == 'x' || t.text[0] == 'X':
		digits := strings.Map(func(r rune) rune {
			if r == ' ' {
				return -1
			}
			return r
		}, t.text[2:len(t.text)-1])
		if len(digits)%2 != 0 || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
			return syntaxAt(t.pos, "Binary literal can only contain hexadecimal digits, an even number of them")
		}
		x.replace(t.pos, t.end, `"~unhex"('`+digits+"')")
	default:
		return x.mismatched(i, "")
	}
	return nil
}

// notBridged are constructs of Trino that begin with a word and a parenthesis and have no counterpart.
var notBridged = set(`json_exists json_value json_query json_table json_object json_array json_objectagg json_arrayagg match_recognize`)

// plainNames are words that DuckDB reserves and that mean nothing in a SELECT of Trino's, AT TIME ZONE aside.
var plainNames = set(`analyse analyze asymmetric at check column default deferrable do foreign initially lambda placing primary references
	returning summarize symmetric unique variadic`)

func (x *syntax) word(i int) error {
	t := x.tokens[i]
	if i > 0 && x.is(i-1, ".") {
		return nil
	}
	if plainNames[t.text] && !x.is(i, "at", "time", "zone") {
		x.replace(t.pos, t.end, `"`+x.sql[t.pos:t.end]+`"`)
		return nil
	}
	if err := x.extra(i); err != nil {
		return err
	}
	if notCalls[t.text] && x.is(i+1, "(") {
		return errorAt(t.pos, engine.KindUnsupported, "Function '%s' not registered", t.text)
	}
	if notBridged[t.text] && x.is(i+1, "(") {
		return errorAt(t.pos, engine.KindUnsupported, "%s is not supported on zone local", strings.ToUpper(t.text))
	}
	switch t.text {
	case "cast", "try_cast":
		return x.cast(i)
	case "if":
		x.twoArmed(i)
	case "limit":
		return x.limit(i)
	case "fetch":
		return x.fetch(i)
	case "values":
		x.values(i)
	case "unnest":
		return x.unnest(i)
	case "extract":
		return x.extract(i)
	case "interval":
		return x.interval(i)
	case "ignore", "respect":
		x.nulls(i)
	case "within":
		return x.within(i)
	case "tablesample":
		if (x.is(i+1, "bernoulli") || x.is(i+1, "system")) && x.is(i+2, "(") {
			if end := x.closing(i + 2); end > 0 {
				x.replace(x.at(end).pos, x.at(end).pos, " PERCENT")
			}
			return nil
		}
		return x.mismatched(i+1, "'BERNOULLI', 'SYSTEM'")
	case "current_timestamp", "localtimestamp", "localtime":
		if x.is(i+1, "(") && x.at(i+2).kind == tokNumber && x.is(i+3, ")") {
			x.replace(x.at(i+1).pos, x.at(i+3).end, "")
		}
	case "by":
		if x.is(i+1, "all") && !x.is(i+2, "(") {
			return x.mismatched(i+1, "")
		}
	case "distinct":
		if x.is(i+1, "on") && x.is(i+2, "(") && x.is(i-1, "select") {
			return x.mismatched(i+1, "")
		}
	case "qualify", "pivot", "unpivot", "ilike", "glob", "asof", "positional":
		if x.at(i+1).kind != tokOp || x.is(i+1, "(") || x.is(i+1, "*") {
			return x.mismatched(i, "")
		}
	case "normalize":
		if x.is(i+1, "(") {
			if end := x.closing(i + 1); end > 0 && x.is(end-2, ",") && x.at(end-1).kind == tokWord {
				if x.at(end-1).text != "nfc" {
					return errorAt(t.pos, engine.KindUnsupported, "normalize is supported on zone local for NFC only")
				}
				x.replace(x.at(end-2).pos, x.at(end-1).end, "")
			}
		}
	default:
		if x.at(i+1).kind == tokString && x.at(i + 1).text[0] == '\'' {
			return x.literal(i)
		}
	}
	if t.text == "array" && x.is(i+1, "[") {
		return nil
	}
	return nil
}

// cast puts the type of a CAST into DuckDB's words.
func (x *syntax) cast(i int) error {
	end := -1
	if x.is(i+1, "(") {
		end = x.closing(i + 1)
	}
	if end < 0 {
		return nil
	}
	as := x.brackets[i+1].as
	if as < 0 || as+1 == end {
		return nil
	}
	from, to := x.at(as+1).pos, x.at(end-1).end
	p := typeParser{tokens: x.tokens[as+1 : end], length: -1}
	t := p.parse()
	if p.failed || len(p.tokens) > 0 {
		name := strings.ToLower(x.sql[from:to])
		if bracketDepth(x.tokens[as+1:end]) >= maxTypeDepth {
			return errorAt(from, engine.KindLimit, "the type nests deeper than %d levels", maxTypeDepth)
		}
		if trinoTypes[strings.ToLower(x.at(as+1).text)] {
			return errorAt(from, engine.KindUnsupported, "Type %s is not supported on zone local", name)
		}
		return errorAt(from, engine.KindUnsupported, "Unknown type: %s", name)
	}
	x.replace(from, to, t.sql())
	if p.length >= 0 {
		x.replace(x.at(i).pos, x.at(i).pos, `"~varchar"(`)
		x.replace(x.at(end).end, x.at(end).end, ", "+strconv.Itoa(p.length)+")")
	}
	return nil
}

// twoArmed gives IF(a, b) its third argument.
func (x *syntax) twoArmed(i int) {
	if !x.is(i+1, "(") {
		return
	}
	if end := x.closing(i + 1); end > 0 && len(x.brackets[i+1].commas) == 1 {
		x.replace(x.at(end).pos, x.at(end).pos, ", NULL")
	}
}

// trinoTypes are names of types that Trino has, for the wording of refusals.
var trinoTypes = set(`boolean tinyint smallint int integer bigint real double decimal dec numeric varchar char varbinary json date time timestamp interval
	array map row uuid ipaddress hyperloglog p4hyperloglog qdigest tdigest setdigest geometry sphericalgeography color number bingtile`)

// limit refuses OFFSET after LIMIT, as Trino's grammar does.
func (x *syntax) limit(i int) error {
	n := x.at(i + 1)
	if n.kind == tokString {
		return x.mismatched(i+1, "'ALL', '?', <integer>")
	}
	if n.kind != tokNumber && n.kind != tokParam && !n.is("all") {
		return nil
	}
	switch {
	case x.is(i+2, "offset"):
		want := "<EOF>"
		if len(x.openers) > 0 {
			want = "')'"
		}
		return x.mismatched(i+2, want)
	case x.at(i+2).kind == tokOp && i+2 < len(x.tokens) && !x.is(i+2, ")"), x.is(i+2, "percent"):
		return x.mismatched(i+2, "<EOF>")
	}
	return nil
}

func (x *syntax) fetch(i int) error {
	if !x.is(i+1, "first") && !x.is(i+1, "next") {
		return nil
	}
	k, count := i+2, "1"
	if t := x.at(k); t.kind == tokNumber || t.kind == tokParam {
		count, k = t.text, k+1
	}
	if (x.is(k, "row") || x.is(k, "rows")) && x.is(k+1, "with", "ties") {
		x.replace(x.at(i).pos, x.at(k+2).end, `LIMIT "`+tiesCall+`"(`+count+`)`)
	}
	return nil
}

// extractFields are the fields of EXTRACT, which are functions of the same names as well.
var extractFields = set(`year quarter month week day day_of_month day_of_week dow day_of_year doy year_of_week yow hour minute second`)

func (x *syntax) extract(i int) error {
	if !x.is(i+1, "(") || !x.is(i+3, "from") {
		return nil
	}
	f := x.at(i + 2)
	if !extractFields[f.text] {
		return errorAt(f.pos, engine.KindUnsupported, "Invalid EXTRACT field: %s", f.text)
	}
	x.replace(x.at(i).pos, x.at(i+3).end, `"`+f.text+`"(`)
	return nil
}
