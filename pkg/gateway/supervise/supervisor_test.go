//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package supervise

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// TestEndBeforeSettings: a worker that ends without having read its settings, which are more than a pipe holds, is
// noticed.
func TestEndBeforeSettings(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	s := New(Options{TCP: null, Socket: null, Lock: null, Release: func() {}, Args: []string{os.Args[0],
		"-test.list=^$"}, Log: slog.New(slog.DiscardHandler),
		Text: func(s string) string { return s }, Now: time.Now})
	for i := range maxRemembers {
		s.past.add(offence{"does not end", []engine.Running{{Project: "p", Statement: fmt.Sprint(i)}}}, time.Now())
	}
	ended := make(chan error, 1)
	go func() {
		_, err := s.Run(context.Background())
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the supervisor still waits for a worker that has ended")
	}
}
