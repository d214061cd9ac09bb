package store

import "context"

// Watched is a materialized query or a cache with its latest run, for those who watch the gateway.
type Watched struct {
	Project, ID, Name string // a cache has the name of its table, in three parts
	Status            string // of the latest run; "" if there was none
	Error             string // why it failed
	Started           string // when it started
	Stored            string // when the run started that has stored the current rows; "" if none are known
}

func scanWatched(scan func(...any) error) (w Watched, err error) {
	err = scan(&w.Project, &w.ID, &w.Name, &w.Status, &w.Error, &w.Started, &w.Stored)
	return
}

// WatchedQueries lists the materialized queries of all projects.
func (s *Store) WatchedQueries(ctx context.Context) ([]Watched, error) {
	return queryAll(ctx, s.db, scanWatched, `SELECT q.project_id, q.id, q.name,
CASE WHEN m.started_at IS NULL THEN '' ELSE m.status END, coalesce(m.error, ''), coalesce(m.started_at, ''),
coalesce(m.stored_at, '') FROM materialized m JOIN queries q ON q.id = m.query_id ORDER BY q.id`)
}

// WatchedCaches lists the caches of all projects. The catalog that is built in, which the state does not hold, has the
// given name.
func (s *Store) WatchedCaches(ctx context.Context, builtIn string) ([]Watched, error) {
	return queryAll(ctx, s.db, scanWatched, `SELECT c.project_id, c.id,
coalesce(a.name, ?) || '.' || c.schema_name || '.' || c.table_name, coalesce(r.status, ''), coalesce(r.error, ''),
coalesce(r.created_at, ''), coalesce(t.created_at, '') FROM caches c LEFT JOIN catalogs a ON a.id = c.catalog_id
LEFT JOIN cache_runs r ON r.cache_id = c.id
  AND r.created_at = (SELECT max(created_at) FROM cache_runs WHERE cache_id = c.id)
LEFT JOIN cache_runs t ON t.id = c.stored ORDER BY c.id`, builtIn)
}

// ExportTotals is the number of exports in a state.
type ExportTotals struct {
	Status string
	Number int64
}

// TotalExports counts the exports of all projects by their states.
func (s *Store) TotalExports(ctx context.Context) ([]ExportTotals, error) {
	return queryAll(ctx, s.db, func(scan func(...any) error) (t ExportTotals, err error) {
		err = scan(&t.Status, &t.Number)
		return
	}, "SELECT status, count(*) FROM exports GROUP BY status")
}
