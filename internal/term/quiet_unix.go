//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package term

import (
	"os"
	"os/signal"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Quiet makes a terminal keep what is typed, unchanged and without echo, for the next read. In line mode the terminal
// would apply the editing keys, and a program that then reads single keys would get a NUL for Ctrl-D. Ctrl-C and Ctrl-Z
// still send their signals.
type Quiet struct {
	tty *os.File

	mu        sync.Mutex
	was       *unix.Termios // before Begin; nil after End
	continued chan os.Signal
}

// NewQuiet returns the Quiet of a terminal; it does not change the terminal.
func NewQuiet(tty *os.File) *Quiet { return &Quiet{tty: tty} }

// Begin makes the terminal quiet until End, also after Ctrl-Z has stopped the process and it was continued.
func (q *Quiet) Begin() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.was == nil {
		q.begin()
	}
}

func (q *Quiet) begin() {
	if !q.set() {
		return
	}
	q.continued = make(chan os.Signal, 1)
	signal.Notify(q.continued, unix.SIGCONT)
	go q.watch(q.continued)
}

// End sets the terminal as it was before Begin.
func (q *Quiet) End() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.was != nil {
		q.end()
	}
}

func (q *Quiet) end() {
	signal.Stop(q.continued)
	close(q.continued)
	if fd := int(q.tty.Fd()); foreground(fd) {
		_ = unix.IoctlSetTermios(fd, setTermios, q.was)
	}
	q.was = nil
}

// Suspend stops the terminal's foreground job, as Ctrl-Z does, until it is continued. Nothing happens where no shell
// could continue it.
func (q *Quiet) Suspend() {
	q.mu.Lock()
	defer q.mu.Unlock()
	began := q.was != nil
	if began {
		q.end()
	}
	_ = unix.Kill(0, unix.SIGTSTP)
	time.Sleep(50 * time.Millisecond) // the signal may arrive a moment later
	if began {
		q.begin()
	}
}

// watch makes the terminal quiet again after another program had it. A process that was stopped while it ran a
// statement could not restore the terminal: the shell does that.
func (q *Quiet) watch(continued chan os.Signal) {
	for range continued {
		q.mu.Lock()
		if was := q.was; was != nil && q.continued == continued && q.set() {
			q.was = was
		}
		q.mu.Unlock()
	}
}

// set makes the terminal quiet and keeps its settings. A process in the background leaves the terminal alone.
func (q *Quiet) set() bool {
	fd := int(q.tty.Fd())
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil || !foreground(fd) {
		return false
	}
	was := *t
	t.Lflag &^= unix.ECHO | unix.ICANON | unix.IEXTEN
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	if unix.IoctlSetTermios(fd, setTermios, t) != nil {
		return false
	}
	q.was = &was
	return true
}

func foreground(fd int) bool {
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// Waiting returns the number of bytes that can be read from a terminal at once, 0 if unknown.
func Waiting(tty *os.File) int {
	n, err := unix.IoctlGetInt(int(tty.Fd()), getWaiting)
	if err != nil {
		return 0
	}
	return n
}
