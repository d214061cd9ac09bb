package analyze

import (
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// tableFunctions are the table functions that every Trino has, with their parameters: expressions of type bigint with
// defaults, TABLE or DESCRIPTOR.
var tableFunctions = map[string][]tableParam{
	"sequence":        {{"START", "0"}, {"STOP", ""}, {"STEP", "1"}},
	"exclude_columns": {{"INPUT", "TABLE"}, {"COLUMNS", "DESCRIPTOR"}},
}

// tableParam is a parameter of a table function: TABLE, DESCRIPTOR, or the default of an expression, "" if it has none.
type tableParam struct{ name, kind string }

func (z *analyzer) tableFunc(f *trinosql.TableFunc, s *scope, info *Relation) []*Field {
	name := f.Builtin()
	if name == "" {
		z.noTableFunc(f, strings.Join(lowerNames(f.Name), "."))
	}
	args := z.tableArgs(f, tableFunctions[name])
	info.Args = args
	if name == "sequence" {
		for _, a := range args {
			if a != nil {
				t := z.expr(a.Expr, &scope{relation: noFields})
				if !types.CanCoerce(t, bigint) {
					fail("TYPE_MISMATCH", a.Expr, "Cannot cast type %s to bigint", t)
				}
				if !types.Equal(t, bigint) {
					z.rec.Coercions[a.Expr] = bigint
				}
			}
		}
		return []*Field{{Name: "sequential_number", Type: bigint}}
	}
	out := newRelation(z.relation(args[0].Table, s).fields).visible()
	if args[1].NoFields {
		failNowhere("INVALID_FUNCTION_ARGUMENT", "COLUMNS descriptor is null")
	}
	var missing []string
	for _, d := range args[1].Descriptor {
		if d.Type != nil {
			failNowhere("INVALID_FUNCTION_ARGUMENT", "COLUMNS descriptor contains types")
		}
		n := len(out)
		out = slices.DeleteFunc(slices.Clone(out), func(f *Field) bool {
			return strings.EqualFold(f.Name,
				d.Name.Name)
		})
		if n == len(out) {
			missing = append(missing, d.Name.Lower())
		}
	}
	switch {
	case missing != nil:
		failNowhere("INVALID_FUNCTION_ARGUMENT", "Excluded columns: [%s] not present in the table",
			strings.Join(missing, ", "))
	case len(out) == 0:
		failNowhere("INVALID_FUNCTION_ARGUMENT", "All columns are excluded")
	}
	for i, f := range out {
		out[i] = f.renamed(f.Name, "")
	}
	return out
}

// noTableFunc ends the analysis for a table function that is unknown. Those of connectors return columns that only a
// source knows.
func (z *analyzer) noTableFunc(f *trinosql.TableFunc, name string) {
	parts := make([]string, len(f.Name))
	for i, p := range f.Name {
		parts[i] = trinosql.String(p)
	}
	written := strings.Join(parts, ".")
	if len(f.Name) == 3 && f.Name[1].Lower() == "system" && z.opt.Catalog.HasCatalog(f.Name[0].Lower()) {
		panic(failure{&Error{Kind: "NOT_SUPPORTED", At: f.Pos(), Unsupported: true, Name: name,
			Msg: "table function " + written + ", whose columns only its source knows,"}})
	}
	hint := nearest.Of(name, slices.Sorted(maps.Keys(tableFunctions)))
	if hint != "" {
		hint = didYouMean(hint)
	}
	hinted("FUNCTION_NOT_FOUND", name, f, hint, "Table function '%s' not registered", written)
}

// tableArgs are the arguments of a table function in the order of its parameters, nil for those that have a default.
func (z *analyzer) tableArgs(f *trinosql.TableFunc, params []tableParam) []*trinosql.TableArg {
	var at trinosql.Node = f
	if len(f.Args) > 0 {
		at = f.Args[0]
	}
	if len(f.Args) > len(params) {
		fail("INVALID_ARGUMENTS", at, "Too many arguments. Expected at most %d arguments, got %d arguments",
			len(params),
			len(f.Args))
	}
	args := make([]*trinosql.TableArg, len(params))
	for i, a := range f.Args {
		if (a.Name == nil) != (f.Args[0].Name == nil) {
			fail("INVALID_ARGUMENTS", at, "All arguments must be passed by name or all must be passed positionally")
		}
		if a.Name != nil {
			name := windowKey(a.Name)
			if i = slices.IndexFunc(params, func(p tableParam) bool { return p.name == name }); i < 0 {
				fail("INVALID_FUNCTION_ARGUMENT", a, "Unexpected argument name: %s", name)
			}
			if args[i] != nil {
				fail("INVALID_FUNCTION_ARGUMENT", a, "Duplicate argument name: %s", name)
			}
		}
		args[i] = a
		given, wanted := "expression", strings.ToLower(params[i].kind)
		switch {
		case a.Table != nil:
			given = "table"
		case a.Descriptor != nil || a.NoFields:
			given = "descriptor"
		}
		if wanted != "table" && wanted != "descriptor" {
			wanted = "expression"
		}
		if given != wanted {
			fail("INVALID_FUNCTION_ARGUMENT", a, "Invalid argument %s. Expected %s, got %s", params[i].name, wanted,
				given)
		}
	}
	for i, p := range params {
		if args[i] == nil && (p.kind == "" || p.kind == "TABLE" || p.kind == "DESCRIPTOR") {
			fail("MISSING_ARGUMENT", at, "Missing argument: %s", p.name)
		}
	}
	return args
}

// jsonTable resolves JSON_TABLE.
func (z *analyzer) jsonTable(t *trinosql.JSONTable, s *scope) []*Field {
	z.scalarOnly(t.Root.Input.X, t.Root.Input.X, "JSON_TABLE input expression")
	for _, p := range t.Root.Passing {
		z.scalarOnly(p.Input.X, p.Input.X, "JSON_TABLE path parameter")
	}
	c := context{scope: s, noOuter: z.noOuter}
	z.jsonPath(t.Root, c)
	names := map[string]bool{}
	unique := func(id *trinosql.Ident) string {
		name := windowKey(id)
		if names[name] {
			fail("DUPLICATE_COLUMN_OR_PATH_NAME", id,
				"All column and path names in JSON_TABLE invocation must be unique")
		}
		names[name] = true
		return name
	}
	if t.PathName != nil {
		unique(t.PathName)
	}
	var fields []*Field
	var add func(list []*trinosql.JSONColumn)
	add = func(list []*trinosql.JSONColumn) {
		for _, col := range list {
			if col.Columns != nil {
				if col.PathName != nil {
					unique(col.PathName)
				} else if t.Plan != nil {
					fail("MISSING_PATH_NAME", col.Path, "All JSON paths must be named when specific plan is given")
				}
				add(col.Columns)
				continue
			}
			f := &Field{Name: unique(col.Name), Type: bigint}
			switch {
			case col.Ordinality:
			case col.Value.Name == "JSON_VALUE":
				f.Type = z.jsonValue(col.Value, c)
			default:
				f.Type = z.jsonQuery(col.Value)
			}
			fields = append(fields, f)
		}
	}
	add(t.Columns)
	return fields
}
