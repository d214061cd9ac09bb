package sqltext

import "strings"

// Kind returns the type of a statement that is certainly not a query, as the service names it, else "". The first words
// decide: no query starts with them, and strings, comments and quoted names are skipped. EXPLAIN ANALYZE has the type
// of the statement that it runs. SHOW, DESCRIBE, EXPLAIN and others that a gateway may or may not run return "".
func Kind(sql string) string {
	var words []string
	as := false
	Scan(sql, false, func(from, to int) {
		w := strings.ToLower(sql[from:to])
		as = as || w == "as"
		if len(words) < 8 && (w != "(" || len(words) > 0) {
			words = append(words, w)
		}
	})
	if len(words) > 2 && words[0] == "explain" && words[1] == "analyze" { // which runs the statement
		if words = words[2:]; words[0] == "verbose" {
			words = words[1:]
		}
	}
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
			case "table", "view", "schema", "role", "function", "catalog", "index", "database", "sequence",
				"user", "type":
				return strings.ToUpper(w[:1]) + w[1:]
			}
			return ""
		}
		return ""
	}
	switch verb := words[0]; verb {
	case "insert", "merge", "delete", "update", "grant", "revoke", "deny", "copy", "call":
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
