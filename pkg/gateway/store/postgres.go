package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// Postgres is a database of PostgreSQL for the state of a gateway.
type Postgres struct {
	Address  string // postgres://...; what it leaves out is taken from PGPASSWORD, PGPASSFILE and so on, as by libpq
	Password string // "" for that of the address or the environment
	Shared   bool   // other gateways with Shared may use it at the same time: all of them find the same rows
}

// Errors of a store in PostgreSQL that cannot be opened, besides ErrAway.
var (
	ErrAddress = errors.New("not an address of PostgreSQL")
	ErrPlace   = errors.New("the store does not fit the data directory")
)

// connections is the largest number of them, besides the one of the claim.
const connections = 16

// config is the configuration of a connection, and its address without the password.
func (p Postgres) config() (*pgx.ConnConfig, string, error) {
	if u, err := url.Parse(p.Address); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, "", fmt.Errorf("%w, such as postgres://dig@db.example.com/dig", ErrAddress) // err has the password
	}
	c, err := pgx.ParseConfig(p.Address)
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrAddress, err) // without the password
	}
	c.Password = cmp.Or(p.Password, c.Password)
	for name, value := range map[string]string{"application_name": "dig gateway", "lock_timeout": "20s",
		"idle_in_transaction_session_timeout": "60s", // a process that was stopped holds no locks for longer
		"tcp_keepalives_idle":                 "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3"} {
		if c.RuntimeParams[name] == "" {
			c.RuntimeParams[name] = value
		}
	}
	at := url.URL{Scheme: "postgres", User: url.User(c.User), Path: "/" + c.Database,
		Host: net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))}
	if strings.HasPrefix(c.Host, "/") {
		at.Host, at.RawQuery = "", url.Values{"host": {c.Host}}.Encode()
	}
	return c, at.String(), nil
}

// Check reports whether the address can be understood.
func (p Postgres) Check() error {
	_, _, err := p.config()
	return err
}

// OpenPostgres opens a store in PostgreSQL, and creates its tables on first use. dir is the data directory of the
// gateway.
func OpenPostgres(ctx context.Context, p Postgres, dir string, now func() time.Time) (*Store, error) {
	if now == nil {
		now = time.Now
	}
	c, at, err := p.config()
	if err != nil {
		return nil, err
	}
	held, err := claimed(ctx, c, p.Shared)
	if err != nil {
		return nil, fmt.Errorf("the store %s: %w", at, told(err))
	}
	db := stdlib.OpenDB(*c)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	s := &Store{db: &database{DB: db, postgres: true}, at: at, dir: dir, held: held, ids: newIDSource(now), now: now}
	if err = s.migratePostgres(ctx); err == nil && !p.Shared {
		err = s.bind(ctx)
	}
	if err == nil {
		err = s.begin(ctx, p.Shared)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the store %s: %w", at, told(err)), s.Close())
	}
	return s, nil
}

// begin takes a number for the identifiers of this process that no other one has. A gateway that is alone ends the
// leases of those that were there before.
func (s *Store) begin(ctx context.Context, shared bool) error {
	if !shared {
		if _, err := s.db.ExecContext(ctx, "DELETE FROM runners"); err != nil {
			return err
		}
	}
	n, err := queryOne(ctx, s.db, one[int64], "SELECT nextval(pg_get_serial_sequence('runners', 'number'))")
	s.ids.shard = n % shards
	return err
}

// baseline is the number of migrations of SQLite whose result PostgreSQL begins with. Later ones are common to both.
const baseline = 12

// inPostgres writes the types of a migration as PostgreSQL has them. Text is ordered by its bytes, as by SQLite.
var inPostgres = strings.NewReplacer(" TEXT", ` TEXT COLLATE "C"`, " BLOB", " BYTEA", " INTEGER", " BIGINT",
	") STRICT", ")")

func (s *Store) migratePostgres(ctx context.Context) error {
	names, err := migrationNames()
	if err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// Another gateway may migrate it at the same time.
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1, 0)", ApplicationID); err != nil {
		return err
	}
	var there bool
	if err := tx.QueryRowContext(ctx, "SELECT to_regclass('dig_schema') IS NOT NULL").Scan(&there); err != nil {
		return err
	}
	have := 0
	if there {
		err = tx.QueryRowContext(ctx, "SELECT version FROM dig_schema").Scan(&have)
	} else {
		_, err = tx.ExecContext(ctx, "CREATE TABLE dig_schema (version INTEGER NOT NULL); "+
			"INSERT INTO dig_schema VALUES (0)")
	}
	switch {
	case err != nil:
		return err
	case have > len(names):
		return newer(have, "give another database")
	case have == len(names):
		return nil
	}
	pending := names[max(have, baseline):]
	if have == 0 {
		pending = slices.Concat([]string{fmt.Sprintf("migrations/postgres/%04d.sql", baseline)}, pending)
	}
	if err := s.apply(ctx, transaction{tx, s.db}, pending, have, inPostgres.Replace); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE dig_schema SET version = $1", len(names)); err != nil {
		return err
	}
	return tx.Commit()
}
