// Package spool is a pipe whose writer does not wait for a reader that has stopped: what the reader is behind with goes to the disk, so
// that the statement that writes it ends, and with it what it holds.
package spool

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// Options bound what a reader may be behind with.
type Options struct {
	Limit   int64         // bytes on the disk; 0 for none: the writer waits
	GiveUp  time.Duration // how long the writer waits at the limit for a reader that reads nothing; 0 forever
	Stopped time.Duration // after this time without a read a reader is taken for stopped; 0 for 100 ms
}

const (
	memory  = 1 << 20 // bytes that are not written to the disk
	stopped = 100 * time.Millisecond
	slow    = 2 * time.Second // a writer that waited this long, and most of its time, has a slow reader
)

// pipe passes bytes from one writer to one reader. What is in memory is older than what is on the disk.
type pipe struct {
	o Options

	mu     sync.Mutex
	change *sync.Cond
	mem    [memory]byte
	from   int // of the first unread byte in mem
	n      int // bytes unread in mem
	disk   *disk
	began  time.Time
	read   time.Time // of the last byte
	waited time.Duration
	end    error // of the writer
	closed error // of the reader
}

// Reader is the reading half.
type Reader struct{ p *pipe }

// Writer is the writing half.
type Writer struct{ p *pipe }

// Pipe returns both halves. They can be used by different goroutines.
func Pipe(o Options) (*Reader, *Writer) {
	if o.Stopped == 0 {
		o.Stopped = stopped
	}
	p := &pipe{o: o, began: time.Now()}
	p.read = p.began
	p.change = sync.NewCond(&p.mu)
	return &Reader{p}, &Writer{p}
}

// Read returns what was written, in order, and then the error that the writer has ended with.
func (r *Reader) Read(b []byte) (int, error) {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		n, err := 0, error(nil)
		switch {
		case p.closed != nil:
			return 0, io.ErrClosedPipe
		case len(b) == 0:
			return 0, nil
		case p.n > 0:
			n = copy(b, p.mem[p.from:min(p.from+p.n, memory)])
			p.from, p.n = (p.from+n)%memory, p.n-n
		case p.disk != nil && p.disk.unread > 0:
			n, err = p.disk.take(b)
		case p.end != nil:
			return 0, p.end
		default:
			p.change.Wait()
			continue
		}
		if p.disk != nil && p.disk.unread == 0 && err == nil {
			err = p.drop()
		}
		p.read = time.Now()
		p.change.Broadcast()
		return n, err
	}
}

// Close is CloseWithError(io.ErrClosedPipe).
func (r *Reader) Close() error { return r.CloseWithError(io.ErrClosedPipe) }

// CloseWithError ends the pipe: the writer gets the error, and what is unread is removed.
func (r *Reader) CloseWithError(err error) error {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed == nil {
		p.closed = err
	}
	p.n = 0
	p.change.Broadcast()
	return p.drop()
}

// drop removes the files.
func (p *pipe) drop() error {
	if p.disk == nil {
		return nil
	}
	d := p.disk
	p.disk = nil
	return d.remove()
}

// CloseWithError ends the pipe: the reader gets the error after what was written; nil is io.EOF.
func (w *Writer) CloseWithError(err error) {
	p := w.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		err = io.EOF
	}
	if p.end == nil {
		p.end = err
	}
	p.change.Broadcast()
}

// Write waits while the reader reads, but not for one that has stopped.
func (w *Writer) Write(b []byte) (int, error) {
	p := w.p
	p.mu.Lock()
	defer p.mu.Unlock()
	written := 0
	for len(b) > 0 {
		n, err := 0, error(nil)
		switch {
		case p.closed != nil:
			return written, p.closed
		case p.end != nil:
			return written, io.ErrClosedPipe
		case p.disk != nil:
			n, err = p.store(b)
		case p.n == memory:
			err = p.full()
		default:
			to := (p.from + p.n) % memory
			n = copy(p.mem[to:min(memory, to+memory-p.n)], b)
			p.n += n
			p.change.Broadcast()
		}
		written, b = written+n, b[n:]
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// full waits for a reader that reads, and opens a file for one that does not.
func (p *pipe) full() error {
	now := time.Now()
	if late := now.Sub(p.read); p.o.Limit > 0 && (late >= p.o.Stopped || p.waited > slow && p.waited > now.Sub(p.began)*3/4) {
		var err error
		p.disk, err = newDisk(p.o.Limit)
		return err
	}
	p.wait(p.o.Stopped)
	p.waited += time.Since(now)
	return nil
}

// wait waits for a change, at most for a time.
func (p *pipe) wait(d time.Duration) {
	wake := safely.AfterFunc(d, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.change.Broadcast()
	})
	p.change.Wait()
	wake.Stop()
}

// store writes to the disk, or waits at the limit.
func (p *pipe) store(b []byte) (int, error) {
	if room := p.disk.limit - p.disk.unread; room > 0 {
		n, err := p.disk.put(b[:min(int64(len(b)), room)])
		p.change.Broadcast()
		return n, err
	}
	late := time.Since(p.read)
	if p.o.GiveUp > 0 && late >= p.o.GiveUp {
		return 0, &engine.Error{Kind: engine.KindLimit, Message: fmt.Sprintf("the result was given up: nothing of it was read for %s, and %s of it, the limit, wait on the disk in %s",
			p.o.GiveUp, size(p.disk.unread), p.disk.dir)}
	}
	if p.o.GiveUp == 0 {
		p.change.Wait()
		return 0, nil
	}
	p.wait(p.o.GiveUp - late)
	return 0, nil
}

func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}
