package repl

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/internal/suggest"
)

// describe lists the tables, or the columns of one. It reads the names from the gateway instead of those stored for
// completion.
func (s *shell) describe(ctx context.Context, args []string) error {
	switch len(args) {
	case 0:
		return s.listTables(ctx, nil)
	case 1:
	default:
		return exitcode.Usagef(`\d describes one table, not %d`,
			len(args)).WithHint(`a name with blanks is written in double quotes: "my table"`)
	}
	if args[0] == lastName {
		return s.describeLast(ctx)
	}
	if file, err := unquoted(args, false); err == nil && s.e.Local() && rowfile.Ending(file[0]) != "" {
		if _, err := os.Stat(s.e.Abs(file[0])); err == nil {
			return s.describeFile(ctx, sqltext.Literal(file[0]))
		}
	}
	parts, err := resolve.NameParts(args[0])
	if err != nil {
		return err
	}
	known, err := s.names(ctx)
	if err != nil {
		return err
	}
	found := known.Find(s.inUse(known, parts)...)
	if len(found) == 0 {
		return s.unknownTable(known, args[0], parts[len(parts)-1])
	}
	if len(found) > 1 && known.Path(found[0]) != suggest.Name(found[0].Name) {
		paths := make([]string, len(found))
		for i, t := range found {
			paths[i] = known.Path(t)
		}
		return exitcode.Usagef("%s is ambiguous: %s", args[0],
			strings.Join(paths, ", ")).WithHint("give the catalog and the schema")
	}
	t := found[0]
	if t.Columns == nil {
		t.Columns, err = s.columnsOf(ctx, t)
		if err != nil {
			return err
		}
	}
	rows := make([][]any, len(t.Columns))
	for i, c := range t.Columns {
		rows[i] = []any{c.Name, c.Type}
	}
	fmt.Fprintln(s.e.Err, suggest.Name(t.Catalog)+"."+suggest.Name(t.Schema)+"."+suggest.Name(t.Name))
	return s.show(ctx, []string{"column", "type"}, rows)
}

// describeLast lists the columns of the last result as a statement over it reads them.
func (s *shell) describeLast(ctx context.Context) error {
	if s.last == nil {
		return noLast()
	}
	cols, err := s.scanLast().Columns(ctx)
	if err != nil {
		return err
	}
	rows := make([][]any, len(cols))
	for i, c := range cols {
		rows[i] = []any{c.Name, c.Type}
	}
	return s.show(ctx, []string{"column", "type"}, rows)
}

// describeFile lists the columns of a file as a statement reads them.
func (s *shell) describeFile(ctx context.Context, literal string) error {
	res, err := s.openFile(ctx, literal)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, c := range columnsOf(res) {
		rows = append(rows, []any{c.Name, c.Type})
	}
	return s.show(ctx, []string{"column", "type"}, rows)
}

// inUse qualifies a name with the schema in use, if that schema has such a table.
func (s *shell) inUse(known *suggest.Known, parts []string) []string {
	for _, full := range [][]string{append([]string{s.here.Catalog, s.here.Schema}, parts...),
		append([]string{s.here.Catalog}, parts...)} {
		if s.here.Schema != "" && len(full) == 3 && known.Find(full...) != nil {
			return full
		}
	}
	return parts
}

func (s *shell) unknownTable(known *suggest.Known, name, last string) error {
	f := &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
		Msg: fmt.Sprintf("there is no table or saved query %s", name), Hint: `\dt lists them`}
	names := make([]string, len(known.Tables))
	for i, t := range known.Tables {
		names[i] = t.Name
	}
	if near := nearest.Of(last, names); near != "" {
		f.Hint = "did you mean " + known.Path(known.Find(near)[0]) + "?"
	}
	return f
}

// pattern returns a function for names that match any argument, in which * matches any letters.
func pattern(args []string) (func(names ...string) bool, error) {
	if len(args) > 1 {
		return nil, exitcode.Usagef("one pattern, not %d", len(args))
	}
	if len(args) == 0 {
		return func(...string) bool { return true }, nil
	}
	want := strings.ToLower(args[0])
	if _, err := path.Match(want, ""); err != nil {
		return nil, exitcode.Usagef("%s is not a pattern: a [ without its ]", args[0])
	}
	return func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool {
			ok, _ := path.Match(want, strings.ToLower(n)) // checked above
			return ok
		})
	}, nil
}

// matching returns the names of the project, and which of them match the argument of a command.
func (s *shell) matching(ctx context.Context,
	args []string) (match func(names ...string) bool, known *suggest.Known, err error) {
	if match, err = pattern(args); err == nil {
		known, err = s.names(ctx)
	}
	return match, known, err
}

func (s *shell) listTables(ctx context.Context, args []string) error {
	match, known, err := s.matching(ctx, args)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, t := range known.Tables {
		if t.Schema == "information_schema" && len(args) == 0 || !match(t.Name, t.Schema+"."+t.Name, t.Catalog+"."+
			t.Schema+"."+t.Name) {
			continue
		}
		rows = append(rows, []any{t.Catalog, t.Schema, t.Name, len(t.Columns)})
	}
	return s.show(ctx, []string{"catalog", "schema", "table", "columns"}, rows)
}

func (s *shell) listSchemas(ctx context.Context, args []string) error {
	match, known, err := s.matching(ctx, args)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, c := range known.Catalogs() {
		for _, schema := range known.Schemas(c) {
			tables := 0
			for _, t := range known.Tables {
				if t.Catalog == c && t.Schema == schema {
					tables++
				}
			}
			if schema != "information_schema" && match(c, schema, c+"."+schema) {
				rows = append(rows, []any{c, schema, tables})
			}
		}
	}
	return s.show(ctx, []string{"catalog", "schema", "tables"}, rows)
}

func (s *shell) listFunctions(ctx context.Context, args []string) error {
	match, err := pattern(args)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, f := range suggest.Functions(true) {
		if match(f.Text) {
			args, result, _ := strings.Cut(f.Detail, " → ")
			rows = append(rows, []any{f.Text, args, result})
		}
	}
	return s.show(ctx, []string{"function", "arguments", "result"}, rows)
}

// use selects the schema for names that are not qualified.
func (s *shell) use(ctx context.Context, args []string) error {
	if len(args) == 0 {
		s.here = suggest.Namespace{}
		return nil
	}
	if len(args) > 1 {
		return exitcode.Usagef(`\use takes one schema, CATALOG.SCHEMA`)
	}
	parts, err := resolve.NameParts(args[0])
	if err != nil {
		return err
	}
	known, err := s.names(ctx)
	if err != nil {
		return err
	}
	ns := suggest.Namespace{Catalog: parts[0]}
	switch len(parts) {
	case 1: // a schema of the catalog in use, or the only schema of a catalog, or a schema of one catalog only
		if ns = onlyNamespace(known, s.here.Catalog, parts[0]); ns.Schema == "" {
			return exitcode.Usagef("%s is not the name of one schema",
				args[0]).WithHint(`give CATALOG.SCHEMA; \dn lists them`)
		}
	case 2:
		ns.Schema = parts[1]
	default:
		return exitcode.Usagef(`\use takes a schema, CATALOG.SCHEMA`)
	}
	for _, c := range known.Catalogs() {
		if schema := schemaOf(known, c, ns.Schema); schema != "" && strings.EqualFold(c, ns.Catalog) {
			s.here = suggest.Namespace{Catalog: c, Schema: schema}
			return nil
		}
	}
	f := &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found", Msg: fmt.Sprintf("there is no schema %s with "+
		"tables", args[0]), Hint: `\dn lists them`}
	if near := nearest.Of(ns.Schema, known.Schemas(ns.Catalog)); near != "" {
		f.Hint = "did you mean " + suggest.Name(ns.Catalog) + "." + suggest.Name(near) + "?"
	}
	return f
}

// schemaOf is the schema of a catalog that a name means: the one that is spelled so, or one that differs in case.
func schemaOf(known *suggest.Known, catalog, name string) string {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, schema := range known.Schemas(catalog) {
			if same(schema, name) {
				return schema
			}
		}
	}
	return ""
}

// onlyNamespace finds the schema that an unqualified name refers to, if there is only one.
func onlyNamespace(known *suggest.Known, catalog, name string) suggest.Namespace {
	var found []suggest.Namespace
	for _, c := range known.Catalogs() {
		if schema := schemaOf(known, c, name); schema != "" {
			if strings.EqualFold(c, catalog) {
				return suggest.Namespace{Catalog: c, Schema: schema}
			}
			found = append(found, suggest.Namespace{Catalog: c, Schema: schema})
		}
	}
	if len(found) != 1 {
		return suggest.Namespace{}
	}
	return found[0]
}
