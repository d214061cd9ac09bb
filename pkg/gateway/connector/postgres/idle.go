package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/dig-cli/dig/pkg/gateway/safely"
)

const (
	maxIdle  = 2
	idleTime = 10 * time.Second
)

// idle holds a few sessions for the next statement: opening one costs several round trips and a slow password hash.
type idle struct {
	mu     sync.Mutex
	conns  []*pgx.Conn
	timer  *time.Timer
	closed bool
}

// take returns an idle session that is still alive, or nil.
func (i *idle) take(ctx context.Context) *pgx.Conn {
	for {
		i.mu.Lock()
		n := len(i.conns)
		if n == 0 {
			i.mu.Unlock()
			return nil
		}
		c := i.conns[n-1]
		i.conns = i.conns[:n-1]
		i.mu.Unlock()
		if c.Ping(ctx) == nil { // the server may have closed the connection meanwhile
			return c
		}
		hangUp(c)
	}
}

// put stores a session that can run another statement and closes any other one.
func (i *idle) put(c *pgx.Conn) {
	i.mu.Lock()
	if c.IsClosed() || c.PgConn().IsBusy() || c.PgConn().TxStatus() != 'I' || i.closed || len(i.conns) >= maxIdle {
		i.mu.Unlock()
		hangUp(c)
		return
	}
	defer i.mu.Unlock()
	i.conns = append(i.conns, c)
	if i.timer == nil {
		i.timer = safely.AfterFunc(idleTime, func() { i.drop(false) })
	} else {
		i.timer.Reset(idleTime)
	}
}

func (i *idle) drop(last bool) {
	i.mu.Lock()
	conns := i.conns
	i.conns, i.closed = nil, i.closed || last
	i.mu.Unlock()
	for _, c := range conns {
		hangUp(c)
	}
}

func (i *idle) close() { i.drop(true) }
