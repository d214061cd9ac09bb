package statements

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// TranspileResult carries the statement under both names: the service answers query, its documents say result [L][O].
type TranspileResult struct {
	api.TranspileResult
	Result string `json:"result"`
}

// Transpile writes a statement in another dialect. The dialect of this gateway is Trino's: a Trino statement is answered as it is, and
// in DuckDB's dialect as the engine runs it. Text that is plainly of another dialect is refused and not passed off as Trino; so is
// every other target.
func (s *Service) Transpile(ctx context.Context, r *web.Request[api.TranspileRequest]) (TranspileResult, error) {
	if strings.TrimSpace(r.Body.Query) == "" {
		return TranspileResult{}, fault.Missing("query")
	}
	dialect := r.Param("dialect")
	duck := strings.EqualFold(dialect, "duckdb")
	if !duck && !strings.EqualFold(dialect, "trino") {
		return TranspileResult{}, fault.Data(400, "cannot transpile to dialect %q: %s on this gateway writes trino and duckdb", dialect, spec.TranspileSql.ID)
	}
	if f := notTrino(r.Body.Query); f != nil {
		return TranspileResult{}, f
	}
	if duck {
		text, err := s.toDuckDB(ctx, r)
		return TranspileResult{api.TranspileResult{Query: text}, text}, err
	}
	return TranspileResult{api.TranspileResult{Query: r.Body.Query}, r.Body.Query}, nil
}

// toDuckDB writes a statement in DuckDB's dialect. What it means depends on the types of the columns it reads: those of the project
// that the query parameter projectId names, which is zone local's own.
func (s *Service) toDuckDB(ctx context.Context, r *web.Request[api.TranspileRequest]) (string, error) {
	id := r.Query("projectId")
	if id == "" {
		id = r.Scope.ProjectID
	}
	if id == "" {
		return "", fault.Framework(400, "query parameter projectId: a project is required, whose tables the statement is about")
	}
	var p store.Project
	if err := s.Web.Authorize(ctx, r.Op, r.Scope, id, &p); err != nil {
		return "", err
	}
	data, err := s.Engine.Project(ctx, p.ID)
	if err != nil {
		return "", err
	}
	t, ok := data.(engine.Transpiler)
	if !ok {
		return "", fault.Data(400, "the engine of this gateway writes no dialect but trino")
	}
	return t.Transpile(ctx, engine.Query{SQL: r.Body.Query, Timeout: s.Web.TimeoutOf(nil), Catalogs: s.Names.Resolver(p)})
}

// notTrino finds what cannot be Trino's SQL by its lexical form alone.
func notTrino(sql string) *fault.Fault {
	for i := 0; i < len(sql); i++ {
		rest := sql[i:]
		fault := func(format string, args ...any) *fault.Fault {
			line := 1 + strings.Count(sql[:i], "\n")
			col := i - strings.LastIndexByte(sql[:i], '\n')
			return fault.Data(400, "line %d:%d: "+format, append([]any{line, col}, args...)...)
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
