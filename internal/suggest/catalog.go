// Package suggest completes SQL while it is typed: it determines the names and words that may follow at the cursor,
// from a text that need not parse and the known tables of a project. It never waits for anything.
package suggest

import (
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
)

// Column is a column of a table; the type is "" if unknown.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
}

// Table is a table, a view or a saved query.
type Table struct {
	Catalog string   `json:"catalog"`
	Schema  string   `json:"schema"`
	Name    string   `json:"name"`
	Columns []Column `json:"columns,omitempty"`
}

// Known are the known names of a project. It does not change after New.
type Known struct {
	Tables   []Table
	catalogs []string
	schemas  map[string][]string // of a catalog, in lower case
	byName   map[string][]int    // tables by their name in lower case
	bare     map[schemaName]bool // schemas whose tables are found by their name alone
}

// schemaName is a catalog and a schema in lower case.
type schemaName struct{ catalog, schema string }

func (t Table) in() schemaName {
	return schemaName{strings.ToLower(t.Catalog), strings.ToLower(t.Schema)}
}

// New indexes tables. Tables of the schemas in bare, each written catalog.schema, may be named without them.
func New(tables []Table, bare ...string) *Known {
	k := &Known{Tables: tables, schemas: map[string][]string{}, byName: map[string][]int{}, bare: map[schemaName]bool{}}
	for _, b := range bare {
		catalog, schema, _ := strings.Cut(strings.ToLower(b), ".")
		k.bare[schemaName{catalog, schema}] = true
	}
	seen := map[schemaName]bool{}
	for i, t := range tables {
		name := strings.ToLower(t.Name)
		k.byName[name] = append(k.byName[name], i)
		in := t.in()
		if k.schemas[in.catalog] == nil {
			k.catalogs = append(k.catalogs, t.Catalog)
		}
		if !seen[in] {
			seen[in] = true
			k.schemas[in.catalog] = append(k.schemas[in.catalog], t.Schema)
		}
	}
	slices.Sort(k.catalogs)
	for _, s := range k.schemas {
		slices.Sort(s)
	}
	return k
}

// Catalogs lists the catalogs that have tables, and Schemas the schemas of one of them.
func (k *Known) Catalogs() []string              { return k.catalogs }
func (k *Known) Schemas(catalog string) []string { return k.schemas[strings.ToLower(catalog)] }

// Find returns the tables that a name of one to three parts may mean: of those whose last parts agree, the ones in a
// schema that need not be named come first.
func (k *Known) Find(parts ...string) []Table {
	if len(parts) == 0 || len(parts) > 3 {
		return nil
	}
	var out, others []Table
	for _, i := range k.byName[strings.ToLower(parts[len(parts)-1])] {
		t := k.Tables[i]
		have := []string{t.Catalog, t.Schema, t.Name}[3-len(parts):]
		if !slices.EqualFunc(have, parts, strings.EqualFold) {
			continue
		}
		if k.bare[t.in()] {
			out = append(out, t)
		} else {
			others = append(others, t)
		}
	}
	return append(out, others...)
}

// Path returns the shortest name by which a statement can read a table.
func (k *Known) Path(t Table) string {
	if k.bare[t.in()] {
		return Name(t.Name)
	}
	return Name(t.Catalog) + "." + Name(t.Schema) + "." + Name(t.Name)
}

// Name writes a name for a statement: in double quotes if it needs them.
func Name(name string) string {
	plain := name != "" && !trinosql.Reserved(name)
	for i := 0; i < len(name) && plain; i++ {
		c := name[i]
		plain = c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || i > 0 && c >= '0' && c <= '9'
	}
	if plain {
		return name
	}
	return sqltext.Quote(name)
}

// Functions lists the functions of Trino, sorted: with a signature of each, or with all.
func Functions(all bool) []Candidate {
	var out []Candidate
	seen := map[string]bool{}
	for _, f := range functions.All() {
		if f.Kind == functions.Operator || f.Hidden || f.Deprecated || seen[f.Name] && !all {
			continue
		}
		seen[f.Name] = true
		out = append(out, Candidate{Text: f.Name, Kind: KindFunction, Detail: signature(f)})
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return strings.Compare(a.Text, b.Text) })
	return out
}

// signature writes the arguments and the result of a function.
func signature(f *functions.Function) string {
	args := make([]string, len(f.Args))
	for i, a := range f.Args {
		args[i] = a.String()
	}
	list := strings.Join(args, ", ")
	if f.Variadic {
		list += ", ..."
	}
	return "(" + list + ") → " + f.Result.String()
}
