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

// dialects are the targets, by the names that are accepted for them.
var dialects = map[string]string{"trino": "trino", "duckdb": "duckdb", "postgresql": "postgresql", "postgres": "postgresql", "mysql": "mysql", "bigquery": "bigquery"}

// Transpile translates a statement to another dialect. The dialect of this gateway is Trino's: a Trino statement is
// returned unchanged. Text that is clearly of another dialect is rejected instead of being returned as Trino.
func (s *Service) Transpile(ctx context.Context, r *web.Request[api.TranspileRequest]) (TranspileResult, error) {
	if strings.TrimSpace(r.Body.Query) == "" {
		return TranspileResult{}, fault.Missing("query")
	}
	dialect := r.Param("dialect")
	target := dialects[strings.ToLower(dialect)]
	if target == "" {
		return TranspileResult{}, fault.Data(400, "cannot transpile to dialect %q: %s on this gateway supports trino, duckdb, postgresql, mysql and bigquery", dialect, spec.TranspileSql.ID)
	}
	if f := notTrino(r.Body.Query); f != nil {
		return TranspileResult{}, f
	}
	if target != "trino" {
		text, err := s.toDialect(ctx, r, target)
		return TranspileResult{api.TranspileResult{Query: text}, text}, err
	}
	return TranspileResult{api.TranspileResult{Query: r.Body.Query}, r.Body.Query}, nil
}

// toDialect translates a statement. The result depends on the types of the columns it reads: those
// of the project given by the query parameter projectId, which is specific to zone local.
func (s *Service) toDialect(ctx context.Context, r *web.Request[api.TranspileRequest], dialect string) (string, error) {
	id := r.Query("projectId")
	if id == "" {
		id = r.Scope.ProjectID
	}
	if id == "" {
		return "", fault.Framework(400, "query parameter projectId: required, the project of the statement's tables")
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
		return "", fault.Data(400, "the engine of this gateway supports no dialect but trino")
	}
	return t.Transpile(ctx, engine.Query{SQL: r.Body.Query, Timeout: s.Web.TimeoutOf(nil), Catalogs: s.Names.Resolver(p)}, dialect)
}

// notTrino detects text that cannot be Trino SQL by its lexical form.
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
			i += end + 1 // a doubled quote starts the next string immediately
		case sql[i] == '`':
			return fault("backquoted identifiers are not Trino: use double quotes")
		case sql[i] == '#':
			return fault("# does not start a comment in Trino: use --")
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
