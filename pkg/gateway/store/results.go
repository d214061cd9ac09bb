package store

import (
	"context"
	"database/sql"
	"time"
)

// Kinds of stored results: the schemas of their tables.
const (
	ResultOfCache = "cache"
	ResultOfQuery = "mtquery"
)

// Result identifies rows that a run has stored, or may have: by the id of the run.
type Result struct{ ID, ProjectID, Kind string }

// addResult records that a run is going to store rows.
func addResult(ctx context.Context, tx *sql.Tx, r Result, owner string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO stored_results(id, project_id, kind, owner) VALUES (?, ?, ?, ?)", r.ID,
		r.ProjectID, r.Kind, owner)
	return err
}

// freeResult records that nothing refers to the rows of a run any more.
func (s *Store) freeResult(ctx context.Context, tx *sql.Tx, id string) error {
	_, err := tx.ExecContext(ctx, "UPDATE stored_results SET free_at = coalesce(free_at, ?) WHERE id = ?", s.stamp(),
		id)
	return err
}

// freeResults does so for all rows of a cache or a query.
func (s *Store) freeResults(ctx context.Context, tx *sql.Tx, owner string) error {
	_, err := tx.ExecContext(ctx, "UPDATE stored_results SET free_at = coalesce(free_at, ?) WHERE owner = ?", s.stamp(),
		owner)
	return err
}

// FreeResults lists the results of a project, or of all if that is empty, that have been free since a given time.
func (s *Store) FreeResults(ctx context.Context, project string, since time.Time) ([]Result, error) {
	return queryAll(ctx, s.db, scanResult,
		"SELECT id, project_id, kind FROM stored_results WHERE free_at <= ? AND ? IN "+
			"('', project_id)", Time(since), project)
}

// ResultsOf lists the free results of a cache or a query.
func (s *Store) ResultsOf(ctx context.Context, owner string) ([]Result, error) {
	return queryAll(ctx, s.db, scanResult, "SELECT id, project_id, kind FROM stored_results WHERE owner = ? AND "+
		"free_at IS NOT NULL", owner)
}

func scanResult(scan func(...any) error) (r Result, err error) {
	err = scan(&r.ID, &r.ProjectID, &r.Kind)
	return
}

// ForgetResult is called after the rows were removed.
func (s *Store) ForgetResult(ctx context.Context, id string) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM stored_results WHERE id = ?", id)
	return err
}
