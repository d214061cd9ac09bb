package sql

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// hintTime limits the time to find a hint.
const hintTime = 2 * time.Second

// withHint adds the probable correction to the error for a name that does not exist. It is omitted if it cannot be
// found in time. For SHOW of a schema only the table name may be missing.
func (s *session) withHint(ctx context.Context, err error, n engine.TableName) error {
	var e *engine.Error
	if !errors.As(err, &e) || e.Hint != "" {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, hintTime)
	defer cancel()
	hint := ""
	switch e.Kind {
	case engine.KindUnknownCatalog:
		hint = s.nearCatalog(ctx, n)
	case engine.KindUnknownSchema, engine.KindUnknownTable:
		hint = s.nearTable(ctx, n)
	}
	if hint == "" {
		return err
	}
	told := *e
	told.Hint, told.Err = hint, err
	return &told
}

func (s *session) nearCatalog(ctx context.Context, n engine.TableName) string {
	kinds, err := s.Query.Catalogs.Kinds(ctx)
	if err != nil {
		return ""
	}
	all := slices.Sorted(maps.Keys(kinds))
	if near := nearest.Of(n.Catalog, all); near != "" {
		n.Catalog = near
		return suggestQualified(n)
	}
	return namesAre("the catalogs are ", all)
}

// namesAre lists the first few names.
func namesAre(what string, names []string) string {
	if len(names) > 10 {
		names = append(slices.Clone(names[:10]), "...")
	}
	return what + strings.Join(names, ", ")
}

// nearTable looks for the table in the same schema, then in the other schemas of the catalog, then for the schema.
func (s *session) nearTable(ctx context.Context, n engine.TableName) string {
	known, err := s.allTables(ctx, []string{n.Catalog})
	if err != nil {
		return ""
	}
	var here, schemas []string
	var elsewhere []engine.TableName
	for _, t := range known {
		switch {
		case t.Catalog != n.Catalog || t.Schema == infoschema.Schema:
		case t.Table == "":
			schemas = append(schemas, t.Schema)
		case t.Schema == n.Schema:
			here = append(here, t.Table)
		default:
			schemas = append(schemas, t.Schema)
			if t.Table == n.Table {
				elsewhere = append(elsewhere, t)
			}
		}
	}
	slices.Sort(schemas)
	schemas = slices.Compact(schemas)
	if !slices.Contains(schemas, n.Schema) && len(here) == 0 && len(schemas) > 0 {
		if near := nearest.Of(n.Schema, schemas); near != "" {
			n.Schema = near
			return suggestQualified(n)
		}
		if n.Table == "" || len(elsewhere) == 0 {
			return namesAre("the schemas of "+n.Catalog+" are ", schemas)
		}
	}
	if len(elsewhere) > 0 {
		return suggestQualified(elsewhere[0])
	}
	if near := nearest.Of(n.Table, here); near != "" {
		n.Table = near
		return suggestQualified(n)
	}
	if slices.Contains(engine.SampleTables(), n.Table) && n.Catalog == engine.InternalCatalog {
		return suggestQualified(engine.TableName{Catalog: engine.SampleCatalog, Schema: engine.SampleSchema,
			Table: n.Table})
	}
	if n.Catalog == infoschema.System && len(here) > 0 {
		return namesAre("the tables of "+n.Catalog+"."+n.Schema+" are ", here)
	}
	for _, t := range known { // a saved query with another spelling, a table of another schema
		if t.Catalog == n.Catalog && t.Table != "" && t.Schema != infoschema.Schema &&
			nearest.Of(n.Table, []string{t.Table}) != "" {
			return suggestQualified(t)
		}
	}
	return ""
}

// suggestQualified suggests a qualified name, of which the table, or both the schema and the table, may be missing.
func suggestQualified(n engine.TableName) string {
	text := trinosql.QuoteName(n.Catalog)
	for _, part := range []string{n.Schema, n.Table} {
		if part != "" {
			text += "." + trinosql.QuoteName(part)
		}
	}
	return "did you mean " + text + "?"
}
