package pipe

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

var errLeft = errors.New("left")

// TestNoOtherEnd: opening, reading and writing a named pipe end with the context.
func TestNoOtherEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errLeft)
		if f, err := Open(ctx, path, flag); !errors.Is(err, errLeft) {
			t.Errorf("flag %d: %v, %v", flag, f, err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	hold, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	out, err := Open(ctx, path, os.O_WRONLY)
	if err != nil {
		t.Fatal(err)
	}
	in, err := Open(ctx, path, os.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(out, "rows"); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 10)
	if n, err := in.Read(buf); err != nil || string(buf[:n]) != "rows" {
		t.Fatalf("%q, %v", buf[:n], err)
	}
	ended := make(chan error)
	go func() { _, err := in.Read(buf); ended <- err }()
	cancel(errLeft)
	if err := <-ended; !errors.Is(err, errLeft) {
		t.Error(err)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	full, err := Open(ctx, path, os.O_WRONLY)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			if _, err := full.Write(make([]byte, 1<<20)); err != nil {
				ended <- err
				return
			}
		}
	}()
	cancel(errLeft)
	if err := <-ended; !errors.Is(err, errLeft) {
		t.Error(err)
	}
	if err := errors.Join(in.Close(), out.Close(), full.Close()); err != nil {
		t.Error(err)
	}
}
