package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/google/uuid"
)

// CacheSchedule is the refresh schedule of a cache: type BASIC with an ISO 8601 duration, or NONE.
type CacheSchedule struct {
	Type   string
	Expr   *string
	Due    *string // the next time; nil for NONE
	Anchor *string // the anchor of the durations; nil for NONE
}

// CacheTracking configures how an incremental refresh detects changes. Without a key whole rows are compared.
type CacheTracking struct {
	Key        []string // columns that identify a row
	Updated    string   // column that increases with every change, "" for none
	InsertOnly bool     // rows never change once they exist
}

// Cache is a stored copy of a table of another catalog.
type Cache struct {
	ID, ProjectID, CatalogID, SchemaName, TableName string
	Incremental, Full                               CacheSchedule
	Tracking                                        CacheTracking
	// the current stored table, nil before the first complete run
	Stored    *string
	CreatedAt string
}

// Due is when the next scheduled refresh is due, nil for never.
func (c Cache) Due() *string {
	if c.Incremental.Due == nil || c.Full.Due != nil && *c.Full.Due < *c.Incremental.Due {
		return c.Full.Due
	}
	return c.Incremental.Due
}

const cacheColumns = "id, project_id, catalog_id, schema_name, table_name, inc_type, inc_expr, inc_due, full_type, " +
	"full_expr, full_due, stored, created_at, key_columns, updated_column, insert_only, inc_anchor, full_anchor"

func scanCache(scan func(...any) error) (c Cache, err error) {
	var key string
	err = scan(&c.ID, &c.ProjectID, &c.CatalogID, &c.SchemaName, &c.TableName, &c.Incremental.Type, &c.Incremental.Expr,
		&c.Incremental.Due,
		&c.Full.Type, &c.Full.Expr, &c.Full.Due, &c.Stored, &c.CreatedAt, &key, &c.Tracking.Updated,
		&c.Tracking.InsertOnly, &c.Incremental.Anchor, &c.Full.Anchor)
	if err == nil {
		err = json.Unmarshal([]byte(key), &c.Tracking.Key)
	}
	return
}

func (t CacheTracking) key() string {
	if len(t.Key) == 0 {
		return "[]"
	}
	raw, _ := json.Marshal(t.Key) // a list of strings always marshals
	return string(raw)
}

// EnsureCache adds a cache, or returns the existing one of the table.
func (s *Store) EnsureCache(ctx context.Context, c Cache) (have Cache, made bool, err error) {
	err = s.tx(ctx, func(tx dbtx) error {
		made = false
		have, err = queryOne(ctx, tx, scanCache, "SELECT "+cacheColumns+
			" FROM caches WHERE project_id = ? AND catalog_id = ? AND schema_name = ? AND table_name = ?",
			c.ProjectID, c.CatalogID, c.SchemaName, c.TableName)
		if !errors.Is(err, ErrNotFound) {
			return err
		}
		c.ID, c.CreatedAt, made = uuid.NewString(), s.stamp(), true
		have = c
		_, err = tx.ExecContext(ctx, "INSERT INTO caches("+cacheColumns+
			") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, ?, ?)",
			c.ID, c.ProjectID, c.CatalogID, c.SchemaName, c.TableName, c.Incremental.Type, c.Incremental.Expr,
			c.Incremental.Due,
			c.Full.Type, c.Full.Expr, c.Full.Due, c.CreatedAt, c.Tracking.key(), c.Tracking.Updated,
			c.Tracking.InsertOnly, c.Incremental.Anchor, c.Full.Anchor)
		if err != nil {
			return err
		}
		return s.cacheLog(ctx, tx, c.ID, "CREATE", "the cache was created", "", false)
	})
	return have, made && err == nil, err
}

// Cache finds a cache of a project.
func (s *Store) Cache(ctx context.Context, project, id string) (Cache, error) {
	return queryOne(ctx, s.db, scanCache, "SELECT "+cacheColumns+" FROM caches WHERE id = ? AND project_id = ?", id,
		project)
}

// Caches lists the caches of a project, in a catalog and schema unless they are empty.
func (s *Store) Caches(ctx context.Context, project, catalog, schema string) ([]Cache, error) {
	return queryAll(ctx, s.db, scanCache, "SELECT "+cacheColumns+" FROM caches WHERE project_id = ? AND ? IN ('', "+
		"catalog_id) AND ? IN ('', schema_name) ORDER BY created_at, id",
		project, catalog, schema)
}

// CachedTable is a table of a source, in its spelling, and the stored table with the rows of its cache.
type CachedTable struct{ Schema, Table, Stored string }

// CachedTables lists the caches with rows of the tables that have a name, ignoring case. SQLite only folds letters of
// ASCII, so that it compares the lengths alone.
func (s *Store) CachedTables(ctx context.Context, project, catalog, schema, table string) ([]CachedTable, error) {
	type key struct{ project, catalog string }
	all, err := remembered(ctx, s, key{project, catalog}, func() ([]CachedTable, error) {
		return queryAll(ctx, s.db, func(scan func(...any) error) (t CachedTable, err error) {
			err = scan(&t.Schema, &t.Table, &t.Stored)
			return
		}, "SELECT schema_name, table_name, stored FROM caches WHERE project_id = ? AND catalog_id = ? AND "+
			"stored IS NOT NULL", project, catalog)
	})
	var found []CachedTable
	for _, t := range all {
		if strings.EqualFold(t.Schema, schema) && strings.EqualFold(t.Table, table) {
			found = append(found, t)
		}
	}
	return found, err
}

// IsCached reports whether there is a cache with rows of the table that is spelled so at its source.
func (s *Store) IsCached(ctx context.Context, project, catalog, schema, table string) (bool, error) {
	found, err := s.CachedTables(ctx, project, catalog, schema, table)
	return slices.ContainsFunc(found, func(t CachedTable) bool { return t.Schema == schema && t.Table == table }), err
}

// CacheChange says which schedules of a cache were changed. The others keep their current values: their due time may
// have moved since they were read.
type CacheChange struct{ Incremental, Full bool }

// SetCacheSettings stores the changed schedules of a cache, and its change tracking.
func (s *Store) SetCacheSettings(ctx context.Context, c Cache, now CacheChange) error {
	set := "key_columns = ?, updated_column = ?, insert_only = ?"
	args := []any{c.Tracking.key(), c.Tracking.Updated, c.Tracking.InsertOnly}
	for _, m := range []struct {
		name    string
		changed bool
		CacheSchedule
	}{{"inc", now.Incremental, c.Incremental}, {"full", now.Full, c.Full}} {
		if m.changed {
			set += ", " + m.name + "_type = ?, " + m.name + "_expr = ?, " + m.name + "_due = ?, " + m.name +
				"_anchor = ?"
			args = append(args, m.Type, m.Expr, m.Due, m.Anchor)
		}
	}
	return s.tx(ctx, func(tx dbtx) error {
		if err := exec(ctx, tx, "UPDATE caches SET "+set+" WHERE id = ?", append(args, c.ID)...); err != nil {
			return err
		}
		return s.cacheLog(ctx, tx, c.ID, "UPDATE", "the settings were changed", "", false)
	})
}

// MoveCacheDue moves the due time of a mode from one to the next; ErrNotFound means that another process did.
func (s *Store) MoveCacheDue(ctx context.Context, id, mode, from, to string) error {
	col := map[string]string{states.Full: "full_due", states.Incremental: "inc_due"}[mode]
	return exec(ctx, s.db, "UPDATE caches SET "+col+" = ? WHERE id = ? AND "+col+" = ?", to, id, from)
}

// DueCaches lists the caches with a schedule that is due.
func (s *Store) DueCaches(ctx context.Context, now time.Time) ([]Cache, error) {
	return queryAll(ctx, s.db, scanCache, "SELECT "+cacheColumns+" FROM caches WHERE inc_due <= ?1 OR full_due <= ?1",
		Time(now))
}

// ScheduledCaches lists the caches with a schedule.
func (s *Store) ScheduledCaches(ctx context.Context) ([]Cache, error) {
	return queryAll(ctx, s.db, scanCache, "SELECT "+cacheColumns+
		" FROM caches WHERE inc_due IS NOT NULL OR full_due IS NOT NULL")
}

// DeleteCache removes a cache; its tables become free. A running refresh stores nothing more.
func (s *Store) DeleteCache(ctx context.Context, project, id string) error {
	return s.tx(ctx, func(tx dbtx) error { return s.deleteCache(ctx, tx, project, id) })
}

func (s *Store) deleteCache(ctx context.Context, tx dbtx, project, id string) error {
	if err := exec(ctx, tx, "DELETE FROM caches WHERE id = ? AND project_id = ?", id, project); err != nil {
		return err
	}
	return s.freeResults(ctx, tx, id)
}

// CacheLog is an entry of a cache's action log.
type CacheLog struct {
	At, Action, Message, CacheType string
	Scheduled                      bool
}

func (s *Store) cacheLog(ctx context.Context, tx dbtx, cache, action, message, mode string, scheduled bool) error {
	_, err := tx.ExecContext(ctx,
		"INSERT INTO cache_logs(cache_id, at, action, message, cache_type, scheduled) VALUES (?, ?, ?, ?, ?, ?)", cache,
		s.stamp(), action, message, mode, scheduled)
	return err
}

// CacheLogs lists the actions on a cache, newest first, at most limit.
func (s *Store) CacheLogs(ctx context.Context, cache string, limit int) ([]CacheLog, error) {
	return queryAll(ctx, s.db, func(scan func(...any) error) (l CacheLog, err error) {
		err = scan(&l.At, &l.Action, &l.Message, &l.CacheType, &l.Scheduled)
		return
	}, "SELECT at, action, message, cache_type, scheduled FROM cache_logs WHERE cache_id = ? ORDER BY id DESC LIMIT ?",
		cache, limit)
}

// OrphanCaches lists the caches of deleted catalogs; built-in catalogs have identifiers of one digit.
func (s *Store) OrphanCaches(ctx context.Context) ([]Cache, error) {
	return queryAll(ctx, s.db, scanCache, "SELECT "+cacheColumns+
		" FROM caches WHERE length(catalog_id) > 1 AND catalog_id NOT IN (SELECT id FROM catalogs)")
}
