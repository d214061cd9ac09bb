package statements

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sort"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/catalogs"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/queries"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// Service runs statements and translates them into other dialects.
type Service struct {
	Engine   engine.Engine
	Web      *web.Mux
	Names    *names.Service
	Queries  *queries.Service
	Catalogs *catalogs.Service
}

// Routes registers the handlers.
func (s *Service) Routes(m *web.Mux) {
	web.Handle(m, spec.ExecuteQuery, s.executeQuery)
	web.Handle(m, spec.TranspileSql, s.transpile)
}

// executeQuery streams the result of one of the four forms [S]. The status is sent when the first rows are known, so
// that a statement that fails immediately is an error and not a truncated document.
func (s *Service) executeQuery(ctx context.Context, r *web.Request[json.RawMessage]) (web.Stream, error) {
	format := api.Format(r.Query("format"))
	switch format {
	case "":
		format = api.CellTyped
	case api.CellTyped, api.Simple, api.Compact:
	default:
		return nil, fault.Framework(400, "query parameter format: %q is not one of CELL_TYPED, SIMPLE, COMPACT", format)
	}
	q, err := s.statement(ctx, r.Project, r.Body)
	if err != nil {
		return nil, err
	}
	if _, ok := web.FilesOf(ctx); ok && q.Ask == nil && isStatement(r.Body) {
		q.Files = engine.FileCatalog + strings.ToLower(rand.Text()) // a saved query cannot name it
	}
	q.Props = names.Props(r.Scope, r.Project)
	res, err := s.Names.QueryReading(ctx, r.Project, q, r.Query("reading"))
	if err != nil {
		return nil, s.placed(ctx, r.Project, r.Body, err)
	}
	return func(w http.ResponseWriter) error {
		defer res.Close()
		n, err := res.Encode(ctx, web.Breaking{Writer: w, B: web.Breaker(w)}, format, func() {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusOK)
		})
		web.CountRows(ctx, n)
		if err != nil {
			err = s.placed(ctx, r.Project, r.Body, err)
		}
		return err
	}, nil
}

// isStatement reports whether a request has the form with a statement.
func isStatement(raw json.RawMessage) bool {
	var form struct {
		Statement *string `json:"statement"`
	}
	return json.Unmarshal(raw, &form) == nil && form.Statement != nil
}

// placed changes the position of an error for a caller who named a saved query and sent no statement: it is in that
// query, never in the statement that the gateway generated from the name.
func (s *Service) placed(ctx context.Context, p store.Project, raw json.RawMessage, err error) error {
	var form struct {
		ID            string `json:"id"`
		QualifiedName string `json:"qualifiedName"`
	}
	var e *engine.Error
	if !errors.As(err, &e) || json.Unmarshal(raw, &form) != nil || form.ID == "" && form.QualifiedName == "" {
		return err
	}
	if form.ID != "" {
		q, qerr := s.Queries.SavedQuery(ctx, p, form.ID)
		if qerr != nil {
			return err
		}
		return queries.Placed(engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaQuery,
			Table: q.Name}, q.Materialized == nil, err)
	}
	n, nerr := splitName(form.QualifiedName)
	if nerr != nil {
		return err
	}
	return queries.Placed(n, false, err)
}

// statement converts a request body to SQL. The body is exactly one of four forms, distinguished by their required
// property.
func (s *Service) statement(ctx context.Context, p store.Project, raw json.RawMessage) (sql.Query, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return sql.Query{}, fault.Framework(400, "the request body must be a JSON object")
	}
	var forms []string
	for _, k := range []string{"from", "id", "qualifiedName", "statement"} {
		if _, ok := keys[k]; ok {
			forms = append(forms, k)
		}
	}
	if len(forms) != 1 {
		return sql.Query{}, fault.Framework(400,
			"the request body must contain exactly one of from, id, qualifiedName, statement; it contains %s",
			listOr(forms, "none"))
	}
	if t := keys["timeout"]; len(t) > 0 && t[0] == '-' {
		return sql.Query{}, fault.Framework(400, "property \"timeout\" must not be negative; it is %s", t)
	}
	switch forms[0] {
	case "from":
		var b api.ExecuteByBuilder
		if err := web.DecodeBody(raw, &b); err != nil {
			return sql.Query{}, err
		}
		q, err := builtQuery(b, func(id string) (string, error) {
			c, err := s.Names.Catalog(ctx, p, id)
			return c.Name, err
		})
		if err != nil {
			return sql.Query{}, err
		}
		return sql.Query{SQL: q.SQL(), Timeout: s.Web.TimeoutOf(b.Timeout), Untyped: true}, nil
	case "id":
		if id := bytes.TrimSpace(keys["id"]); len(id) == 0 || id[0] != '"' {
			return sql.Query{}, fault.Framework(400,
				"property \"id\" must be a string: query ids have more digits than a JSON number preserves")
		}
		var b api.ExecuteByID
		if err := web.DecodeBody(raw, &b); err != nil {
			return sql.Query{}, err
		}
		q, err := s.Queries.SavedStatement(ctx, p, b.ID)
		q.Timeout = s.Web.TimeoutOf(b.Timeout)
		return q, err
	case "qualifiedName":
		var b api.ExecuteByName
		if err := web.DecodeBody(raw, &b); err != nil {
			return sql.Query{}, err
		}
		n, err := splitName(b.QualifiedName)
		return sql.Query{Ask: sql.Rows{Table: n}, Timeout: s.Web.TimeoutOf(b.Timeout)}, err
	}
	var b api.ExecuteByStatement
	if err := web.DecodeBody(raw, &b); err != nil {
		return sql.Query{}, err
	}
	if len(b.Bindings) > 0 && len(b.BindArgs) > 0 {
		return sql.Query{}, fault.Framework(400, "bindings and bindArgs are two names of one property; send one")
	}
	return sql.Query{SQL: b.Statement, Bindings: append(b.Bindings, b.BindArgs...),
		Timeout: s.Web.TimeoutOf(b.Timeout)}, nil
}

// splitName parses a dotted name with optionally quoted parts: catalog.schema.table.
func splitName(s string) (engine.TableName, error) {
	parts, err := sqltext.Parts(strings.TrimSpace(s))
	if err != nil || len(parts) != 3 || slices.Contains(parts, "") {
		return engine.TableName{}, fault.Data(400, "qualifiedName %q is not of the form catalog.schema.table", s)
	}
	return engine.TableName{Catalog: parts[0], Schema: parts[1], Table: parts[2]}, nil
}

func listOr(words []string, none string) string {
	if len(words) == 0 {
		return none
	}
	sort.Strings(words)
	return strings.Join(words, " and ")
}
