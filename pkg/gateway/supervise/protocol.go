package supervise

import (
	"log/slog"
	"os"
	"time"
)

// Options are what a supervisor passes on.
type Options struct {
	TCP, Socket, Lock *os.File
	Release           func() // called when no call shall be taken any more
	Key               string
	Args              []string // the command line of a worker, with the name of the program
	Log               *slog.Logger
	Text              func(statement string) string // as it may stand in a log
	Now               func() time.Time
}

// workerVar tells a process that it is a worker, and of which supervisor.
const workerVar = "DIG_GATEWAY_WORKER"

// The files that a worker inherits.
const (
	fileTCP = 3 + iota
	fileSocket
	fileOrders  // from the supervisor: the settings, later stopOrder; the end of the file is the end of the supervisor
	fileReports // to the supervisor
	fileLock    // of the data directory, which is held as long as one of both lives
)

// settings are the first line a worker reads.
type settings struct {
	Key   string  `json:"key"`   // of --print-key
	First bool    `json:"first"` // nobody has been told the address yet
	Past  *ledger `json:"past"`
}

const stopOrder = "stop\n"

// report is a line that a worker writes.
type report struct {
	Ready    bool     `json:"ready,omitempty"`
	Told     bool     `json:"told,omitempty"`     // the address, to whoever started the gateway
	Stopping bool     `json:"stopping,omitempty"` // by a signal of its own
	End      *offence `json:"end,omitempty"`
}
