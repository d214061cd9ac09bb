//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package supervise

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// Possible reports whether this system supports a supervisor: processes that inherit listeners.
const Possible = true

// Worker is the worker's side, in a process that was started by a supervisor.
type Worker struct {
	TCP, Socket net.Listener
	Lock        *os.File     // of the data directory
	Metrics     net.Listener // nil for none
	Key         string       // created by --print-key
	First       bool         // the address is to be printed
	Replaced    int          // number of workers before this one

	past   *ledger
	now    func() time.Time
	orders *bufio.Reader

	mu      sync.Mutex
	reports *os.File
}

var _ engine.Warden = (*Worker)(nil)

// IsWorker reports whether a supervisor has started this process.
func IsWorker(getenv func(string) string) bool {
	pid, err := strconv.Atoi(getenv(workerVar))
	return err == nil && pid == os.Getppid()
}

// Attach takes over what the supervisor has passed to this process.
func Attach(now func() time.Time) (*Worker, error) {
	for fd := fileTCP; fd <= fileLock; fd++ { // what else is inherited is opened by inherited
		syscall.CloseOnExec(fd)
	}
	w := &Worker{now: now, Lock: os.NewFile(fileLock, "lock"), reports: os.NewFile(fileReports, "reports"),
		orders: bufio.NewReader(os.NewFile(fileOrders, "orders"))}
	line, err := w.orders.ReadBytes('\n')
	s := settings{Past: newLedger()}
	if err == nil {
		err = json.Unmarshal(line, &s)
	}
	if err != nil {
		return nil, fmt.Errorf("the supervisor of this process has ended: %w", err)
	}
	w.Key, w.First, w.Replaced, w.past = s.Key, s.First, s.Replaced, s.Past
	var errs [3]error
	w.TCP, errs[0] = inherited(fileTCP)
	w.Socket, errs[1] = inherited(fileSocket)
	if s.Metrics {
		w.Metrics, errs[2] = inherited(fileMetrics)
	}
	return w, errors.Join(errs[:]...)
}

func inherited(fd uintptr) (net.Listener, error) {
	f := os.NewFile(fd, "listener")
	defer f.Close()
	return net.FileListener(f)
}

// Follow calls stop when the supervisor requests an orderly shutdown, and reload when it asks for settings to be read
// again. If the supervisor ends, the process ends immediately.
func (w *Worker) Follow(stop, reload func()) {
	safely.Go(func() {
		for range time.Tick(beat) {
			w.report(report{Alive: true})
		}
	})
	safely.Go(func() {
		defer os.Exit(1)
		for {
			line, err := w.orders.ReadString('\n')
			if err != nil {
				return
			}
			switch line {
			case stopOrder:
				stop()
			case reloadOrder:
				reload()
			}
		}
	})
}

func (w *Worker) report(r report) {
	raw, err := json.Marshal(r)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.reports.Write(append(raw, '\n')) // this process ends with its supervisor
}

// Ready reports that the gateway is serving.
func (w *Worker) Ready() { w.report(report{Ready: true}) }

// Told reports that the address was printed, so that no other worker prints it.
func (w *Worker) Told() { w.report(report{Told: true}) }

// Stopping reports that no further calls are accepted, for whatever reason.
func (w *Worker) Stopping() { w.report(report{Stopping: true}) }

// Admit temporarily rejects statements that have ended workers before.
func (w *Worker) Admit(project, statement string) error {
	return w.past.admit(project, statement, w.now())
}

// Stuck requests the end of this process.
func (w *Worker) Stuck(why string, running []engine.Running) {
	w.report(report{End: &offence{why, running}})
}
