package gatewaytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
)

// LogBuffer collects what a gateway logs.
type LogBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *LogBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *LogBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// KeyClient remembers its key.
type KeyClient struct {
	*api.Client
	Key string
}

// Serve listens on free ports; the client speaks TCP with a partner key.
func Serve(t *testing.T, o gateway.Options) (*gateway.Gateway, *gateway.Server, KeyClient, *LogBuffer) {
	t.Helper()
	log := &LogBuffer{}
	o.Dir, o.OpenEngine = t.TempDir(), duckdb.Open
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	g, err := gateway.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	key := g.ServeKey()
	s, err := g.Listen(gateway.Address{Listen: "127.0.0.1:0", Metrics: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Wait(ctx, 0) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-done, g.Close()); err != nil {
			t.Error(err)
		}
	})
	cl, err := api.New(api.Options{BaseURL: fmt.Sprintf("http://%s/api/v1", s.Addr), Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return g, s, KeyClient{cl, key}, log
}

// StatusOf returns the status of an error that must be an answer of the gateway.
func StatusOf(t *testing.T, err error) int {
	t.Helper()
	var ae *api.Error
	if !errors.As(err, &ae) {
		t.Fatalf("not an answer of the gateway: %v", err)
	}
	return ae.Status
}
