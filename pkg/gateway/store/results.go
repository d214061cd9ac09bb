package store

import (
	"context"
	"time"
)

// Kinds of stored results: the schemas of their tables.
const (
	ResultOfCache = "cache"
	ResultOfQuery = "mtquery"
)

// Result identifies rows that a run has stored, or may have: by the id of the run. Runner is the process of a run that
// has not ended, "" for one that has.
type Result struct{ ID, ProjectID, Kind, Runner string }

const resultColumns = "id, project_id, kind, runner"

// currentResults are those that a cache or a query has.
const currentResults = "(SELECT stored FROM caches WHERE stored IS NOT NULL UNION ALL " +
	"SELECT stored FROM materialized WHERE stored IS NOT NULL)"

// addResult records that a run is going to store rows.
func addResult(ctx context.Context, tx dbtx, r Result, owner string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO stored_results("+resultColumns+", owner) VALUES (?, ?, ?, ?, ?)", r.ID,
		r.ProjectID, r.Kind, r.Runner, owner)
	return err
}

// settleResult is called after a run has ended, or its rows were replaced: they are free unless they are current.
func (s *Store) settleResult(ctx context.Context, tx dbtx, id string) error {
	_, err := tx.ExecContext(ctx, "UPDATE stored_results SET runner = '', free_at = CASE WHEN id NOT IN "+
		currentResults+
		" THEN coalesce(free_at, ?) END WHERE id = ?", s.stamp(), id)
	return err
}

// freeResults records that nothing refers to the rows of a cache or a query any more.
func (s *Store) freeResults(ctx context.Context, tx dbtx, owner string) error {
	_, err := tx.ExecContext(ctx, "UPDATE stored_results SET free_at = coalesce(free_at, ?) WHERE owner = ?", s.stamp(),
		owner)
	return err
}

// FreeResults lists the results of a project that have been free since a given time.
func (s *Store) FreeResults(ctx context.Context, project string, since time.Time) ([]Result, error) {
	return queryAll(ctx, s.db, scanResult, "SELECT "+resultColumns+
		" FROM stored_results WHERE free_at <= ? AND project_id = ?", Time(since), project)
}

// FreeResultsOf lists the free results of a cache or a query.
func (s *Store) FreeResultsOf(ctx context.Context, owner string) ([]Result, error) {
	return queryAll(ctx, s.db, scanResult, "SELECT "+resultColumns+
		" FROM stored_results WHERE free_at IS NOT NULL AND owner = ?", owner)
}

// ProjectsWithFree lists the projects with results that have been free since a given time.
func (s *Store) ProjectsWithFree(ctx context.Context, since time.Time) ([]string, error) {
	return queryAll(ctx, s.db, one[string],
		"SELECT DISTINCT project_id FROM stored_results WHERE free_at <= ?", Time(since))
}

func scanResult(scan func(...any) error) (r Result, err error) {
	err = scan(&r.ID, &r.ProjectID, &r.Kind, &r.Runner)
	return
}

// IsCurrent reports whether a cache or a query has the rows of a run.
func (s *Store) IsCurrent(ctx context.Context, run string) (bool, error) {
	return queryOne(ctx, s.db, one[bool],
		"SELECT ? IN "+currentResults, run)
}

// CurrentResults lists the results that the caches and queries of a project have, by the id of the run, with the name
// of the owner.
func (s *Store) CurrentResults(ctx context.Context, project string) (all []Result, owners map[string]string,
	err error) {
	owners = map[string]string{}
	all, err = queryAll(ctx, s.db, func(scan func(...any) error) (Result, error) {
		r, owner := Result{ProjectID: project}, ""
		err := scan(&r.ID, &r.Kind, &owner)
		owners[r.ID] = owner
		return r, err
	}, "SELECT stored, '"+ResultOfCache+"', schema_name || '.' || table_name FROM caches WHERE stored IS NOT NULL AND "+
		"project_id = ?1 UNION ALL SELECT m.stored, '"+ResultOfQuery+"', q.display_name FROM materialized m "+
		"JOIN queries q ON q.id = m.query_id WHERE m.stored IS NOT NULL AND q.project_id = ?1", project)
	return all, owners, err
}

// ForgetResult is called after the rows were removed.
func (s *Store) ForgetResult(ctx context.Context, id string) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM stored_results WHERE id = ?", id)
	return err
}
