// Package spool is a pipe whose writer does not wait for a reader that has stopped: unread bytes go to the disk, so
// that the statement that writes them ends and releases its resources.
package spool

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dustin/go-humanize"
)

// Options limit the unread bytes.
type Options struct {
	Limit   int64         // bytes on the disk; 0 for none: the writer waits
	GiveUp  time.Duration // how long the writer waits at the limit for a reader that reads nothing; 0 forever
	Stopped time.Duration // a reader that has read nothing for this time counts as stopped; 0 for 250 ms
}

const (
	stopped = 250 * time.Millisecond
	// a reader counts as slow if the writer has waited for it this long, and for most of its time
	slow = 2 * time.Second
)

// pipe passes bytes from one writer to one reader: directly while the reader keeps up, through the disk otherwise.
type pipe struct {
	o Options

	mu     sync.Mutex
	change *sync.Cond
	hand   []byte // bytes that the writer offers while it waits; newer than those on the disk
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

// Pipe returns both halves of a new pipe. They can be used by different goroutines.
func Pipe(o Options) (*Reader, *Writer) {
	if o.Stopped == 0 {
		o.Stopped = stopped
	}
	p := &pipe{o: o, began: time.Now()}
	p.read = p.began
	p.change = sync.NewCond(&p.mu)
	return &Reader{p}, &Writer{p}
}

// Read returns the written bytes in order, and then the error that the writer has ended with.
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
		case p.disk != nil && p.disk.unread > 0:
			n, err = p.disk.take(b)
		case len(p.hand) > 0:
			n = copy(b, p.hand)
			p.hand = p.hand[n:]
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
		if len(p.hand) == 0 {
			p.change.Broadcast()
		}
		return n, err
	}
}

// Close is CloseWithError(io.ErrClosedPipe).
func (r *Reader) Close() error { return r.CloseWithError(io.ErrClosedPipe) }

// CloseWithError ends the pipe: the writer gets the error, and unread bytes are removed.
func (r *Reader) CloseWithError(err error) error {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed == nil {
		p.closed = err
	}
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

// CloseWithError ends the pipe: the reader gets the error after the written bytes; nil is io.EOF.
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

// Write waits for a reader that keeps reading. For one that has stopped or is slow it stores the bytes.
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
		default:
			n, err = p.offer(b)
		}
		written, b = written+n, b[n:]
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// offer waits until the reader has taken b. If the reader has stopped or is slow, it starts storing on the disk
// instead.
func (p *pipe) offer(b []byte) (n int, err error) {
	began := time.Now()
	p.hand = b
	p.change.Broadcast()
	for late := false; len(p.hand) > 0 && p.closed == nil && p.end == nil && !late; {
		if p.o.Limit == 0 {
			p.change.Wait()
			continue
		}
		p.wait(p.o.Stopped)
		now, since := time.Now(), began
		if p.read.After(began) {
			since = p.read
		}
		waited := p.waited + now.Sub(began)
		late = now.Sub(since) >= p.o.Stopped || waited > slow && waited > now.Sub(p.began)*3/4
	}
	n = len(b) - len(p.hand)
	p.hand = nil
	p.waited += time.Since(began)
	if n < len(b) && p.closed == nil && p.end == nil {
		p.disk, err = newDisk(p.o.Limit)
	}
	return n, err
}

// wait waits for a change for at most d.
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
		return 0, &engine.Error{Kind: engine.KindLimit,
			Message: fmt.Sprintf("the result was given up: nothing of it was read for %s, and %s of it, the limit, "+
				"are stored unread in %s",
				p.o.GiveUp, humanize.IBytes(uint64(p.disk.unread)), p.disk.dir)}
	}
	if p.o.GiveUp == 0 {
		p.change.Wait()
		return 0, nil
	}
	p.wait(p.o.GiveUp - late)
	return 0, nil
}
