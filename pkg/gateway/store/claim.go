package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// ErrClaimed is the error of a store that another gateway uses.
var ErrClaimed = errors.New("another gateway uses this store")

var errFormer = errors.New("the former connection was ended")

// claim is a lock on a database of PostgreSQL, held by a connection: the server releases it when the process has ended,
// and some seconds after its machine has.
type claim struct {
	config *pgx.ConnConfig
	shared bool
	stop   context.CancelFunc
	ended  chan struct{} // closed after the claim was given up

	mu   sync.Mutex
	lost error  // another gateway has it
	pid  uint32 // of the latest connection, for the server
}

const (
	claimWithin = 2 * time.Second // for which a process may still have it that was killed
	claimPause  = 100 * time.Millisecond
	claimEvery  = time.Second // between two looks at the connection
	claimAnswer = 5 * time.Second
)

func claimed(ctx context.Context, config *pgx.ConnConfig, shared bool) (*claim, error) {
	c := &claim{config: config, shared: shared, ended: make(chan struct{})}
	var conn *pgx.Conn
	for end := time.Now().Add(claimWithin); ; {
		var err error
		if conn, err = c.take(ctx, 0); err == nil {
			break
		}
		if !errors.Is(err, ErrClaimed) || time.Now().After(end) {
			return nil, err
		}
		if err := retry.Sleep(ctx, claimPause); err != nil {
			return nil, err
		}
	}
	ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	safely.Go(func() { c.hold(ctx, conn) })
	return c, nil
}

// take locks the schema of the tables. A lock of gateways that share the store excludes one that does not. former is
// the process of an earlier connection with the lock, 0 for none: it is ended if the server does not know yet that the
// connection is lost.
func (c *claim) take(ctx context.Context, former uint32) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, claimAnswer)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, c.config)
	if err != nil {
		return nil, err
	}
	ask := "SELECT current_schema() IS NOT NULL, pg_try_advisory_lock($1, hashtext(current_schema()))"
	if c.shared {
		ask = "SELECT current_schema() IS NOT NULL, pg_try_advisory_lock_shared($1, hashtext(current_schema()))"
	}
	var schema bool
	var ours *bool
	switch err = conn.QueryRow(ctx, ask, ApplicationID).Scan(&schema, &ours); {
	case err != nil:
	case !schema:
		err = errors.New("the database has no schema for its tables")
	case !*ours:
		var ended bool
		err = conn.QueryRow(ctx, "SELECT coalesce(bool_or(pg_terminate_backend(pid)), false) FROM pg_locks "+
			"WHERE locktype = 'advisory' AND classid = $1 AND pid = $2", uint32(ApplicationID),
			int32(former)).Scan(&ended)
		switch {
		case err != nil:
		case ended:
			err = errFormer
		default:
			err = ErrClaimed
		}
	default:
		c.mu.Lock()
		c.pid = conn.PgConn().PID()
		c.mu.Unlock()
		return conn, nil
	}
	return nil, errors.Join(err, conn.Close(ctx))
}

// session is what the server calls the latest connection.
func (c *claim) session() uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pid
}

// hold renews the claim after its connection was lost. While the server is away nobody can have it.
func (c *claim) hold(ctx context.Context, conn *pgx.Conn) {
	defer close(c.ended)
	former := conn.PgConn().PID()
	for retry.Sleep(ctx, claimEvery) == nil {
		if conn != nil {
			look, cancel := context.WithTimeout(ctx, claimAnswer)
			err := conn.Ping(look)
			cancel()
			if err == nil {
				continue
			}
			_ = conn.Close(ctx) // of a connection that is lost
		}
		var err error
		if conn, err = c.take(ctx, former); err == nil {
			former = conn.PgConn().PID()
		} else if errors.Is(err, ErrClaimed) {
			c.mu.Lock()
			c.lost = err
			c.mu.Unlock()
			return
		}
	}
	if conn != nil {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimAnswer)
		defer cancel()
		_ = conn.Close(end) // the end of the process releases it as well
	}
}

// err is ErrClaimed after another gateway has taken the store, nil otherwise.
func (c *claim) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

func (c *claim) close() error {
	c.stop()
	<-c.ended
	return nil
}
