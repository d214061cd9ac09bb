// Package term writes to a terminal: a pager, a progress line, and writers that neutralize control characters and hide
// secrets.
package term

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/clipperhouse/displaywidth"
)

// ErrPagerQuit is returned by writes after the user has quit the pager.
var ErrPagerQuit = errors.New("the pager was quit")

// PagerOptions configure a Pager, which must be used on a terminal only.
type PagerOptions struct {
	Command       string    // the value of $PAGER; "" is less, cat means no pager, as does a missing program
	Env           []string  // of the pager; LESS=FRSX is added if LESS is unset
	Out, Err      io.Writer // the terminal
	Width, Height int       // of the terminal; 0 means 80 and 24
	Cancel        func()    // called once if the user quits the pager before Close: stop the query
	// Hold is how long output that fits the screen so far is held back, to see whether it will fit completely. 0 is 60
	// ms. After that the rows are shown without a pager.
	Hold time.Duration
}

// Pager writes output to the screen, or to a pager program if it is taller than the screen.
type Pager struct {
	o PagerOptions

	mu     sync.Mutex
	held   []byte
	lines  int
	direct bool
	timer  *time.Timer
	cmd    *exec.Cmd
	in     io.WriteCloser
	exited chan struct{}
	ended  error
	closed bool
	quit   bool
	waited time.Duration
	signal chan os.Signal // prevents an interrupt, which is for the pager, from ending this process
}

// NewPager returns a pager that has not started.
func NewPager(o PagerOptions) *Pager {
	if o.Height <= 0 {
		o.Height = 24
	}
	if o.Width <= 0 {
		o.Width = 80
	}
	if o.Hold == 0 {
		o.Hold = 60 * time.Millisecond
	}
	if o.Command == "" {
		if o.Command = "less"; runtime.GOOS == "windows" {
			o.Command = "more"
		}
	}
	return &Pager{o: o, direct: o.Command == "cat" || !present(o.Command)}
}

// present reports whether the program of a command exists. For a command that needs a shell it returns true.
func present(command string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	if strings.ContainsAny(name, "\"'$`=;&|<>()\\") && runtime.GOOS != "windows" {
		return true
	}
	_, err := exec.LookPath(name)
	return err == nil
}

// Write returns ErrPagerQuit after the user has quit.
func (p *Pager) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.quit:
		return 0, ErrPagerQuit
	case p.direct:
		return p.o.Out.Write(b)
	case p.in == nil:
		if err := p.hold(b); err != nil {
			return 0, err
		}
		return len(b), nil
	}
	// The pager may read slowly: the lock must not be held meanwhile.
	in, began := p.in, time.Now()
	p.mu.Unlock()
	n, err := in.Write(b)
	p.mu.Lock()
	p.waited += time.Since(began)
	if err != nil {
		p.leave()
		return n, ErrPagerQuit
	}
	return n, nil
}

func (p *Pager) hold(b []byte) error {
	if p.timer == nil {
		p.timer = time.AfterFunc(p.o.Hold, p.release)
	}
	p.held = append(p.held, b...)
	p.lines = 0
	for line := range bytes.Lines(p.held) {
		// Colours have no width; a line that the terminal wraps counts several times.
		w := displaywidth.Options{ControlSequences: true}.Bytes(bytes.TrimRight(line, "\n"))
		if p.lines += max(1, (w+p.o.Width-1)/p.o.Width); p.lines >= p.o.Height {
			return p.startPager()
		}
	}
	return nil
}

// release gives up paging: the held output has waited long enough.
func (p *Pager) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.in == nil && !p.direct && !p.closed {
		p.direct = true
		_, p.ended = p.o.Out.Write(p.held)
		p.held = nil
	}
}

func (p *Pager) startPager() error {
	p.timer.Stop()
	if runtime.GOOS == "windows" {
		args := strings.Fields(p.o.Command)
		p.cmd = exec.Command(args[0], args[1:]...)
	} else {
		p.cmd = exec.Command("sh", "-c", p.o.Command)
	}
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.Env = terminalOf(p.o.Out), terminalOf(p.o.Err), p.o.Env
	if !hasEnv(p.o.Env, "LESS") {
		p.cmd.Env = append(p.cmd.Env, "LESS=FRSX")
	}
	in, err := p.cmd.StdinPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	held := p.held
	p.held = nil
	if err != nil { // no such program: show everything
		p.direct = true
		_, err := p.o.Out.Write(held)
		return err
	}
	p.in, p.exited = in, make(chan struct{})
	p.signal = make(chan os.Signal, 1)
	signal.Notify(p.signal, os.Interrupt)
	go p.watch()
	p.mu.Unlock()
	_, err = in.Write(held)
	p.mu.Lock()
	if err != nil {
		p.leave()
		return ErrPagerQuit
	}
	return nil
}

// terminalOf returns the terminal behind a writer: the pager draws on it directly.
func terminalOf(w io.Writer) io.Writer {
	if u, ok := w.(interface{ Unwrap() io.Writer }); ok {
		return u.Unwrap()
	}
	return w
}

// watch notices the end of the pager even if nothing is written.
func (p *Pager) watch() {
	err := p.cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = err
	if !p.closed {
		p.leave()
	}
	close(p.exited)
}

func (p *Pager) leave() {
	if p.quit {
		return
	}
	p.quit = true
	if p.o.Cancel != nil {
		p.o.Cancel()
	}
}

func hasEnv(env []string, name string) bool {
	for _, kv := range env {
		if strings.HasPrefix(kv, name+"=") {
			return true
		}
	}
	return false
}

// Close writes the held output and waits for the user to quit the pager. The exit status of the pager is not an error
// of the output.
func (p *Pager) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.in == nil {
		defer p.mu.Unlock()
		if len(p.held) == 0 {
			return p.ended
		}
		_, err := p.o.Out.Write(p.held)
		p.held = nil
		return err
	}
	p.mu.Unlock()
	began := time.Now()
	_ = p.in.Close() // it fails if the pager has ended already
	<-p.exited
	signal.Stop(p.signal)
	p.mu.Lock()
	p.waited += time.Since(began)
	p.mu.Unlock()
	return nil
}

// Terminate ends the pager program, if it runs: this process is about to exit and waits for it.
func (p *Pager) Terminate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.in == nil {
		return
	}
	if runtime.GOOS == "windows" || p.cmd.Process.Signal(syscall.SIGTERM) != nil {
		_ = p.cmd.Process.Kill()
	}
}

// Paging reports whether the pager program shows the output.
func (p *Pager) Paging() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.in != nil && !p.quit
}

// Quit reports whether the user quit the pager before the output was complete.
func (p *Pager) Quit() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.quit
}

// Waited returns how long writes and Close have waited for the user, which reported times must exclude.
func (p *Pager) Waited() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waited
}
