package cli

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/zone"
	"github.com/spf13/cobra"
)

// Env is everything a run touches outside itself. Tests set its fields.
type Env struct {
	Name   string // the name the program was called by: dig or digctl
	Args   []string
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	Getenv func(string) string // viper reads the variables of settings from the process instead
	Dir    string              // working directory
	Now    func() time.Time

	InTerm, OutTerm, ErrTerm bool // whether the streams are terminals
	Width, Height            int  // of the terminal that Out writes to

	Process   bool                    // the run is that of this process, with the process's own streams and arguments
	Interrupt context.CancelCauseFunc // interrupts the run as a signal would
	AtOnce    *atomic.Pointer[func()] // called before a second signal ends the process
	HangUp    *atomic.Pointer[func()] // if set, SIGHUP calls this and ends nothing
	Trap      *atomic.Pointer[func()] // if not nil, an interrupt from the terminal calls this instead of Interrupt

	Zone Zone
	// Again runs another command line over the same streams, and returns its exit code.
	Again func(ctx context.Context, args []string) int

	Run Session
}

// Zone is how a run reaches zone local. The program passes it, so that no command links to a gateway or its engine.
type Zone struct {
	zone.Functions
	Commands func(*Env) *cobra.Command // the commands about the gateway itself
	// Cluster examines the cluster over which a gateway with the variables of this environment serves; nil without one.
	Cluster func(context.Context, *Env) (*Cluster, error)
}

// Cluster is what is known of a cluster.
type Cluster struct {
	Detail  string
	Several bool  // it has several projects
	Lacks   error // what several projects need and it does not do
}

// ErrTerminated is a SIGTERM or SIGHUP: unlike an interrupt from a terminal, it is sent to this process only.
var ErrTerminated = fmt.Errorf("terminated: %w", context.Canceled)
