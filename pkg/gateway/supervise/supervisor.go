//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package supervise

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

const (
	// delay before a worker is replaced that crashed soon after another, doubled each time
	crashWait    = 500 * time.Millisecond
	crashLong    = 10 * time.Second
	crashForgets = time.Minute
	maxUnread    = 100 // log lines
	lastLines    = time.Second

	beat      = time.Second      // between two signs of life of a worker
	silent    = 15               // beats without one, after which a worker is killed
	lastGrace = 30 * time.Second // for a worker that ends beyond its grace period, as long as it gives signs of life
)

// Supervisor keeps a worker running.
type Supervisor struct {
	o    Options
	past *ledger

	says chan func() // queued log lines

	mu      sync.Mutex
	now     *worker
	started int  // workers
	killed  bool // by Kill
}

// New returns a supervisor.
func New(o Options) *Supervisor {
	return &Supervisor{o: o, past: newLedger(), says: make(chan func(), maxUnread)}
}

// say queues a line for the log. It drops the line if the queue is full: a log that nobody reads must not delay the end
// of a worker or the start of the next one.
func (s *Supervisor) say(text string, args ...any) {
	select {
	case s.says <- func() { s.o.Log.Error(text, args...) }:
	default:
	}
}

// log writes the queued lines in the background. finish stops this after the remaining lines; it waits at most
// lastLines for them.
func (s *Supervisor) log() (finish func()) {
	done := make(chan struct{})
	safely.Go(func() {
		defer close(done)
		for line := range s.says {
			line()
		}
	})
	return func() {
		close(s.says)
		select {
		case <-done:
		case <-time.After(lastLines):
		}
	}
}

// worker is the process that serves.
type worker struct {
	cmd     *exec.Cmd
	orders  *os.File
	reports chan report   // closed when it ends
	done    chan struct{} // closed when it is reaped
}

func (w *worker) kill() { _ = w.cmd.Process.Kill() }

// Kill ends the worker immediately and waits for its end. It can be called at any time.
func (s *Supervisor) Kill() {
	s.mu.Lock()
	w := s.now
	s.killed = true
	s.mu.Unlock()
	if w != nil {
		w.kill()
		select {
		case <-w.done:
		case <-time.After(time.Second):
		}
	}
}

// Reload has the worker read its settings again. One that starts later reads them by itself.
func (s *Supervisor) Reload() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != nil {
		_, _ = s.now.orders.WriteString(reloadOrder) // one that has ended is replaced
	}
}

// Run serves until ctx ends or the worker ends on its own, and returns the exit code.
func (s *Supervisor) Run(ctx context.Context) (int, error) {
	runtime.LockOSThread() // on Linux a worker is ended with the thread that has started it
	defer runtime.UnlockOSThread()
	defer s.log()()
	crashes, last, ready := 0.0, time.Time{}, false
	for first := true; ; {
		w, err := s.start(first)
		if err != nil && !ready {
			return 0, err
		}
		var end ending
		var state *os.ProcessState
		if err == nil {
			end = s.watch(ctx, w)
			state = w.cmd.ProcessState
		}
		first, ready = first && !end.told, ready || end.ready
		switch {
		case err != nil: // such as too many open files, or processes
			s.say("cannot start the serving process; retrying", "error", err)
		case end.offence && end.stopping:
			return 0, nil
		case end.offence:
			continue
		case end.stopping, !ready, end.ready && state.Exited() && state.ExitCode() != ExitReplaced:
			if !state.Exited() {
				s.mu.Lock()
				killed := s.killed
				s.mu.Unlock()
				if killed { // by Kill, whose caller ends this process
					select {}
				}
				return 0, fmt.Errorf("the serving process has ended: %s", state)
			}
			return state.ExitCode(), nil
		default:
			s.say("the serving process has ended; it is replaced", "state", state.String())
		}
		if now := s.o.Now(); now.Sub(last) > crashForgets {
			crashes, last = 0, now
		} else {
			crashes, last = crashes+1, now
			if retry.Sleep(ctx, doubled(crashWait, crashLong, crashes)) != nil {
				return 0, nil
			}
		}
	}
}

// ending describes how a worker has ended.
type ending struct{ ready, told, stopping, offence, killed bool }

// watch monitors a worker until its end.
func (s *Supervisor) watch(ctx context.Context, w *worker) (end ending) {
	defer func() { _ = w.orders.Close() }()
	stop, reports := ctx.Done(), w.reports
	tick := time.NewTicker(beat)
	defer tick.Stop()
	// Silence is counted in ticks of this process: when both were stopped and continue, that is no silence.
	alive, quiet, since := false, 0, time.Duration(0)
	kill := func(why string) {
		if !end.killed {
			end.killed = true
			s.say(why)
			w.kill()
		}
	}
	stopping := func() {
		stop = nil
		if !end.stopping {
			end.stopping = true
			s.o.Release()
		}
	}
	for {
		select {
		case <-tick.C:
			if quiet++; alive && quiet >= silent {
				kill("the serving process gives no sign of life; it is killed")
			}
			if !end.stopping {
				continue
			}
			if since += beat; since >= s.o.Grace && quiet > 2 || since >= s.o.Grace+lastGrace {
				kill("the serving process has not ended within the grace period; it is killed")
			}
		case <-stop:
			stopping()
			_, _ = w.orders.WriteString(stopOrder)
		case r, more := <-reports:
			quiet, alive = 0, true
			switch {
			case !more:
				<-w.done
				return end
			case r.Ready:
				end.ready = true
			case r.Told:
				end.told = true
			case r.Stopping:
				stopping()
			case r.End != nil && !end.offence:
				end.offence = true
				s.end(w, *r.End)
			}
		}
	}
}

// end ends a worker because of a statement.
func (s *Supervisor) end(w *worker, o offence) {
	w.kill()
	s.past.add(o, s.o.Now())
	for _, r := range o.Running {
		s.say("the process is killed because of a statement that does not stop, and is replaced", "project",
			r.Project, "why", o.Why,
			"among", len(o.Running), "fingerprint", fingerprint(r.Project, r.Statement), "statement",
			s.o.Text(r.Statement))
	}
}

func (s *Supervisor) start(first bool) (*worker, error) {
	exe := "/proc/self/exe" // the running program, even if its file has been replaced
	if _, err := os.Stat(exe); err != nil {
		if exe, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	orders, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	read, reports, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, orders.Close(), write.Close())
	}
	c := exec.Command(exe, s.o.Args[1:]...)
	c.Args[0] = s.o.Args[0]
	c.Env = []string{fmt.Sprintf("%s=%d", workerVar, os.Getpid())}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, workerVar+"=") {
			c.Env = append(c.Env, v)
		}
	}
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.ExtraFiles = []*os.File{s.o.TCP, s.o.Socket, orders, reports, s.o.Lock}
	if s.o.Metrics != nil {
		c.ExtraFiles = append(c.ExtraFiles, s.o.Metrics)
	}
	c.SysProcAttr = endWithParent()
	err = c.Start()
	// if they stayed open here, writing the settings for a terminated worker could block
	_, _ = orders.Close(), reports.Close()
	if err != nil {
		return nil, errors.Join(err, write.Close(), read.Close())
	}
	w := &worker{cmd: c, orders: write, reports: make(chan report, 1), done: make(chan struct{})}
	s.mu.Lock()
	s.now = w
	n := s.started
	s.started++
	s.mu.Unlock()
	safely.Go(func() {
		defer close(w.done)
		_ = c.Wait()
	})
	safely.Go(func() {
		defer read.Close()
		defer close(w.reports)
		for in := json.NewDecoder(read); ; {
			var r report
			if in.Decode(&r) != nil {
				return
			}
			w.reports <- r
		}
	})
	raw, err := json.Marshal(settings{s.o.Key, first, s.o.Metrics != nil, n, s.past})
	if err == nil {
		_, _ = write.Write(append(raw, '\n')) // the end of a worker is detected elsewhere
	}
	return w, err
}
