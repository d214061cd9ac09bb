package cmd

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// localTransport reaches zone local: a running `gateway serve` over its socket, else a gateway opened inside this process on
// the first request.
type localTransport struct {
	env  *Env
	once sync.Once
	next http.RoundTripper
	gw   *gateway.Gateway
	err  error
}

// RoundTrip opens the gateway on first use.
func (t *localTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.once.Do(t.open)
	if t.err != nil {
		return nil, t.err
	}
	return t.next.RoundTrip(req)
}

func (t *localTransport) open() {
	dir, err := config.DataDir(t.env.Getenv)
	if err != nil {
		t.err = err
		return
	}
	if rt, ok := gateway.Dial(dir); ok {
		t.next = rt
		return
	}
	if t.gw, err = t.env.openGateway(dir); err != nil {
		f := &failure{exit: exitFailed, code: "local", msg: "zone local cannot be opened: " + err.Error(), err: err}
		if store.IsFull(err) {
			f.hint = "no space is left on the disk of " + dir
		}
		t.err = f
		if errors.Is(err, engine.ErrNoEngine) {
			t.err = err
		}
		return
	}
	t.next = t.gw.Transport()
}

// Interrupt cancels the background work of a gateway in this process.
func (t *localTransport) Interrupt() {
	if t.gw != nil {
		t.gw.Interrupt()
	}
}

// Close waits for the gateway's background work.
func (t *localTransport) Close() error {
	if t.gw == nil {
		return nil
	}
	return t.gw.Close()
}

func (e *Env) openGateway(dir string) (*gateway.Gateway, error) {
	if e.Getenv("DIG_DATA_DIR") == "" {
		if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
			return nil, err
		}
	}
	return gateway.Open(gateway.Options{Dir: dir, OpenEngine: duckdb.Open, Now: e.Now, Version: buildVersion(),
		Engine: engine.Options{MemoryLimit: memoryFor(allowedMemory())}})
}
