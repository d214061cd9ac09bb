package metadata

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/schedule"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// Number of values of a categorical column: the requested one, else the default, and never more than the maximum.
const (
	defaultCategorical = 100
	mostCategorical    = 10_000
)

func columnKey[B any](r *web.Request[B]) store.ColumnKey {
	return store.ColumnKey{TableKey: tableKey(r), Column: r.Param("columnName")}
}

// column checks that a column exists and returns the SQL name of its table.
func (s *Service) column(ctx context.Context, p store.Project, k store.ColumnKey) (engine.TableName, error) {
	c, t, err := s.metadataTable(ctx, p, k.TableKey)
	n := engine.TableName{Catalog: c.Name, Schema: t.SchemaName, Table: t.TableName}
	if err != nil {
		return n, err
	}
	cols, err := c.Columns(ctx, k.Schema, k.Table)
	if err == nil && !slices.ContainsFunc(cols, func(c names.Column) bool { return c.Name == k.Column }) {
		err = fault.Data(404, "Column '%s' cannot be resolved", k.Column)
	}
	return n, err
}

// never is the frequency of values that are read once [O]; so is the empty one.
const never = "NONE"

// frequency parses how often categorical values are read: an ISO 8601 duration, or a word. The service does not
// document the form [O].
func frequency(s string) (schedule.Period, error) {
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
	return schedule.ParsePeriod(s)
}

// generateCategorical reads the values of a column, the most frequent ones first. After the period given by frequency
// they are read again when the metadata is next read.
func (s *Service) generateCategorical(ctx context.Context, r *web.Request[api.CategoricalColumnRequest]) (done, error) {
	limit := int64(defaultCategorical)
	if r.Body.Limit != nil {
		limit = *r.Body.Limit
	}
	if limit < 1 || limit > mostCategorical {
		return done{}, fault.Framework(400, "property %q: %d is not between 1 and %d", "limit", limit, mostCategorical)
	}
	every := r.Body.Frequency
	if strings.EqualFold(every, never) {
		every = ""
	}
	if every != "" {
		if _, err := frequency(every); err != nil {
			return done{}, fault.Framework(400, "property %q: %v", "frequency", err)
		}
	}
	k := columnKey(r)
	name, err := s.column(ctx, r.Project, k)
	if err != nil {
		return done{}, err
	}
	values, err := s.distinct(ctx, r.Project, name, k.Column, limit)
	if err != nil {
		return done{}, err
	}
	if len(values) == 0 {
		return done{}, fault.Data(400, "column %s of %s has no values", k.Column, name)
	}
	return done{}, s.Store.SetCategorical(ctx, r.Project.ID, k, values, limit, every)
}

func (s *Service) distinct(ctx context.Context, p store.Project, n engine.TableName, column string,
	limit int64) ([]string, error) {
	rows, err := s.Names.Answer(ctx, p, sql.Frequent{Table: n, Column: column, Limit: limit})
	return each.Map(rows, func(r []string) string { return r[0] }), err
}

// DueCategorical reads categorical values that are due. A table that was deleted, or cannot be read now, keeps its last
// ones.
func (s *Service) DueCategorical(ctx context.Context, p store.Project) error {
	notes, err := s.Store.MetadataNotes(ctx, p.ID)
	if err != nil {
		return err
	}
	for k, n := range notes.Columns {
		if n.Categorical == nil || n.Every == "" {
			continue
		}
		every, err := frequency(n.Every)
		at, terr := time.Parse(time.RFC3339, n.CategoricalAt)
		if err != nil || terr != nil {
			continue
		}
		// values from a clock that has been set back since are due
		if now := s.Now(); !at.After(now) && every.Times(at, 1).After(now) {
			continue
		}
		if err := s.rereadCategorical(ctx, p, k, n); names.Away(err) {
			name := k.Catalog
			if c, cerr := s.Names.Catalog(ctx, p, k.Catalog); cerr == nil {
				name = c.Name
			}
			if err := engine.Omit(ctx, engine.OmittedCategorical, strings.Join([]string{name, k.Schema, k.Table,
				k.Column}, "."), err); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) rereadCategorical(ctx context.Context, p store.Project, k store.ColumnKey,
	n store.ColumnNotes) error {
	name, err := s.column(ctx, p, k)
	var gone *fault.Fault
	if errors.As(err, &gone) && gone.Status == 404 {
		return nil
	}
	if err != nil {
		return err
	}
	values, err := s.distinct(ctx, p, name, k.Column, max(n.Limit, 1))
	if err != nil || len(values) == 0 {
		return err
	}
	return s.Store.SetCategorical(ctx, p.ID, k, values, n.Limit, n.Every)
}

// deleteCategorical removes the values and their schedule; it is idempotent.
func (s *Service) deleteCategorical(ctx context.Context, r *web.Request[web.None]) (done, error) {
	k := columnKey(r)
	if _, err := s.column(ctx, r.Project, k); err != nil {
		return done{}, err
	}
	return done{}, s.Store.SetCategorical(ctx, r.Project.ID, k, nil, 0, "")
}
