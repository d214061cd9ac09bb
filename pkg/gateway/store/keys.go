package store

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"time"

	"github.com/google/uuid"
)

// APIKey is a key without its text, of which only a hash is stored.
type APIKey struct {
	ID, Name, Prefix, CreatedAt string
	ProjectID                   *string // nil: a partner key
	ExpiresAt                   *string // nil: never
	hash                        []byte
}

// NewKeyText generates the text of a key: 8 alphanumerics (the public prefix), a dot, 32 alphanumerics [O].
func NewKeyText() string { return randomText(8, alphanumeric) + "." + randomText(32, alphanumeric) }

// HashKey returns the hash of a key, which is stored instead of its text. Keys have 190 bits of entropy, so a plain
// hash cannot be reversed by guessing.
func HashKey(text string) []byte {
	h := sha256.Sum256([]byte("dig key v1\x00" + text))
	return h[:]
}

// Matches compares in constant time.
func (k APIKey) Matches(text string) bool {
	return subtle.ConstantTimeCompare(k.hash, HashKey(text)) == 1
}

// expired reports whether the key has expired.
func (k APIKey) expired(now time.Time) bool {
	if k.ExpiresAt == nil {
		return false
	}
	t, err := time.Parse(time.RFC3339, *k.ExpiresAt)
	return err != nil || !now.Before(t)
}

const keyColumns = "id, project_id, name, prefix, hash, expires_at, created_at"

func scanKey(scan func(...any) error) (k APIKey, err error) {
	err = scan(&k.ID, &k.ProjectID, &k.Name, &k.Prefix, &k.hash, &k.ExpiresAt, &k.CreatedAt)
	return
}

// CreateAPIKey creates a key for a project, or a partner key if project is nil, and returns its text, which is not
// stored.
func (s *Store) CreateAPIKey(ctx context.Context, project *string, name string,
	expiresAt *string) (APIKey, string, error) {
	text := NewKeyText()
	k := APIKey{ID: uuid.NewString(), ProjectID: project, Name: name, Prefix: text[:8], hash: HashKey(text),
		ExpiresAt: expiresAt, CreatedAt: s.stamp()}
	_, err := s.db.ExecContext(ctx, "INSERT INTO api_keys("+keyColumns+") VALUES (?, ?, ?, ?, ?, ?, ?)",
		k.ID, k.ProjectID, k.Name, k.Prefix, k.hash, k.ExpiresAt, k.CreatedAt)
	return k, text, err
}

// APIKeys lists the keys of a project.
func (s *Store) APIKeys(ctx context.Context, project string) ([]APIKey, error) {
	return queryAll(ctx, s.db, scanKey, "SELECT "+keyColumns+
		" FROM api_keys WHERE project_id = ? ORDER BY created_at, id", project)
}

// DeleteAPIKey removes a key of a project; it is rejected from then on.
func (s *Store) DeleteAPIKey(ctx context.Context, project, id string) error {
	return exec(ctx, s.db, "DELETE FROM api_keys WHERE project_id = ? AND id = ?", project, id)
}

// FindKey finds the unexpired key with the given text.
func (s *Store) FindKey(ctx context.Context, text string) (APIKey, error) {
	if len(text) < 9 {
		return APIKey{}, ErrNotFound
	}
	type key struct{ prefix string }
	keys, err := remembered(ctx, s, key{text[:8]}, func() ([]APIKey, error) {
		return queryAll(ctx, s.db, scanKey, "SELECT "+keyColumns+" FROM api_keys WHERE prefix = ?", text[:8])
	})
	if err != nil {
		return APIKey{}, err
	}
	for _, k := range keys {
		if k.Matches(text) && !k.expired(s.now()) {
			return k, nil
		}
	}
	return APIKey{}, ErrNotFound
}
