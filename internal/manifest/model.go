// Package manifest describes the objects of a project as files: their model, how they are read and written, and the
// changes that turn one project into another. It sends nothing.
package manifest

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

// Kind is a kind of object.
type Kind string

// The kinds.
const (
	KindFolder          Kind = "folder"
	KindConnection      Kind = "connection"
	KindCatalog         Kind = "catalog"
	KindSemanticCatalog Kind = "semantic-catalog"
	KindTable           Kind = "table"
	KindColumn          Kind = "column"
	KindBITable         Kind = "bitable"
	KindBIColumn        Kind = "bitable-column"
	KindParametricTable Kind = "parametric-table"
	KindCache           Kind = "cache"
	KindQuery           Kind = "query"
	KindSemanticTable   Kind = "semantic-table"
	KindMetadata        Kind = "metadata"
	KindRelation        Kind = "relation"
	KindGoldenSQL       Kind = "golden-sql"
)

// Kinds returns all kinds, each after those that its objects refer to.
func Kinds() []Kind {
	return []Kind{KindFolder, KindConnection, KindCatalog, KindSemanticCatalog, KindTable, KindColumn, KindBITable,
		KindBIColumn, KindParametricTable, KindCache, KindQuery,
		KindSemanticTable, KindMetadata, KindRelation, KindGoldenSQL}
}

// Ref identifies an object: by its name, which is unique within the kind.
type Ref struct {
	Kind Kind
	Name string
}

// Object is an object of a project.
type Object interface {
	base() *Base
	fields() []Field
}

// Base has the properties of all objects.
type Base struct {
	Ref
	RenamedFrom string   // the name that it had before
	At          Position // where it is described; zero for one that was read from a gateway
	ID          string   // at the gateway
	On          string   // the id of the catalog or table that it belongs to
}

func (b *Base) base() *Base { return b }

// BaseOf returns the Base of an object.
func BaseOf(o Object) *Base { return o.base() }

// FieldsOf returns the properties of an object.
func FieldsOf(o Object) []Field { return o.fields() }

// Position is a line of a file.
type Position struct {
	File string
	Line int
}

// Field is a property of an object as text.
type Field struct {
	Name, Value string
	Loose       bool // if it is absent from the files, only pruning removes it
	Unknown     bool // the value cannot be read: it equals every other one
}

// Folder is a folder of saved queries; its name is the path, starting with a slash.
type Folder struct{ Base }

func (*Folder) fields() []Field { return nil }

// Connection is a connection. The credential of one that was read from a gateway has only the members that are not
// secret.
type Connection struct {
	Base
	Type       string
	Credential map[string]Value
}

// Catalog is a catalog over a connection. Its name is that in SQL.
type Catalog struct {
	Base
	DisplayName string
	Connection  string
	Parameters  map[string]Value // used at creation only; of them, zone local returns cacheAnything
}

func (c *Catalog) fields() []Field {
	return []Field{{Name: "connection", Value: c.Connection}, {Name: "display-name", Value: c.DisplayName}}
}

// SemanticCatalog is a semantic catalog.
type SemanticCatalog struct {
	Base
	DisplayName string
}

func (c *SemanticCatalog) fields() []Field {
	return []Field{{Name: "display-name", Value: c.DisplayName}}
}

// column is the kind of the columns of a kind of tables.
func (k Kind) column() Kind {
	if k == KindBITable {
		return KindBIColumn
	}
	return KindColumn
}

// table is the kind of the table of a column.
func (c *Column) table() Kind {
	if c.Kind == KindBIColumn {
		return KindBITable
	}
	return KindTable
}

// Table is an internal table, or a BI table.
type Table struct {
	Base
	Columns []*Column // those that are not system columns
}

func (*Table) fields() []Field { return nil }

// Column is a column of an internal table. Its name is TABLE.COLUMN.
type Column struct {
	Base
	Table, Column, Type, DisplayName string
	Default, Description             *string
	NotNull, Unique                  bool
}

func (c *Column) fields() []Field {
	return []Field{{Name: "type", Value: c.Type}, {Name: "display-name", Value: c.DisplayName},
		{Name: "default", Value: api.OrEmpty(c.Default)},
		{Name: "not-null", Value: yesNo(c.NotNull)}, {Name: "unique", Value: yesNo(c.Unique)},
		{Name: "description", Value: api.OrEmpty(c.Description)}}
}

// ParametricTable is a table that reads another one with fixed values. Its name is CATALOG.SCHEMA.TABLE.
type ParametricTable struct {
	Base
	Catalog, Schema, Table string
	FromSchema, FromTable  string
	Values                 map[string]Value
}

func (p *ParametricTable) fields() []Field {
	out := []Field{{Name: "from", Value: JoinName(p.FromSchema, p.FromTable)}}
	for _, k := range slices.Sorted(maps.Keys(p.Values)) {
		out = append(out, Field{Name: "value of " + k, Value: p.Values[k].String()})
	}
	return out
}

// Cache is a cache. Its name is the CATALOG.SCHEMA.TABLE that it copies. Schedules are ISO 8601 durations, "" for none.
type Cache struct {
	Base
	Catalog, Schema, Table string
	Incremental, Full      string
	Key                    []string
	UpdatedAt              string
	InsertOnly             bool
	Untracked              bool // the gateway itself decides how changes are detected
}

func (c *Cache) fields() []Field {
	u := c.Untracked
	return []Field{{Name: "incremental", Value: period(c.Incremental)}, {Name: "full", Value: period(c.Full)},
		{Name: "key", Value: listed(c.Key), Unknown: u},
		{Name: "updated-at", Value: c.UpdatedAt, Unknown: u}, {Name: "insert-only", Value: yesNo(c.InsertOnly),
			Unknown: u}}
}

// Query is a saved query. Its name is the one that is displayed; SQLName is derived from it by the gateway.
type Query struct {
	Base
	SQLName      string
	Folder       string // path, "/" for the root
	SQL          string
	Materialized bool
	Schedule     Schedule
}

// StatementFile is the file with the statement of a query that was read from files.
func (q *Query) StatementFile() string {
	return strings.TrimSuffix(strings.TrimSuffix(q.At.File, endYAML), endSQL) + endSQL
}

// Schedule is the schedule of a materialized query; zero for none.
type Schedule struct{ Every, Cron, Timezone string }

func (q *Query) fields() []Field {
	kind := "plain"
	if q.Materialized {
		kind = "materialized"
	}
	return []Field{{Name: "folder", Value: q.Folder}, {Name: "type", Value: kind},
		{Name: "schedule", Value: q.Schedule.String()}, {Name: "sql", Value: q.SQL}}
}

func (s Schedule) String() string {
	switch {
	case s.Every != "":
		return "every " + period(s.Every)
	case s.Cron != "":
		return "cron " + s.Cron + " " + cmp.Or(s.Timezone, "UTC")
	}
	return ""
}

// SemanticTable is a table of a semantic catalog. Its name is CATALOG.SCHEMA.TABLE.
type SemanticTable struct {
	Base
	Catalog, Schema, Table string
	Query                  string // displayed name; "" if the gateway does not report it
}

func (s *SemanticTable) fields() []Field {
	return []Field{{Name: "query", Value: s.Query, Unknown: s.Query == ""}}
}

// Metadata is the description of a table. Its name is CATALOG.SCHEMA.TABLE.
type Metadata struct {
	Base
	Catalog, Schema, Table string
	Description            string
	Hidden                 bool // from the AI
	Columns                map[string]ColumnMetadata
}

// ColumnMetadata is the description of a column.
type ColumnMetadata struct {
	Description string
	Values      []string // of a categorical column
}

func (m *Metadata) fields() []Field {
	out := []Field{}
	if m.Description != "" {
		out = append(out, Field{Name: "description", Value: m.Description, Loose: true})
	}
	out = append(out, Field{Name: "use-with-ai", Value: yesNo(!m.Hidden)})
	for _, name := range slices.Sorted(maps.Keys(m.Columns)) {
		c := m.Columns[name]
		if c.Description != "" {
			out = append(out, Field{Name: name + " description", Value: c.Description, Loose: true})
		}
		if len(c.Values) > 0 {
			out = append(out, Field{Name: name + " values", Value: listed(c.Values), Loose: true})
		}
	}
	return out
}

// listed joins texts, and quotes those that could be taken for several.
func listed(texts []string) string {
	out := slices.Clone(texts)
	for i, s := range out {
		if s == "" || strings.ContainsAny(s, ",\"") {
			out[i] = strconv.Quote(s)
		}
	}
	return strings.Join(out, ", ")
}

// Relation relates two columns. Its name is SOURCE -> TARGET, both CATALOG.SCHEMA.TABLE.COLUMN.
type Relation struct {
	Base
	Source, Target [4]string
	Type           string
}

func (r *Relation) fields() []Field { return []Field{{Name: "type", Value: r.Type}} }

// GoldenSQL is a question with the statement that answers it. The service cannot change either, so both together are
// its name.
type GoldenSQL struct {
	Base
	Prompt, SQL string
}

func (g *GoldenSQL) fields() []Field { return []Field{{Name: "sql", Value: g.SQL}} }

// Project holds the objects of a project.
type Project struct{ all map[Ref]Object }

// New returns a project without objects.
func New() *Project { return &Project{all: map[Ref]Object{}} }

// Get returns an object, or nil.
func (p *Project) Get(k Kind, name string) Object { return p.all[Ref{k, name}] }

// Of returns the objects of a kind in the order of their names.
func Of[T Object](p *Project, k Kind) []T {
	var out []T
	for ref, o := range p.all {
		if t, ok := o.(T); ok && ref.Kind == k {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b T) int { return cmp.Compare(a.base().Name, b.base().Name) })
	return out
}

// Len returns the number of objects; the columns of a table count as part of it.
func (p *Project) Len() int {
	n := 0
	for ref := range p.all {
		if ref.Kind != KindColumn && ref.Kind != KindBIColumn {
			n++
		}
	}
	return n
}

// Put adds an object, or replaces the one with its name. It does not add or replace the columns of a table.
func (p *Project) Put(o Object) { p.all[o.base().Ref] = o }

// Drop removes an object. It does not remove the columns of a table.
func (p *Project) Drop(ref Ref) { delete(p.all, ref) }

// Add adds an object, with the columns of a table. It reports whether the name was free.
func (p *Project) Add(o Object) bool {
	ref := o.base().Ref
	if p.all[ref] != nil {
		return false
	}
	p.all[ref] = o
	if t, ok := o.(*Table); ok {
		for _, c := range t.Columns {
			c.Ref = Ref{t.Kind.column(), JoinName(t.Name, c.Column)}
			c.Table = t.Name
			if !p.Add(c) {
				return false
			}
		}
	}
	return true
}

func yesNo(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// Only returns a project with the objects of some kinds.
func (p *Project) Only(kinds map[Kind]bool) *Project {
	out := New()
	for ref, o := range p.all {
		if kinds[ref.Kind] {
			out.all[ref] = o
		}
	}
	return out
}

// Fill adds the objects of another project whose kinds are not among those given.
func (p *Project) Fill(other *Project, kinds map[Kind]bool) {
	for ref, o := range other.all {
		if !kinds[ref.Kind] {
			p.all[ref] = o
		}
	}
}
