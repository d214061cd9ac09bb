package gateway_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// TestDrain: a gateway that was told to stop is not ready, and answers calls until the end of the drain.
func TestDrain(t *testing.T) {
	dir := t.TempDir() + "/data"
	g, err := gateway.Open(gateway.Options{Dir: dir, OpenEngine: duckdb.Open, Drain: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	s, err := g.Listen(gateway.Address{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) (int, bool) {
		t.Helper()
		r, err := http.Get("http://" + s.Addr.String() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, r.Close
	}
	if status, last := get(web.ReadyPath); status != 200 || last {
		t.Fatalf("ready: %d, the last of its connection %v", status, last)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Wait(ctx, 0) }()
	stop()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		status, last := get(web.ReadyPath)
		if status == 503 && last {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("told to stop: %d, the last of its connection %v", status, last)
		}
	}
	if status, last := get(web.HealthPath); status != 200 || !last {
		t.Errorf("a call during the drain: %d, the last of its connection %v", status, last)
	}
	select {
	case err := <-done:
		t.Fatalf("it has ended: %v", err)
	default:
	}
	if err := os.RemoveAll(dir); err != nil { // ends it sooner
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("the data directory is gone, and it ended without an error")
	}
}
