package gateway

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
)

// transpileResult carries the statement under both names: the service answers query, its documents say result [L][O].
type transpileResult struct {
	api.TranspileResult
	Result string `json:"result"`
}

// transpile writes a statement in another dialect. The dialect of this gateway is Trino's, and Trino is the only target it
// can vouch for: a Trino statement is answered as it is. Text that is plainly of another dialect is refused and not passed off
// as Trino; so is every other target.
func (g *Gateway) transpile(_ context.Context, r *Request[api.TranspileRequest]) (transpileResult, error) {
	if strings.TrimSpace(r.Body.Query) == "" {
		return transpileResult{}, missing("query")
	}
	dialect := r.Param("dialect")
	if !strings.EqualFold(dialect, "trino") {
		return transpileResult{}, dataFault(400, "cannot transpile to dialect %q: %s on this gateway knows trino only", dialect, spec.TranspileSql.ID)
	}
	if f := notTrino(r.Body.Query); f != nil {
		return transpileResult{}, f
	}
	return transpileResult{api.TranspileResult{Query: r.Body.Query}, r.Body.Query}, nil
}

// notTrino finds what cannot be Trino's SQL by its lexical form alone.
func notTrino(sql string) *Fault {
	for i := 0; i < len(sql); i++ {
		rest := sql[i:]
		fault := func(format string, args ...any) *Fault {
			line := 1 + strings.Count(sql[:i], "\n")
			col := i - strings.LastIndexByte(sql[:i], '\n')
			return dataFault(400, "line %d:%d: "+format, append([]any{line, col}, args...)...)
		}
		switch {
		case strings.HasPrefix(rest, "--"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				return nil
			}
			i += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return fault("the comment is not closed")
			}
			i += end + 3
		case sql[i] == '\'' || sql[i] == '"':
			end := strings.IndexByte(rest[1:], sql[i])
			if end < 0 {
				return fault("the quote %c is not closed", sql[i])
			}
			i += end + 1 // a doubled quote begins the next string at once
		case sql[i] == '`':
			return fault("backquoted identifiers are not Trino: use double quotes")
		case sql[i] == '#':
			return fault("# begins no comment in Trino: use --")
		case strings.HasPrefix(rest, "::"):
			return fault("the cast :: is not Trino: use CAST(... AS ...)")
		case strings.HasPrefix(rest, "$$"):
			return fault("dollar quotes are not Trino: use single quotes")
		case sql[i] == ';' && strings.TrimSpace(rest[1:]) != "":
			return fault("more than one statement")
		}
	}
	return nil
}
