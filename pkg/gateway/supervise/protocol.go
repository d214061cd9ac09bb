package supervise

import (
	"log/slog"
	"os"
	"time"
)

// Options configure a supervisor and the workers it starts.
type Options struct {
	TCP, Socket, Lock *os.File
	Metrics           *os.File // nil for none
	Release           func()   // called when no further calls are to be accepted
	Key               string
	Args              []string // the command line of a worker, with the name of the program
	Log               *slog.Logger
	Text              func(statement string) string // returns a statement in a form that may be logged
	Now               func() time.Time
	Grace             time.Duration // how long a worker may work on after it was told to stop
}

// workerVar is the environment variable that marks a process as a worker. Its value is the process id of the
// supervisor.
const workerVar = "DIG_GATEWAY_WORKER"

// The files that a worker inherits.
const (
	fileTCP = 3 + iota
	fileSocket
	fileOrders  // from the supervisor: the settings, later stopOrder; end of file means that the supervisor has ended
	fileReports // to the supervisor
	fileLock    // the lock of the data directory, held as long as the supervisor or the worker is alive
	fileMetrics // the listener of --metrics-listen, if there is one
)

// ExitReplaced is the exit code of a worker that is replaced; that of the Go runtime after a panic.
const ExitReplaced = 2

// settings are the first line a worker reads.
type settings struct {
	Key      string  `json:"key"`      // of --print-key
	First    bool    `json:"first"`    // the address has not been printed yet
	Metrics  bool    `json:"metrics"`  // Options.Metrics is set
	Replaced int     `json:"replaced"` // number of workers before this one
	Past     *ledger `json:"past"`
}

// The orders to a worker after the settings.
const (
	stopOrder   = "stop\n"
	reloadOrder = "reload\n"
)

// report is a line written by a worker.
type report struct {
	Alive bool `json:"alive,omitempty"` // written every second
	Ready bool `json:"ready,omitempty"`
	Told  bool `json:"told,omitempty"` // the address was printed for the user who started the gateway
	// no further calls are accepted, for example after a signal to the worker
	Stopping bool     `json:"stopping,omitempty"`
	End      *offence `json:"end,omitempty"`
}
