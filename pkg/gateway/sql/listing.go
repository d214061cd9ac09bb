package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
)

// show implements the statements that list names.
func (s *session) show(ctx context.Context, n *trinosql.Show) (*engine.Statement, error) {
	var name []string
	for _, p := range n.Name {
		name = append(name, p.Lower())
	}
	if err := s.checkShow(n, name); err != nil {
		return nil, err
	}
	var x *engine.Statement
	var err error
	switch n.What {
	case "CATALOGS":
		x, err = s.showNames(ctx, n, "Catalog", nil)
	case "SCHEMAS":
		x, err = s.showNames(ctx, n, "Schema", name)
	case "TABLES":
		x, err = s.showNames(ctx, n, "Table", name)
	case "COLUMNS":
		x, err = s.showColumns(ctx, n, s.complete(name))
	case "FUNCTIONS":
		return s.showFunctions(ctx, n)
	case "CREATE VIEW", "CREATE TABLE":
		return s.showCreate(ctx, n)
	case "CREATE SCHEMA":
		return s.showCreateSchema(ctx, n, name)
	default:
		return nil, engine.Placed(n.Pos(), &engine.Error{Kind: engine.KindUnsupported, Message: "SHOW " + n.What +
			" is not supported on zone local"})
	}
	if err != nil {
		return nil, s.showError(ctx, err, n, name)
	}
	return x, nil
}

// checkShow rejects names of too many parts and patterns that are not valid.
func (s *session) checkShow(n *trinosql.Show, name []string) error {
	switch n.What {
	case "TABLES", "CREATE SCHEMA":
		if len(name) > 2 {
			return engine.Placed(n.Pos(), &engine.Error{Kind: engine.KindSyntax,
				Message: "Too many parts in schema name: " + strings.Join(name, ".")})
		}
	case "COLUMNS", "CREATE VIEW", "CREATE TABLE":
		if len(name) > 3 {
			return &engine.Error{Kind: engine.KindSyntax, Message: "Too many dots in table name: " +
				strings.Join(name, ".")}
		}
	}
	if n.Escape == nil {
		return nil
	}
	bad := func(msg string) error { return engine.ValueError("INVALID_FUNCTION_ARGUMENT", msg) }
	escape := []rune(n.Escape.Value)
	if len(escape) != 1 {
		return bad("Escape string must be a single character")
	}
	pattern := []rune(n.Like.Value)
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != escape[0] {
			continue
		}
		if i++; i == len(pattern) || pattern[i] != '%' && pattern[i] != '_' && pattern[i] != escape[0] {
			return bad("Escape character must be followed by '%', '_' or the escape character itself")
		}
	}
	return nil
}

// showError is the error of a SHOW, positioned at its beginning as in Trino, with a hint.
func (s *session) showError(ctx context.Context, err error, n *trinosql.Show, parts []string) error {
	if len(parts) == 0 { // SHOW CATALOGS, and SHOW SCHEMAS and TABLES of the current catalog and schema: without a name
		return engine.PlaceError(err, n.Pos())
	}
	name := s.complete(parts)
	switch {
	case n.What == "SCHEMAS" && len(parts) == 1:
		name = engine.TableName{Catalog: parts[0]}
	case (n.What == "TABLES" || n.What == "CREATE SCHEMA") && len(parts) > 0:
		name.Table, name.Schema = "", parts[len(parts)-1]
		if len(parts) == 2 {
			name.Catalog = parts[0]
		}
	}
	var e *engine.Error
	if err = s.withHint(ctx, err, name); !errors.As(err, &e) || !IsUnknown(err) {
		return engine.PlaceError(err, n.Pos())
	}
	told := *e
	switch absent := strings.HasSuffix(e.Message, "does not exist"); { // Trino does not check which part is missing
	case !absent:
	case n.What == "CREATE VIEW":
		told.Kind, told.Message = engine.KindUnknownTable, "View '"+name.String()+"' does not exist"
	case n.What == "CREATE TABLE":
		told.Kind, told.Message = engine.KindUnknownTable, engine.MissingTable(name)
	case n.What == "CREATE SCHEMA":
		told.Kind, told.Message = engine.KindUnknownSchema, "Schema '"+name.Catalog+"."+name.Schema+"' does not exist"
	}
	told.Err, told.Line, told.Col = err, 0, 0
	if n.What == "SCHEMAS" { // Trino reports no position
		return &told
	}
	return engine.Placed(n.Pos(), &told)
}

// showCreateSchema is the statement that would create a schema.
func (s *session) showCreateSchema(ctx context.Context, n *trinosql.Show, parts []string) (*engine.Statement, error) {
	scope := engine.TableName{Catalog: engine.InternalCatalog, Schema: parts[len(parts)-1]}
	if len(parts) == 2 {
		scope.Catalog = parts[0]
	}
	if _, err := s.names(ctx, "Table", []string{scope.Catalog, scope.Schema}); err != nil {
		return nil, s.showError(ctx, err, n, parts)
	}
	text := "CREATE SCHEMA " + trinosql.QuoteName(scope.Catalog) + "." + trinosql.QuoteName(scope.Schema)
	return s.answer(ctx, "Create Schema", text)
}

var functionKinds = map[functions.Kind]string{functions.Scalar: "scalar", functions.Aggregate: "aggregate",
	functions.Window: "window"}

// showFunctions lists the functions that can be called here, one row for each signature.
func (s *session) showFunctions(ctx context.Context, n *trinosql.Show) (*engine.Statement, error) {
	if len(n.Name) > 0 {
		return nil, engine.Placed(n.Pos(), &engine.Error{Kind: engine.KindUnsupported,
			Message: "SHOW FUNCTIONS FROM a schema is not supported on zone local"})
	}
	var rows [][]any
	for _, f := range functions.All() {
		kind := functionKinds[f.Kind]
		if kind == "" || f.Hidden || !s.engine.Calls(f) {
			continue
		}
		args := make([]string, len(f.Args))
		for i, a := range f.Args {
			args[i] = a.String()
		}
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			rows = append(rows, []any{name, f.Result.String(), strings.Join(args, ", "), kind, !f.Nondeterministic,
				f.Description()})
		}
	}
	slices.SortFunc(rows, func(a, b []any) int {
		return slices.CompareFunc(a[:3], b[:3], func(x, y any) int { return strings.Compare(x.(string), y.(string)) })
	})
	cols := texts("Function", "Return Type", "Argument Types", "Function Type", "Deterministic", "Description")
	cols[4].Type = "boolean"
	return s.answers(ctx, n, cols, rows)
}

// dotted is a qualified name with the quotes that it needs.
func dotted(n engine.TableName) string {
	return trinosql.QuoteName(n.Catalog) + "." + trinosql.QuoteName(n.Schema) + "." + trinosql.QuoteName(n.Table)
}

// viewText is the text of a saved query, "" if the name is that of a table.
func (s *session) viewText(ctx context.Context, name engine.TableName) (string, error) {
	inside := name.Catalog == engine.InternalCatalog && (name.Schema == engine.SchemaTable ||
		name.Schema == engine.SchemaBI)
	if inside || infoschema.Has(name) || name.Catalog == engine.SampleCatalog {
		return "", nil
	}
	src, err := s.Query.Catalogs.Lookup(ctx, name)
	return strings.TrimRight(strings.TrimSpace(src.SQL), "; \n\t"), err
}

// digits finds the digits of a decimal, which Trino writes with a space in a definition.
var digits = late.Regexp(`\((\d+),(\d+)\)`)

// showCreate is the statement that would create a saved query as a view, or a table.
func (s *session) showCreate(ctx context.Context, n *trinosql.Show) (*engine.Statement, error) {
	var parts []string
	for _, p := range n.Name {
		parts = append(parts, p.Lower())
	}
	name := s.complete(parts)
	view, err := s.viewText(ctx, name)
	var cols []engine.ColumnInfo
	if err == nil && view == "" {
		cols, err = s.columns(ctx, name, s.chain)
	}
	if err != nil {
		return nil, s.showError(ctx, err, n, parts)
	}
	other := ""
	switch {
	case n.What == "CREATE VIEW" && view == "":
		other = "a table, not a view"
	case n.What == "CREATE TABLE" && view != "":
		other = "a view, not a table"
	}
	if other != "" {
		return nil, engine.Placed(n.Pos(), &engine.Error{Kind: engine.KindUnsupported,
			Message: fmt.Sprintf("Relation '%s' is %s", name, other)})
	}
	if n.What == "CREATE VIEW" {
		text := "CREATE VIEW " + dotted(name) + " AS\n" + view
		return s.answer(ctx, "Create View", text)
	}
	lines := make([]string, len(cols))
	for i, c := range cols {
		lines[i] = "   " + trinosql.QuoteName(c.Name) + " " + digits().ReplaceAllString(c.Type, "($1, $2)")
		if !c.Nullable {
			lines[i] += " NOT NULL"
		}
		if c.Comment != "" {
			lines[i] += " COMMENT " + sqltext.Literal(c.Comment)
		}
	}
	text := "CREATE TABLE " + dotted(name) + " (\n" + strings.Join(lines, ",\n") + "\n)"
	return s.answer(ctx, "Create Table", text)
}

// names lists catalogs, the schemas of a catalog or the tables of a schema.
func (s *session) names(ctx context.Context, what string, from []string) ([]string, error) {
	scope := engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaTable}
	switch {
	case what == "Schema" && len(from) == 1:
		scope.Catalog = from[0]
	case what == "Table" && len(from) == 1:
		scope.Schema = from[0]
	case what == "Table" && len(from) == 2:
		scope.Catalog, scope.Schema = from[0], from[1]
	case len(from) > 0:
		return nil, &engine.Error{Kind: engine.KindSyntax, Message: "mismatched input: too many names"}
	}
	var named []string
	if what != "Catalog" {
		named = []string{scope.Catalog}
	}
	known, err := s.allTables(ctx, named)
	if err != nil {
		return nil, err
	}
	return infoschema.Show(what, scope, known)
}

func (s *session) showNames(ctx context.Context, n *trinosql.Show, what string,
	from []string) (*engine.Statement, error) {
	names, err := s.names(ctx, what, from)
	if err != nil {
		return nil, err
	}
	var rows [][]any
	for _, name := range names {
		rows = append(rows, []any{name})
	}
	return s.answers(ctx, n, texts(what), rows)
}

func (s *session) showColumns(ctx context.Context, n *trinosql.Show, name engine.TableName) (*engine.Statement, error) {
	cols, err := s.columns(ctx, name, s.chain)
	if err != nil {
		return nil, err
	}
	var rows [][]any
	for _, c := range cols {
		rows = append(rows, []any{c.Name, c.Type, "", c.Comment})
	}
	return s.answers(ctx, n, texts("Column", "Type", "Extra", "Comment"), rows)
}
