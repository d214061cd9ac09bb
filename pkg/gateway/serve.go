package gateway

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/dig-cli/dig/internal/loopback"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/outcome"
)

const (
	socketName = "gateway.sock"
	lockName   = "gateway.lock"
)

// ErrServing is returned when another process already serves the data directory.
var ErrServing = errors.New("a gateway already serves this data directory")

// ErrForeign is the error of a data directory, or a socket in it, that another user controls.
var ErrForeign = errors.New("belongs to another user")

// Dial finds a running `gateway serve` of the data directory and returns a transport over its socket. Whoever owns the
// socket or can replace it would receive statements, rows and credentials, so that must be the user of this process:
// otherwise the error is ErrForeign.
func Dial(dir string) (rt http.RoundTripper, serving bool, err error) {
	path := filepath.Join(dir, socketName)
	if _, err := os.Stat(path); err != nil {
		return nil, false, nil
	}
	for _, at := range []string{dir, path} {
		st, err := os.Lstat(at)
		if err == nil && st.Mode()&fs.ModeSymlink != 0 && at == dir {
			st, err = os.Stat(at)
		}
		if err != nil {
			return nil, false, nil // removed meanwhile
		}
		if !tempfile.OwnedByUser(st) {
			return nil, false, fmt.Errorf("%s %w", at, ErrForeign)
		}
		if at == dir && !tempfile.Private(st) {
			return nil, false, fmt.Errorf("%s can be changed by all users, so its socket may be one that %w",
				at, ErrForeign)
		}
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	if err != nil {
		return nil, false, nil // left behind by a killed process
	}
	c.Close()
	return outcome.Transport{Transport: &http.Transport{
		DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", path)
		},
	}}, true, nil
}

// unserved returns ErrServing if a gateway serves the data directory.
func unserved(dir string) error {
	_, serving, err := Dial(dir)
	if serving {
		return ErrServing
	}
	return err
}

// Address is where a gateway listens, besides the socket of its data directory.
type Address struct {
	Listen    string // host:port
	Metrics   string // the same for those who watch the gateway, without keys and never encrypted; "" for none
	AnyHost   bool   // also if other machines can reach it without encryption
	Encrypted bool   // Listen has TLS
}

// Listeners are the listeners of a served gateway: a TCP address and the socket of the data directory, with the lock of
// that directory.
type Listeners struct {
	TCP, Socket net.Listener
	Metrics     net.Listener // nil for none
	lock        io.Closer    // nil if another process holds it
	file        *os.File     // of the lock, if a lock can be passed to another process
	path        string       // of the socket
}

// Bind creates a data directory and opens both listeners for a process to which they are passed.
func Bind(dir string, at Address) (*Listeners, error) {
	if err := at.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// The worker of a killed supervisor runs a moment longer, and still holds the lock and the address.
	for end := time.Now().Add(afterKill); ; time.Sleep(10 * time.Millisecond) {
		l, err := bind(dir, at)
		if err == nil {
			if !interrupted(dir) {
				return l, nil
			}
			if err = finish(dir); err == nil { // it has moved the socket
				l.Close()
				continue
			}
			return nil, errors.Join(err, l.Close())
		}
		if !errors.Is(err, ErrServing) && !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(end) {
			return nil, err
		}
	}
}

const (
	afterKill  = time.Second
	lastCalls  = 30 * time.Millisecond // to accept the calls that have arrived
	guardEvery = time.Second           // between two looks at the data directory
	lastReads  = 2 * time.Second       // for which a reply waits for a reader that has stopped
)

// The errors of an address to listen on: ErrAddress is every one, ErrNotLoopback that of an address that other machines
// can reach.
var (
	ErrAddress     = errors.New("address")
	ErrNotLoopback = errors.New("not a loopback address")
	ErrMetrics     = errors.New("address of the metrics") // of Address.Metrics, in addition
)

func (a Address) check() error {
	if err := checkAddress(a.Listen, a.AnyHost || a.Encrypted); err != nil || a.Metrics == "" {
		return err
	}
	if err := checkAddress(a.Metrics, a.AnyHost); err != nil {
		return metricsError{err}
	}
	return nil
}

// metricsError is the error of Address.Metrics.
type metricsError struct{ error }

func (e metricsError) Unwrap() error      { return e.error }
func (metricsError) Is(target error) bool { return target == ErrMetrics }

func checkAddress(addr string, anyHost bool) error {
	host, and := strings.Trim(addr, "[]"), "has no port and "
	noPort := net.ParseIP(host) != nil || strings.Trim(host, "0123456789") != "" && !strings.Contains(host, ":")
	if !noPort {
		h, _, err := net.SplitHostPort(addr)
		if err != nil {
			return fmt.Errorf("%w %q is not host:port, such as 127.0.0.1:8080", ErrAddress, addr)
		}
		host, and = h, ""
	}
	if !anyHost && !loopback.Is(host) {
		return fmt.Errorf("%w %q %sis %w: keys and rows would cross the network unencrypted", ErrAddress, addr, and,
			ErrNotLoopback)
	}
	if noPort {
		return fmt.Errorf("%w %q has no port; %s would be one with it", ErrAddress, addr,
			net.JoinHostPort(host, "8080"))
	}
	return nil
}

func bind(dir string, at Address) (*Listeners, error) {
	lock, file, err := lockServing(filepath.Join(dir, lockName))
	if err != nil {
		return nil, err
	}
	l := &Listeners{lock: lock, file: file}
	if l.TCP, err = listenTCP(at.Listen); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if at.Metrics != "" {
		if l.Metrics, err = listenTCP(at.Metrics); err != nil {
			return nil, errors.Join(metricsError{err}, l.Close())
		}
	}
	path := filepath.Join(dir, socketName)
	if l.Socket, err = listenSocket(path); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.path = path
	return l, nil
}

func listenTCP(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrAddress, addr, err)
	}
	return l, nil
}

// Files returns the listeners and the lock for another process; metrics is nil if there is no such listener.
func (l *Listeners) Files() (tcp, socket, metrics, lock *os.File, err error) {
	filer := func(n net.Listener) *os.File {
		f, ferr := n.(interface{ File() (*os.File, error) }).File()
		err = errors.Join(err, ferr)
		return f
	}
	if l.Metrics != nil {
		metrics = filer(l.Metrics)
	}
	return filer(l.TCP), filer(l.Socket), metrics, l.file, err
}

// Guards reports whether a lock passed by another process is that of a data directory. If the directory was moved or
// removed, its lock went with it: the directory that now has its name may belong to anybody.
func Guards(dir string, lock *os.File) error {
	held, err := lock.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(filepath.Join(dir, lockName)); err != nil || !os.SameFile(held, there) {
		return fmt.Errorf("the data directory %s is not the one the gateway was started for: its lock is not held", dir)
	}
	return nil
}

// Inherited are listeners that were opened by another process, which holds the lock and removes the socket.
func Inherited(tcp, socket, metrics net.Listener) *Listeners {
	return &Listeners{TCP: tcp, Socket: socket, Metrics: metrics}
}

// Refuse stops accepting calls.
func (l *Listeners) Refuse() {
	for _, n := range []net.Listener{l.TCP, l.Socket, l.Metrics} {
		if n != nil {
			_ = n.Close()
		}
	}
}

// Close stops accepting calls, and releases the data directory if it was locked here.
func (l *Listeners) Close() error {
	l.Refuse()
	if l.path != "" && (l.file == nil || Guards(filepath.Dir(l.path), l.file) == nil) {
		_ = os.Remove(l.path)
	}
	if l.lock != nil {
		return l.lock.Close()
	}
	return nil
}

// Server serves a gateway on the data directory's socket and on a TCP address.
type Server struct {
	g         *Gateway
	listeners *Listeners
	servers   []*http.Server
	errs      chan error
	ended     chan struct{}
	unwind    func()   // stops the schedules
	Addr      net.Addr // of the TCP listener
	Metrics   net.Addr // of that for those who watch the gateway, nil for none
}

// Listen opens both listeners and serves. Requests over TCP need a key; only the owner can connect to the socket. An
// address that is not loopback is rejected unless anyHost is set.
func (g *Gateway) Listen(at Address) (*Server, error) {
	if err := at.check(); err != nil {
		return nil, err
	}
	l, err := bind(g.Options.Dir, at)
	if err != nil {
		return nil, err
	}
	return g.Serve(l), nil
}

// Serve serves on listeners that are open.
func (g *Gateway) Serve(l *Listeners) *Server {
	s := &Server{g: g, listeners: l, ended: make(chan struct{}), errs: make(chan error, 4)}
	s.Addr = l.TCP.Addr()
	tcp := l.TCP
	if c := g.Options.Certificate; c != nil {
		tcp = tls.NewListener(tcp, c.Config())
	}
	s.start(tcp, g.Web.Handler, web.SourceTCP)
	s.start(l.Socket, g.Web.Handler, web.SourceSocket)
	if l.Metrics != nil {
		s.Metrics = l.Metrics.Addr()
		s.start(l.Metrics, g.Web.Probes(), web.SourceTCP)
	}
	if err := g.Queries.EndCutOff(context.Background()); err != nil {
		g.log.Error("cannot end interrupted runs", "error", err)
	}
	g.tellDamage(context.Background())
	s.unwind = g.Jobs.StartSchedules()
	safely.Go(s.guard)
	return s
}

// guard ends the server when its data directory is gone: nothing that it stores would be found again.
func (s *Server) guard() {
	tick := time.NewTicker(guardEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.ended:
			return
		case <-tick.C:
		}
		if err := s.g.Store.Present(); err != nil {
			s.errs <- err
			return
		}
	}
}

func (s *Server) start(l net.Listener, h http.Handler, source string) {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: web.HeaderTime,
		IdleTimeout:       web.IdleTime,
		MaxHeaderBytes:    web.MaxHeader,
		ErrorLog:          slog.NewLogLogger(s.g.log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.Background(), web.SourceKey{}, source)
		},
	}
	s.servers = append(s.servers, srv)
	safely.Go(func() { s.errs <- safely.Try(func() error { return srv.Serve(l) }) })
}

// Wait serves until ctx ends or a listener fails, and after ctx for Options.Drain. Running requests and background work
// have the grace period to finish; after it they are cancelled, and unfinished runs end as failed.
func (s *Server) Wait(ctx context.Context, grace time.Duration) error {
	var err error
	select {
	case <-ctx.Done():
	case err = <-s.errs:
	}
	s.g.Web.Stop()
	s.unwind()
	if err == nil && s.g.Options.Drain > 0 {
		// Those who send calls here learn from the probe that they are to send them elsewhere.
		s.g.log.Info("not ready any more; calls are answered until the end of the drain", "drain",
			s.g.Options.Drain.String())
		over := time.NewTimer(s.g.Options.Drain)
		defer over.Stop()
		select {
		case <-over.C:
		case err = <-s.errs:
		}
	}
	close(s.ended)
	if s.g.Store.Present() != nil {
		grace = 0
	} else { // another directory of that name may have a socket of its own
		// Calls that were received before are answered: closing a listener resets those that it has not accepted yet.
		_ = os.Remove(filepath.Join(s.g.Options.Dir, socketName))
	}
	time.Sleep(lastCalls)
	s.g.Web.Hurry(lastReads)
	s.g.Options.Inject.Release()
	s.g.Options.Quirks.Release()
	if n := s.g.Jobs.Left(); n > 0 {
		s.g.log.Warn("stopping: waiting for background work; a second signal stops immediately", "runs", n, "grace",
			grace.String())
	}
	stop, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	var all sync.WaitGroup
	for _, srv := range s.servers {
		safely.Wait(&all, func() {
			if srv.Shutdown(stop) != nil {
				srv.Close()
			}
		})
	}
	all.Wait()
	if !s.g.Jobs.Drained(stop.Done()) {
		s.g.log.Warn("the grace period is over: background work is cancelled", "runs", s.g.Jobs.Left())
		s.g.Jobs.Interrupt()
		s.g.Jobs.WaitJobs()
	}
	_ = s.listeners.Close()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// ServeKey creates a partner key that is valid for the lifetime of this process and returns its text.
func (g *Gateway) ServeKey() string {
	text := NewServeKey()
	g.UseServeKey(text)
	return text
}

// NewServeKey generates the text of a partner key for UseServeKey.
func NewServeKey() string { return store.NewKeyText() }

// UseServeKey makes text a valid partner key for the lifetime of this process. It is not stored anywhere.
func (g *Gateway) UseServeKey(text string) { g.Web.UseServedKey(text) }

// ForLog removes quoted parts from a statement, and truncates a long one.
func ForLog(statement string) string {
	if len(statement) > maxLogged {
		statement = statement[:maxLogged] + "..."
	}
	return web.ForLog(strings.ToValidUTF8(statement, "?"))
}

const maxLogged = 200 // bytes of a statement

// Identifiers that every data directory starts with, so that the local zone needs no look-up.
const (
	DefaultOrganization = store.DefaultOrganization
	DefaultWorkspace    = store.DefaultWorkspace
	DefaultProject      = store.DefaultProject
)
