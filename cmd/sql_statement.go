package cmd

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

// refuseStatement refuses, without asking the gateway, a statement that changes something: no zone runs one [L]. Zone local says so
// itself, and where.
func (e *Env) refuseStatement(sql string) error {
	if !e.guarded() {
		return nil
	}
	return notAQuery(sql)
}

func notAQuery(sql string) error {
	kind := statementKind(sql)
	if kind == "" {
		return nil
	}
	f := &failure{exit: exitFailed, code: string(api.KindInvalid), msg: fmt.Sprintf("Statement type '%s' is not allowed; it was not sent", kind)}
	if f.hint = statementHint(kind); f.hint == "" {
		f.hint = "only SELECT runs"
	}
	return f
}

// statementKind is the name of a statement that is surely no query, as the service names it, else "". The first words decide: a query
// begins with none of these, and what stands in texts, comments and quoted names is not looked at. SHOW, DESCRIBE, EXPLAIN and others
// of which it is not known whether a gateway runs them are not named.
func statementKind(sql string) string {
	var words []string
	as := false
	scanSQL(sql, false, func(from, to int) {
		w := strings.ToLower(sql[from:to])
		as = as || w == "as"
		if len(words) < 6 && (w != "(" || len(words) > 0) {
			words = append(words, w)
		}
	})
	if len(words) < 2 {
		return ""
	}
	object := func() string {
		for _, w := range words[1:] {
			switch w {
			case "or", "replace", "temporary", "temp":
				continue
			case "materialized":
				return "MaterializedView"
			case "table", "view", "schema", "role", "function", "catalog", "index", "database", "sequence", "user", "type":
				return strings.ToUpper(w[:1]) + w[1:]
			}
			return ""
		}
		return ""
	}
	switch verb := words[0]; verb {
	case "insert", "merge", "delete", "update", "grant", "revoke", "deny", "copy":
		return strings.ToUpper(verb[:1]) + verb[1:]
	case "create", "drop", "alter", "truncate", "refresh":
		o := object()
		switch {
		case o == "":
			return ""
		case verb == "create" && o == "Table" && as:
			return "CreateTableAsSelect"
		}
		return strings.ToUpper(verb[:1]) + verb[1:] + o
	}
	return ""
}
