package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// PlaceName is a file of a data directory whose state is in PostgreSQL.
const PlaceName = "store.json"

// place is the contents of that file. Rows and state belong together: both have the same id.
type place struct {
	Address string `json:"address"` // without a password
	ID      string `json:"id"`
}

// placeOf reads the file; without one the id is "".
func placeOf(dir string) (p place, err error) {
	path := filepath.Join(dir, PlaceName)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		if err = json.Unmarshal(raw, &p); err == nil && p.ID == "" {
			err = errors.New("it has no id")
		}
	}
	if err != nil {
		return p, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Elsewhere is a *zone.Elsewhere if the state of a data directory is in PostgreSQL.
func Elsewhere(dir string) error {
	p, err := placeOf(dir)
	if err != nil || p.ID == "" {
		return err
	}
	return &zone.Elsewhere{Dir: dir, Address: p.Address}
}

// factPlace is the fact of a store that belongs to one data directory: its id.
const factPlace = "data directory"

// bind joins the store to its data directory on first use, and fails if it belongs to another one.
func (s *Store) bind(ctx context.Context) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(s.dir, "state.db")); err == nil {
		return fmt.Errorf("%w: %s has a state of its own, in SQLite", ErrPlace, s.dir)
	}
	p, err := placeOf(s.dir)
	if err != nil {
		return err
	}
	have, err := s.fact(ctx, factPlace)
	if err != nil {
		return err
	}
	switch {
	case p.ID == "" && have != "":
		return fmt.Errorf("%w: the rows are not in %s but in another one", ErrPlace, s.dir)
	case have != "" && p.ID != have:
		return fmt.Errorf("%w: the rows are not in %s, whose state is in %s", ErrPlace, s.dir, p.Address)
	case have == "":
		rows, err := filepath.Glob(filepath.Join(s.dir, "projects", "*", "data.duckdb"))
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			return fmt.Errorf("%w: it is empty, but there is %s", ErrPlace, rows[0])
		}
		p.ID = uuid.NewString()
	}
	p.Address = s.at // the file before the fact: with the file alone it can be done again
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	s.path = filepath.Join(s.dir, PlaceName)
	if err := tempfile.Write(s.path, append(raw, '\n')); err != nil {
		return err
	}
	if s.file, err = os.Stat(s.path); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT DO NOTHING", factPlace, p.ID)
	return err
}
