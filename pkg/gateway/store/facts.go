package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Facts about the data directory itself, by which later openings recognize what is lost.
const (
	factSecret = "check value of secret.key"
	factData   = "data of project "   // followed by its id: it has a data file
	factPlaces = "place: "            // followed by a flag: where gateways look for rows or files
	factTidied = "tables of project " // followed by its id: when a gateway began to compact them
)

func (s *Store) fact(ctx context.Context, key string) (string, error) {
	value, err := queryOne(ctx, s.db, one[string], "SELECT value FROM meta WHERE key = ?", key)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return value, err
}

// SecretCheck returns the check value of the key of the sealed credentials, "" for none.
func (s *Store) SecretCheck(ctx context.Context) (string, error) { return s.fact(ctx, factSecret) }

// SetSecretCheck records the check value of a key. With a former value, it is recorded only in its place. It returns
// the value that is stored then.
func (s *Store) SetSecretCheck(ctx context.Context, former, value string) (string, error) {
	return s.replaceFact(ctx, factSecret, former, value)
}

func (s *Store) replaceFact(ctx context.Context, key, former, value string) (string, error) {
	_, err := s.db.ExecContext(ctx,
		`INSERT INTO meta(key, value) VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2 WHERE meta.value = ?3`,
		key, value, former)
	if err != nil {
		return "", err
	}
	return s.fact(ctx, key)
}

// Setting returns where the gateways look for what a flag says, "" if it is not recorded.
func (s *Store) Setting(ctx context.Context, flag string) (string, error) {
	return s.fact(ctx, factPlaces+flag)
}

// SetSetting records it instead of a former value, "" for none, and returns what is recorded then.
func (s *Store) SetSetting(ctx context.Context, flag, former, value string) (string, error) {
	return s.replaceFact(ctx, factPlaces+flag, former, value)
}

// Alone reports whether no other gateway uses the store.
func (s *Store) Alone(ctx context.Context) (bool, error) {
	if s.held == nil {
		return true, nil
	}
	return queryOne(ctx, s.db, one[bool], "SELECT NOT EXISTS (SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = "+
		"l.database WHERE locktype = 'advisory' AND datname = current_database() AND classid = ? AND "+
		"CAST(objid AS int8) = CAST(CAST(hashtext(current_schema()) AS oid) AS int8) AND granted AND pid <> ?)",
		ApplicationID, s.held.session())
}

// Sealed is the credential of a connection, which is sealed for its id.
type Sealed struct {
	ID, Name string
	Secret   []byte
}

// SealedCredentials lists the sealed credentials of all connections.
func (s *Store) SealedCredentials(ctx context.Context) ([]Sealed, error) {
	return queryAll(ctx, s.db, func(scan func(...any) error) (c Sealed, err error) {
		err = scan(&c.ID, &c.Name, &c.Secret)
		return
	}, "SELECT id, name, credential FROM connections WHERE length(credential) > 0 ORDER BY name, id")
}

// HasData reports whether a project has a data file according to NoteData.
func (s *Store) HasData(ctx context.Context, project string) (bool, error) {
	type key struct{ project string }
	v, err := remembered(ctx, s, key{project}, func() (string, error) { return s.fact(ctx, factData+project) })
	return v != "", err
}

// NoteData records that a project has a data file, so that its loss is noticed.
func (s *Store) NoteData(ctx context.Context, project string) error {
	_, err := s.db.ExecContext(ctx, "INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT DO NOTHING",
		factData+project, s.stamp())
	return err
}

// ClaimTidying records that a project is compacted now, and reports whether that was not recorded since a moment
// before.
func (s *Store) ClaimTidying(ctx context.Context, project string, now, before time.Time) (bool, error) {
	done, err := s.db.ExecContext(ctx,
		"INSERT INTO meta(key, value) VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2 WHERE meta.value < ?3",
		factTidied+project, now.UTC().Format(time.RFC3339), before.UTC().Format(time.RFC3339))
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n == 1, err
}

// dataRecorded is the number of migrations with which data files are recorded.
const dataRecorded = 10

// noteEarlierData records the data files of a directory that was written before they were recorded.
func (s *Store) noteEarlierData(ctx context.Context, tx dbtx) error {
	all, err := queryAll(ctx, tx, scanProject, "SELECT "+projectColumns+" FROM projects")
	if err != nil {
		return err
	}
	for _, p := range all {
		_, err := os.Stat(filepath.Join(s.dir, "projects", p.ID, "data.duckdb"))
		if err == nil {
			_, err = tx.ExecContext(ctx, "INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT DO NOTHING",
				factData+p.ID, s.stamp())
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
