//go:build unix

package gateway_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
)

// TestDialOfOthers: a socket is used only if nobody else owns it or can replace it.
func TestDialOfOthers(t *testing.T) {
	dir, err := os.MkdirTemp("", "d") // short: the length of a socket's name is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if _, serving, err := gateway.Dial(dir); serving || err != nil {
		t.Fatalf("no gateway: %v, %v", serving, err)
	}
	g, err := gateway.Open(gateway.Options{Dir: dir, OpenEngine: gatewaytest.Open(t).Options.OpenEngine})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	s, err := g.Listen(gateway.Address{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // Wait ends it then
		_ = s.Wait(ctx, 0)
	})
	if rt, serving, err := gateway.Dial(dir); rt == nil || !serving || err != nil {
		t.Fatalf("one's own gateway: %v, %v", serving, err)
	}
	refused := func(what string) {
		t.Helper()
		if rt, serving, err := gateway.Dial(dir); rt != nil || serving || !errors.Is(err, gateway.ErrForeign) {
			t.Errorf("%s: %v, %v", what, serving, err)
		}
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	refused("a directory that all users can change")
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to others")
	}
	socket := filepath.Join(dir, "gateway.sock")
	for _, at := range []string{socket, dir} {
		if err := os.Lchown(at, 12345, -1); err != nil {
			t.Fatal(err)
		}
		refused(at)
		if err := os.Lchown(at, os.Geteuid(), -1); err != nil {
			t.Fatal(err)
		}
	}
}
