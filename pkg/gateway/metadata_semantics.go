package gateway

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// Values of a categorical column: as many as asked for, else this many, and never more than the most.
const (
	defaultCategorical = 100
	mostCategorical    = 10_000
)

func columnKey[B any](r *Request[B]) store.ColumnKey {
	return store.ColumnKey{TableKey: tableKey(r), Column: r.Param("columnName")}
}

// column checks that a column exists and returns the SQL name of its table.
func (g *metadataService) column(ctx context.Context, p store.Project, k store.ColumnKey) (engine.TableName, error) {
	c, t, err := g.metadataTable(ctx, p, k.TableKey)
	n := engine.TableName{Catalog: c.Name, Schema: t.SchemaName, Table: t.TableName}
	if err != nil {
		return n, err
	}
	cols, err := c.source.Columns(ctx, k.Schema, k.Table)
	if err == nil && !slices.ContainsFunc(cols, func(c api.ColumnDetail) bool { return c.Name == k.Column }) {
		err = dataFault(404, "Column '%s' cannot be resolved", k.Column)
	}
	return n, err
}

// frequency reads how often categorical values are read anew: an ISO 8601 duration, or a word. The service does not document
// the form [O].
func frequency(s string) (Period, error) {
	switch strings.ToLower(s) {
	case "hourly":
		s = "PT1H"
	case "daily":
		s = "P1D"
	case "weekly":
		s = "P1W"
	case "monthly":
		s = "P1M"
	}
	return ParsePeriod(s)
}

// generateCategorical reads the values of a column, the most frequent ones first. After the time that frequency says they are
// read anew when the metadata is next read.
func (g *metadataService) generateCategorical(ctx context.Context, r *Request[api.CategoricalColumnRequest]) (done, error) {
	limit := int64(defaultCategorical)
	if r.Body.Limit != nil {
		limit = *r.Body.Limit
	}
	if limit < 1 || limit > mostCategorical {
		return done{}, frameworkFault(400, "property %q: %d is not between 1 and %d", "limit", limit, mostCategorical)
	}
	if f := r.Body.Frequency; f != "" {
		if _, err := frequency(f); err != nil {
			return done{}, frameworkFault(400, "property %q: %v", "frequency", err)
		}
	}
	k := columnKey(r)
	name, err := g.column(ctx, r.Project, k)
	if err != nil {
		return done{}, err
	}
	values, err := g.distinct(ctx, r.Project, name, k.Column, limit)
	if err != nil {
		return done{}, err
	}
	if len(values) == 0 {
		return done{}, dataFault(400, "column %s of %s holds no value", k.Column, name)
	}
	return done{}, g.store.SetCategorical(ctx, r.Project.ID, k, values, limit, r.Body.Frequency)
}

func (g *metadataService) distinct(ctx context.Context, p store.Project, n engine.TableName, column string, limit int64) ([]string, error) {
	c := sqltext.Quote(column)
	rows, err := g.names.queryText(ctx, p, `SELECT CAST(`+c+` AS varchar) AS v, count(*) AS n FROM `+n.Quoted()+` WHERE `+c+` IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT `+strconv.FormatInt(limit, 10))
	return mapAll(rows, func(r []string) string { return r[0] }), err
}

// dueCategorical reads anew the categorical values whose time has come. A table that is gone, or cannot be read now, keeps its last ones.
func (g *metadataService) dueCategorical(ctx context.Context, p store.Project) error {
	notes, err := g.store.MetadataNotes(ctx, p.ID)
	if err != nil {
		return err
	}
	for k, n := range notes.Columns {
		if n.Categorical == nil || n.Every == "" {
			continue
		}
		every, err := frequency(n.Every)
		at, terr := time.Parse(time.RFC3339, n.CategoricalAt)
		if err != nil || terr != nil || every.times(at, 1).After(g.now()) {
			continue
		}
		if err := g.rereadCategorical(ctx, p, k, n); away(err) {
			name := k.Catalog
			if c, cerr := g.catalogs.catalog(ctx, p, k.Catalog); cerr == nil {
				name = c.Name
			}
			if err := engine.Omit(ctx, engine.OmittedCategorical, strings.Join([]string{name, k.Schema, k.Table, k.Column}, "."), err); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (g *metadataService) rereadCategorical(ctx context.Context, p store.Project, k store.ColumnKey, n store.ColumnNotes) error {
	name, err := g.column(ctx, p, k)
	var gone *Fault
	if errors.As(err, &gone) && gone.Status == 404 {
		return nil
	}
	if err != nil {
		return err
	}
	values, err := g.distinct(ctx, p, name, k.Column, max(n.Limit, 1))
	if err != nil || len(values) == 0 {
		return err
	}
	return g.store.SetCategorical(ctx, p.ID, k, values, n.Limit, n.Every)
}

// deleteCategorical forgets the values and their schedule; twice is no error.
func (g *metadataService) deleteCategorical(ctx context.Context, r *Request[None]) (done, error) {
	k := columnKey(r)
	if _, err := g.column(ctx, r.Project, k); err != nil {
		return done{}, err
	}
	return done{}, g.store.SetCategorical(ctx, r.Project.ID, k, nil, 0, "")
}

func relationType(s string) error {
	switch s {
	case "":
		return missing("type")
	case "MANY_TO_ONE", "ONE_TO_MANY", "ONE_TO_ONE":
		return nil
	}
	return frameworkFault(400, "property %q: %q is none of MANY_TO_ONE, ONE_TO_MANY, ONE_TO_ONE", "type", s)
}

func (g *metadataService) listRelations(ctx context.Context, r *Request[None]) (api.RelationList, error) {
	out := api.RelationList{Relations: []api.Relation{}}
	c, err := g.catalogs.catalog(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return out, err
	}
	d, err := g.describer(ctx, r.Project)
	if err != nil {
		return out, err
	}
	all, err := g.store.Relations(ctx, r.Project.ID, c.ID)
	out.Relations = mapAll(all, d.relation)
	return out, err
}

func (g *metadataService) addRelation(ctx context.Context, r *Request[api.RelationRequest]) (api.Relation, error) {
	b := r.Body
	for _, f := range []struct{ name, value string }{{"targetCatalogId", b.TargetCatalogID}, {"targetSchemaName", b.TargetSchemaName},
		{"targetTableName", b.TargetTableName}, {"targetColumnName", b.TargetColumnName}} {
		if f.value == "" {
			return api.Relation{}, missing(f.name)
		}
	}
	if err := relationType(b.Type); err != nil {
		return api.Relation{}, err
	}
	rel := store.Relation{Source: columnKey(r), Type: b.Type,
		Target: store.ColumnKey{TableKey: store.TableKey{Catalog: b.TargetCatalogID, Schema: b.TargetSchemaName, Table: b.TargetTableName}, Column: b.TargetColumnName}}
	if rel.Source == rel.Target {
		return api.Relation{}, dataFault(400, "a relation leads from one column to another")
	}
	for _, k := range []store.ColumnKey{rel.Source, rel.Target} {
		if _, err := g.column(ctx, r.Project, k); err != nil {
			return api.Relation{}, err
		}
	}
	rel, err := g.store.AddRelation(ctx, r.Project.ID, rel)
	if errors.Is(err, store.ErrConflict) {
		return api.Relation{}, dataFault(409, "this relation already exists")
	}
	return g.relationOut(ctx, r.Project, rel, err)
}

func (g *metadataService) relationOut(ctx context.Context, p store.Project, rel store.Relation, err error) (api.Relation, error) {
	if err != nil {
		return api.Relation{}, err
	}
	d, err := g.describer(ctx, p)
	if err != nil {
		return api.Relation{}, err
	}
	return d.relation(rel), nil
}

func (g *metadataService) updateRelation(ctx context.Context, r *Request[api.RelationUpdateRequest]) (api.Relation, error) {
	if err := relationType(r.Body.Type); err != nil {
		return api.Relation{}, err
	}
	id := r.Param("relationId")
	rel, err := g.store.UpdateRelation(ctx, r.Project.ID, tableKey(r), id, r.Body.Type)
	return g.relationOut(ctx, r.Project, rel, notFound(err, "there is no relation with id %s on this table", id))
}

func (g *metadataService) deleteRelation(ctx context.Context, r *Request[None]) (done, error) {
	id := r.Param("relationId")
	return done{}, notFound(g.store.DeleteRelation(ctx, r.Project.ID, tableKey(r), id), "there is no relation with id %s on this table", id)
}

func goldenOut(p store.Project) func(store.GoldenSQL) api.GoldenSQLEntry {
	return func(s store.GoldenSQL) api.GoldenSQLEntry {
		return api.GoldenSQLEntry{ID: s.ID, Content: s.Prompt, Metadata: api.GoldenSQLEntryMetadata{SQL: s.SQL, Prompt: s.Prompt, ProjectID: p.ID}}
	}
}

func (g *metadataService) listGoldenSQL(ctx context.Context, r *Request[None]) (api.GoldenSQLList, error) {
	all, err := g.store.GoldenSQLs(ctx, r.Project.ID)
	return api.GoldenSQLList{Result: mapAll(all, goldenOut(r.Project))}, err
}

func (g *metadataService) createGoldenSQL(ctx context.Context, r *Request[api.GoldenSQLRequest]) (api.GoldenSQLEntry, error) {
	switch {
	case strings.TrimSpace(r.Body.Prompt) == "":
		return api.GoldenSQLEntry{}, missing("prompt")
	case strings.TrimSpace(r.Body.SQL) == "":
		return api.GoldenSQLEntry{}, missing("sql")
	}
	s, err := g.store.AddGoldenSQL(ctx, r.Project.ID, r.Body.Prompt, r.Body.SQL)
	return goldenOut(r.Project)(s), err
}

func (g *metadataService) deleteGoldenSQL(ctx context.Context, r *Request[None]) (done, error) {
	id := r.Param("id")
	return done{}, notFound(g.store.DeleteGoldenSQL(ctx, r.Project.ID, id), "there is no golden SQL with id: %s", id)
}

// mostGolden bounds how many golden statements a look-up answers.
const mostGolden = 10

// queryGoldenSQL finds the questions most like the one asked.
func (g *metadataService) queryGoldenSQL(ctx context.Context, r *Request[None]) (api.GoldenSQLMatches, error) {
	out := api.GoldenSQLMatches{Result: []api.GoldenSQLMatchesResult{}}
	if strings.TrimSpace(r.Query("q")) == "" {
		return out, frameworkFault(400, "required query parameter %q is missing", "q")
	}
	all, err := g.store.GoldenSQLs(ctx, r.Project.ID)
	if err != nil {
		return out, err
	}
	hits := rank(r.Query("q"), mapAll(all, func(s store.GoldenSQL) string { return s.Prompt }))
	for _, i := range hits[:min(mostGolden, len(hits))] {
		out.Result = append(out.Result, api.GoldenSQLMatchesResult{Question: all[i].Prompt, SQL: all[i].SQL})
	}
	return out, nil
}
