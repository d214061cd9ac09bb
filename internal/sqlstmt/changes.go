package sqlstmt

import (
	"fmt"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// Changes describes what a statement in Trino's language changes, or why that is unknown: text that is not parsed may
// change something. It returns "" for one that only reads.
func Changes(sql string) string {
	parts := trinosql.Split(sql)
	if len(parts) != 1 {
		return fmt.Sprintf("it is not one statement but %d", len(parts))
	}
	tree, err := trinosql.ParseFiles(parts[0].Text, "files")
	if err != nil {
		return "the statement cannot be parsed, so that it is unknown whether it changes something: " + err.Error()
	}
	what := ""
	trinosql.Inspect(tree, func(n trinosql.Node) bool {
		if f, ok := n.(*trinosql.TableFunc); ok && f.Builtin() == "" {
			what = "it is unknown what " + trinosql.String(f) + " does"
		}
		return what == ""
	})
	switch s := tree.(type) {
	case *trinosql.Query, *trinosql.Show, *trinosql.Describe:
		return what
	case *trinosql.Other:
		return "the statement (" + s.Kind + ") does not only read"
	case *trinosql.Explain:
		inner, other := s.Statement.(*trinosql.Other)
		if _, nested := s.Statement.(*trinosql.Explain); nested || other && s.Analyze {
			if other {
				return "EXPLAIN ANALYZE runs the statement (" + inner.Kind + "), which does not only read"
			}
			return "it is unknown what EXPLAIN of EXPLAIN runs"
		}
		if !s.Analyze {
			return ""
		}
		return what
	}
	return "the kind of the statement is unknown"
}

// Other returns the kind of a statement that neither reads nor describes, such as DropTable; "" for others.
func Other(sql string) string {
	tree, err := trinosql.Parse(TrimEnd(sql))
	if err != nil {
		return "" // Fault reports it
	}
	if other, ok := tree.(*trinosql.Other); ok {
		return other.Kind
	}
	return ""
}
