package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/dig-cli/dig/pkg/gateway/store"
)

const (
	socketName = "gateway.sock"
	lockName   = "gateway.lock"
)

// ErrServing is returned when another process already serves the data directory.
var ErrServing = errors.New("a gateway already serves this data directory")

// Dial finds a running `gateway serve` of the data directory and returns a transport over its socket.
func Dial(dir string) (http.RoundTripper, bool) {
	path := filepath.Join(dir, socketName)
	if _, err := os.Stat(path); err != nil {
		return nil, false
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	if err != nil {
		return nil, false // left behind by a process that was killed
	}
	c.Close()
	return &http.Transport{
		DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", path)
		},
	}, true
}

// Server serves a gateway on the data directory's socket and on a TCP address.
type Server struct {
	g       *Gateway
	lock    *flock.Flock
	servers []*http.Server
	errs    chan error
	unwind  func()   // stops the schedules
	Addr    net.Addr // of the TCP listener
}

// Listen opens both listeners. Requests over TCP need a key; only the owner can connect to the socket. An address that is not
// loopback is refused unless anyHost is set.
func (g *Gateway) Listen(addr string, anyHost bool) (*Server, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("address %q is not host:port", addr)
	}
	if ip := net.ParseIP(host); !anyHost && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("address %q is not a loopback address: keys and rows would cross the network unencrypted", addr)
	}
	s := &Server{g: g, lock: flock.New(filepath.Join(g.options.Dir, lockName)), errs: make(chan error, 2)}
	ok, err := s.lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrServing
	}
	tcp, err := net.Listen("tcp", addr)
	if err != nil {
		s.lock.Unlock()
		return nil, err
	}
	unix, err := listenSocket(filepath.Join(g.options.Dir, socketName))
	if err != nil {
		tcp.Close()
		s.lock.Unlock()
		return nil, err
	}
	s.Addr = tcp.Addr()
	s.start(tcp, sourceTCP)
	s.start(unix, sourceSocket)
	if err := g.endCutOff(context.Background()); err != nil {
		g.log.Error("runs that were cut off could not be ended", "error", err)
	}
	s.unwind = g.startSchedules()
	return s, nil
}

func (s *Server) start(l net.Listener, source string) {
	srv := &http.Server{
		Handler:           s.g.handler,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.Background(), sourceKey{}, source)
		},
	}
	s.servers = append(s.servers, srv)
	go func() { s.errs <- srv.Serve(l) }()
}

// Wait serves until ctx ends or a listener fails. Requests and background work that go on then have the grace to end; what is left
// is cancelled, and its runs end as failed.
func (s *Server) Wait(ctx context.Context, grace time.Duration) error {
	var err error
	select {
	case <-ctx.Done():
	case err = <-s.errs:
	}
	s.unwind()
	s.g.options.Inject.release()
	s.g.options.Quirks.release()
	if n := s.g.working.Load(); n > 0 {
		s.g.log.Warn("stopping: waiting for background work; a second signal ends it at once", "runs", n, "grace", grace.String())
	}
	stop, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	var all sync.WaitGroup
	for _, srv := range s.servers {
		all.Go(func() {
			if srv.Shutdown(stop) != nil {
				srv.Close()
			}
		})
	}
	all.Wait()
	if !s.g.drained(stop.Done()) {
		s.g.log.Warn("the grace is over: background work is cancelled", "runs", s.g.working.Load())
		s.g.Interrupt()
		s.g.waitJobs()
	}
	os.Remove(filepath.Join(s.g.options.Dir, socketName))
	s.lock.Unlock()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// ServeKey makes a partner key that is good as long as this process lives and returns its text, which is not kept anywhere.
func (g *Gateway) ServeKey() string {
	text := store.NewKeyText()
	g.options.servedKey = store.HashKey(text)
	return text
}

// Identifiers that every data directory starts with, so that the local zone needs no look-up.
const (
	DefaultOrganization = store.DefaultOrganization
	DefaultWorkspace    = store.DefaultWorkspace
	DefaultProject      = store.DefaultProject
)
