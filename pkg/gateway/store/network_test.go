package store

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/jackc/pgx/v5"
)

// TestLostEnd: a change whose answer is lost with the connection was made once, or is said to be unknown.
func TestLostEnd(t *testing.T) {
	ctx := context.Background()
	u := testdb.Postgres(t)
	var n network
	u.Host = n.open(t, u.Host)
	s := opened(t)(OpenPostgres(ctx, Postgres{Address: u.String()}, t.TempDir(), nil))
	for what, change := range map[string]func() error{
		"catalogs": func() error {
			_, err := s.CreateCatalog(ctx, Catalog{ProjectID: DefaultProject})
			return err
		},
		"query_folders": func() error {
			_, err := s.CreateFolder(ctx, DefaultProject, nil, []string{"x"})
			return err
		},
	} {
		n.lose.Store(true)
		if err := change(); err != nil || n.lose.Load() {
			t.Errorf("%s: lost %v, %v", what, !n.lose.Load(), err)
		}
		equal(t, what, count(t, s, what), 1)
	}
	n.lost.Store(false)
	n.lose.Store(true)
	n.down.Store(true)
	short, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := s.CreateFolder(short, DefaultProject, nil, []string{"y"})
	if !errors.Is(err, ErrUnknown) || errors.Is(err, ErrAway) {
		t.Errorf("without the server: %v", err)
	}
	n.down.Store(false)
	equal(t, "folders", count(t, s, "query_folders"), 2)
}

// TestClaimAfterCut: a gateway keeps its store if its connections are cut and the server does not notice.
func TestClaimAfterCut(t *testing.T) {
	t.Parallel() // it waits
	ctx := context.Background()
	u := testdb.Postgres(t)
	direct := got[*pgx.Conn](t)(pgx.Connect(ctx, u.String()))
	defer direct.Close(ctx)
	var n network
	u.Host = n.open(t, u.Host)
	s := opened(t)(OpenPostgres(ctx, Postgres{Address: u.String()}, t.TempDir(), nil))
	holder := func() (pid int) {
		t.Helper()
		must(t, direct.QueryRow(ctx, "SELECT coalesce(max(pid), 0) FROM pg_locks WHERE locktype = 'advisory' AND "+
			"granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())").Scan(&pid))
		return pid
	}
	before := holder()
	n.cut()
	for range 200 {
		if now := holder(); now != before && now != 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if now := holder(); now == before || now == 0 || s.Present() != nil {
		t.Errorf("%d has it after %d: %v", now, before, s.Present())
	}
}

// network is a way to a server that fails: with lose the next answer to a commit is lost, and with down everything
// after that.
type network struct {
	lose, down, lost, deaf atomic.Bool
	mu                     sync.Mutex
	clients                []net.Conn
}

// cut ends all connections, which the server does not learn.
func (n *network) cut() {
	n.deaf.Store(true)
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.clients {
		_ = c.Close()
	}
}

func (n *network) open(t *testing.T, server string) (address string) {
	l := got[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			srv, err := net.Dial("tcp", server)
			if err != nil {
				_ = c.Close()
				continue
			}
			n.mu.Lock()
			n.clients = append(n.clients, c)
			n.mu.Unlock()
			var answer atomic.Bool // to a commit
			go pass(srv, c, &n.deaf, func(text []byte) bool {
				if bytes.Contains(text, []byte("commit")) && n.lose.Swap(false) {
					answer.Store(true)
					n.lost.Store(true)
					return true
				}
				return !n.lost.Load() || !n.down.Load()
			})
			go pass(c, srv, new(atomic.Bool), func([]byte) bool { return !answer.Load() })
		}
	}()
	return l.Addr().String()
}

// pass passes on what see agrees to, and closes both ends then, with deaf only the near one.
func pass(to, from net.Conn, deaf *atomic.Bool, see func(text []byte) bool) {
	defer from.Close()
	defer func() {
		if !deaf.Load() {
			to.Close()
		}
	}()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		if err != nil || !see(b[:n]) {
			return
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}
