package sql

import (
	"context"
	"slices"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Query is one statement with its limits.
type Query struct {
	SQL      string
	Ask      Ask               // instead of SQL
	Bindings []string          // values for ?, in order; a wrong count is an error
	Timeout  time.Duration     // 0: no limit
	Catalogs Catalogs          // resolves the names; nil: Own
	Props    map[string]string // current_user_props(key)
	// SQL was generated from values of unknown types: a string gets the type of what it is compared with
	Untyped bool
	// Files is the catalog in which the paths in FROM 'sales.csv' are looked up, in hexadecimal digits as the schema;
	// "" if paths are not allowed in FROM. Saved queries cannot refer to it.
	Files    string
	Defaults engine.TableName // the catalog and schema of names without them; empty: those of the internal tables
}

// Catalogs resolves the names in a statement. The gateway implements it.
type Catalogs interface {
	// Lookup finds a table other than the stored ones of "peaka"."table", "peaka"."bitable" and the sample catalog,
	// which the engine knows itself: saved queries, materialized ones, caches, external and semantic catalogs. Unknown
	// names are *engine.Error with engine.KindUnknownCatalog, engine.KindUnknownSchema or engine.KindUnknownTable.
	Lookup(ctx context.Context, name engine.TableName) (Source, error)
	// List returns every table visible to the project, for information_schema and SHOW: those of the named catalogs, or
	// of all if it is nil. A catalog is in it by its name alone too, and a schema that may be without tables by the
	// names of both. If all are requested, an unreadable catalog may be omitted with engine.Omit; a named one may not.
	List(ctx context.Context, catalogs []string) ([]engine.TableName, error)
	// Spelled is called first for a quoted name with upper-case letters: names are looked up in lower case, but a
	// source may have several names that differ in case only, so that the lookup could find another one than written.
	Spelled(ctx context.Context, written engine.TableName) error
	// Kinds returns the names of all catalogs, without their contents, each with its kind in lower case, such as
	// postgres or semantic.
	Kinds(ctx context.Context) (map[string]string, error)
	// Comments returns the descriptions of tables, by their names in lower case.
	Comments(ctx context.Context) (map[engine.TableName]string, error)
}

// Own are Catalogs with the tables that every engine has: the sample catalog, and the internal and BI tables, which are
// found but not listed. Others embed it for what they lack.
type Own struct{}

var _ Catalogs = Own{}

// Lookup implements Catalogs.
func (Own) Lookup(_ context.Context, n engine.TableName) (Source, error) {
	switch {
	case n.Catalog == engine.SampleCatalog && n.Schema == engine.SampleSchema &&
		slices.Contains(engine.SampleTables(), n.Table):
		return Source{Base: &n}, nil
	case n.Catalog == engine.InternalCatalog && (n.Schema == engine.SchemaTable || n.Schema == engine.SchemaBI):
		return Source{Base: &n}, nil
	}
	return Source{}, engine.UnknownTable(n)
}

// List implements Catalogs.
func (Own) List(context.Context, []string) ([]engine.TableName, error) {
	var out []engine.TableName
	for _, name := range engine.SampleTables() {
		out = append(out, engine.TableName{Catalog: engine.SampleCatalog, Schema: engine.SampleSchema, Table: name})
	}
	for _, schema := range []string{engine.SchemaQuery, engine.SchemaMtQuery, engine.SchemaTable, engine.SchemaBI} {
		out = append(out, engine.TableName{Catalog: engine.InternalCatalog, Schema: schema})
	}
	return out, nil
}

// Spelled implements Catalogs.
func (Own) Spelled(context.Context, engine.TableName) error { return nil }

// Kinds implements Catalogs.
func (Own) Kinds(context.Context) (map[string]string, error) {
	return map[string]string{engine.InternalCatalog: "internal", engine.SampleCatalog: "sample"}, nil
}

// Comments implements Catalogs.
func (Own) Comments(context.Context) (map[engine.TableName]string, error) { return nil, nil }

// Source is the resolution of a name; exactly one of its fields is set.
type Source struct {
	SQL string // a saved query, to be expanded in place; its own names are resolved in turn
	Ask Ask    // SQL, described by its meaning
	// a table that the engine reads by itself: one of the internal tables or of the sample, or, without a catalog, a
	// stored result such as a cache
	Base  *engine.TableName
	Scan  engine.Scanner // rows from an external source
	Relay engine.Relay   // a table of another project of the same engine
}
