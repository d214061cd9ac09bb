package statements

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/transpile"
)

// TranspileResult carries the statement under both names: the service answers query, its documents say result [L][O].
type TranspileResult struct {
	api.TranspileResult
	Result string `json:"result"`
}

// dialects are the targets, by the names that are accepted for them.
var dialects = map[string]string{"trino": "trino", "postgresql": "postgresql", "postgres": "postgresql",
	"mysql": "mysql", "bigquery": "bigquery"}

// transpile translates a statement to another dialect. The dialect of this gateway is Trino's: a Trino statement is
// returned unchanged, and any other text is rejected.
func (s *Service) transpile(ctx context.Context, r *web.Request[api.TranspileRequest]) (TranspileResult, error) {
	if strings.TrimSpace(r.Body.Query) == "" {
		return TranspileResult{}, fault.Missing("query")
	}
	dialect := r.Param("dialect")
	target := dialects[strings.ToLower(dialect)]
	if target == "" {
		return TranspileResult{}, fault.Data(400,
			"cannot transpile to dialect %q: %s on this gateway supports trino, postgresql, mysql and bigquery",
			dialect, spec.TranspileSql.ID)
	}
	statement := transpile.Dotted(r.Body.Query)
	if err := notTrino(statement); err != nil {
		return TranspileResult{}, err
	}
	if target != "trino" {
		text, err := "", error(nil)
		if r.Query("projectId") == "" {
			text, err = asWritten(statement, transpile.Target(target))
		}
		if text == "" && (err == nil || r.Scope.ProjectID != "") {
			text, err = s.toDialect(ctx, r, statement, target)
			if sql.IsUnknown(err) { // as without a project: a statement whose tables are elsewhere
				if other, refused := asWritten(statement, transpile.Target(target)); refused == nil {
					text, err = other, nil
				}
			}
		}
		return TranspileResult{api.TranspileResult{Query: text}, text}, err
	}
	return TranspileResult{api.TranspileResult{Query: r.Body.Query}, r.Body.Query}, nil
}

// asWritten translates a statement without a project, as the service does: its tables need not exist. What the
// translation would need their types for is an error.
func asWritten(sql string, target transpile.Target) (string, error) {
	tree, err := trinosql.Parse(sql)
	if err != nil {
		return "", fault.Data(400, "%v", err)
	}
	query, ok := tree.(*trinosql.Query)
	if !ok {
		return "",
			fault.Data(400,
				"line %d:%d: a statement that is answered by the gateway cannot be written in another dialect",
				tree.Pos().Line, tree.Pos().Col)
	}
	text, err := transpile.AsWritten(query, target)
	if err != nil {
		f := fault.Data(400, "%v", err)
		f.Hint = "the query parameter projectId names the project whose tables have the types"
		return "", f
	}
	return text, nil
}

// toDialect translates a statement. The result depends on the types of the columns it reads: those
// of the project given by the query parameter projectId, which is specific to zone local.
func (s *Service) toDialect(ctx context.Context, r *web.Request[api.TranspileRequest], statement,
	dialect string) (string, error) {
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
	return sql.Transpile(ctx, data, sql.Query{SQL: statement, Timeout: s.Web.TimeoutOf(nil),
		Catalogs: s.Names.Resolver(p)}, dialect)
}

// notTrino rejects text that is not one statement in the language of Trino.
func notTrino(sql string) error {
	parts := trinosql.Split(sql)
	if len(parts) > 1 {
		return fault.Data(400, "line %d:%d: more than one statement", parts[1].At.Line, parts[1].At.Col)
	}
	if len(parts) == 1 {
		sql = sql[:parts[0].End]
	}
	if e := trinosql.Fault(sql); e != nil {
		return fault.Data(400, "%v", e)
	}
	return nil
}
