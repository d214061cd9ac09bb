//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package supervise

import (
	"context"
	"errors"
	"net"
	"os"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Possible reports whether this system has what a supervisor needs: processes that inherit listeners.
const Possible = false

var errNone = errors.New("this system has no supervised gateway")

// Worker is not to be had here.
type Worker struct {
	TCP, Socket net.Listener
	Lock        *os.File
	Key         string
	First       bool
}

// IsWorker is false.
func IsWorker(func(string) string) bool { return false }

// Attach fails.
func Attach(func() time.Time) (*Worker, error) { return nil, errNone }

// Follow does nothing.
func (*Worker) Follow(func()) {}

// Ready does nothing.
func (*Worker) Ready() {}

// Told does nothing.
func (*Worker) Told() {}

// Stopping does nothing.
func (*Worker) Stopping() {}

// Admit lets everything run.
func (*Worker) Admit(string, string) error { return nil }

// Stuck does nothing.
func (*Worker) Stuck(string, []engine.Running) {}

// Supervisor is not to be had here.
type Supervisor struct{}

// New makes nothing.
func New(Options) *Supervisor { return &Supervisor{} }

// Kill does nothing.
func (*Supervisor) Kill() {}

// Run fails.
func (*Supervisor) Run(context.Context) (int, error) { return 0, errNone }
