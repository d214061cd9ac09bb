package native

import (
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// SelectOnly rejects every statement that is not a SELECT, with the message of the hosted service [L]. It only improves the
// message: the guard protects the data and accepts only what DuckDB's parser parses as a SELECT.
func SelectOnly(tokens []Token) error {
	i := 0
	for i < len(tokens) && tokens[i].is("(") {
		i++
	}
	if i == len(tokens) {
		return nil
	}
	first := tokens[i]
	if first.Kind != TokWord {
		return nil // a syntax error, for which the parser has a better message
	}
	verb := first
	if first.text == "with" {
		verb = mainVerb(tokens[i:])
	}
	switch verb.text {
	case "select", "values", "table", "from", "with":
		return nil
	}
	if name := statementType(verb.text, tokens[i:]); name != "" {
		return ErrorAt(verb.Pos, engine.KindNotAllowed, "Statement type '%s' is not allowed", name)
	}
	return nil
}

// mainVerb finds the verb of a statement with a WITH list. The names in the list may be verbs too.
func mainVerb(tokens []Token) Token {
	depth := 0
	for i, t := range tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case i+1 < len(tokens) && (tokens[i+1].is("as") || tokens[i+1].is("(") && i > 0 && (tokens[i-1].is("with") || tokens[i-1].is("recursive") || tokens[i-1].is(","))):
		case depth == 0 && t.Kind == TokWord:
			switch t.text {
			case "select", "values", "table", "from", "insert", "update", "delete", "merge":
				return t
			}
		}
	}
	return tokens[0]
}

// statementType names a statement as Trino does, or "" if the word does not begin a statement.
func statementType(verb string, tokens []Token) string {
	object := func() string { // TABLE, VIEW, SCHEMA, ...
		for _, t := range tokens[1:] {
			switch t.text {
			case "or", "replace", "temp", "temporary", "if", "not", "exists", "recursive", "persistent", "unique":
				continue
			}
			if t.text == "materialized" {
				return "MaterializedView"
			}
			return title(t.text)
		}
		return ""
	}
	switch verb {
	case "insert", "update", "delete", "merge", "call", "execute", "prepare", "deallocate", "grant", "revoke", "deny", "commit",
		"rollback", "explain", "analyze", "comment", "attach", "detach", "copy", "pragma", "install", "load", "import", "checkpoint",
		"vacuum", "summarize", "pivot", "unpivot", "use", "export", "force", "abort":
		return title(verb)
	case "create":
		o := object()
		if o == "Table" {
			for _, t := range tokens {
				if t.is("as") {
					return "CreateTableAsSelect"
				}
			}
		}
		return "Create" + o
	case "drop", "alter", "truncate", "refresh":
		return title(verb) + object()
	case "set", "reset":
		return title(verb) + "Session"
	case "start", "begin":
		return "StartTransaction"
	case "describe", "desc", "show":
		return title(verb)
	}
	return ""
}

func title(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
