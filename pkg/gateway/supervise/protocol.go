package supervise

import (
	"log/slog"
	"os"
	"time"
)

// Options are what a supervisor passes on.
type Options struct {
	TCP, Socket, Lock *os.File
	Release           func() // called when no further calls are to be accepted
	Key               string
	Args              []string // the command line of a worker, with the name of the program
	Log               *slog.Logger
	Text              func(statement string) string // in a form that may be logged
	Now               func() time.Time
}

// workerVar tells a process that it is a worker, and the id of its supervisor.
const workerVar = "DIG_GATEWAY_WORKER"

// The files that a worker inherits.
const (
	fileTCP = 3 + iota
	fileSocket
	fileOrders  // from the supervisor: the settings, later stopOrder; end of file means that the supervisor has ended
	fileReports // to the supervisor
	fileLock    // of the data directory, which is locked as long as one of both is alive
)

// settings are the first line a worker reads.
type settings struct {
	Key   string  `json:"key"`   // of --print-key
	First bool    `json:"first"` // the address has not been printed yet
	Past  *ledger `json:"past"`
}

const stopOrder = "stop\n"

// report is a line written by a worker.
type report struct {
	Ready    bool     `json:"ready,omitempty"`
	Told     bool     `json:"told,omitempty"`     // the address, for the user who started the gateway
	Stopping bool     `json:"stopping,omitempty"` // by a signal it received itself
	End      *offence `json:"end,omitempty"`
}
