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

// Possible reports whether this system supports a supervisor: processes that inherit listeners.
const Possible = false

var errNone = errors.New("this system does not support a supervised gateway")

// Worker is not supported here.
type Worker struct {
	TCP, Socket net.Listener
	Lock        *os.File
	Metrics     net.Listener
	Key         string
	First       bool
	Replaced    int
}

// IsWorker is false.
func IsWorker(func(string) string) bool { return false }

// Attach fails.
func Attach(func() time.Time) (*Worker, error) { return nil, errNone }

// Follow does nothing.
func (*Worker) Follow(_, _ func()) {}

// Ready does nothing.
func (*Worker) Ready() {}

// Told does nothing.
func (*Worker) Told() {}

// Stopping does nothing.
func (*Worker) Stopping() {}

// Admit accepts every statement.
func (*Worker) Admit(string, string) error { return nil }

// Stuck does nothing.
func (*Worker) Stuck(string, []engine.Running) {}

// Supervisor is not supported here.
type Supervisor struct{}

// New returns nil.
func New(Options) *Supervisor { return &Supervisor{} }

// Kill does nothing.
func (*Supervisor) Kill() {}

// Reload does nothing.
func (*Supervisor) Reload() {}

// Run fails.
func (*Supervisor) Run(context.Context) (int, error) { return 0, errNone }
