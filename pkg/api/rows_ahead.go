package api

import (
	"io"
	"sync"
)

// ahead reads a long reply in a separate goroutine, so that system calls for the next bytes overlap with the decoding
// of the last ones. It buffers a bounded number of bytes, yields them as soon as they arrive, and returns errors after
// the bytes before them. Short replies are read directly.
type ahead struct {
	src   io.ReadCloser
	size  int           // of ring
	first int           // bytes still to be read without a goroutine
	done  chan struct{} // nil before the goroutine runs

	mu       sync.Mutex
	moved    sync.Cond // from, to, err or closed have changed
	waiting  bool      // someone is waiting for that
	ring     []byte
	from, to int // total bytes taken out and put in
	err      error
	closed   bool
}

const (
	aheadFrom = 1 << 20   // a reply counts as long after this many bytes
	aheadSize = 512 << 10 // maximum buffered
	aheadRoom = 128 << 10 // less is not worth a system call
)

func newAhead(src io.ReadCloser, first, size int) *ahead {
	a := &ahead{src: src, first: first, size: size}
	a.moved.L = &a.mu
	return a
}

// Read must not be called concurrently.
func (a *ahead) Read(p []byte) (int, error) {
	if a.first > 0 {
		n, err := a.src.Read(p)
		a.first -= n
		return n, err
	}
	a.mu.Lock()
	if a.done == nil && !a.closed {
		a.ring, a.done = make([]byte, a.size), make(chan struct{})
		go a.run()
	}
	for a.to == a.from && a.err == nil && !a.closed {
		a.wait()
	}
	if a.to == a.from {
		defer a.mu.Unlock()
		if a.err == nil {
			return 0, errClosedEarly
		}
		return 0, a.err
	}
	at := a.from % len(a.ring)
	held := a.ring[at:min(len(a.ring), at+a.to-a.from)]
	a.mu.Unlock()
	n := copy(p, held) // the goroutine writes to another part meanwhile
	a.mu.Lock()
	a.from += n
	a.wake()
	a.mu.Unlock()
	return n, nil
}

func (a *ahead) run() {
	defer close(a.done)
	for {
		a.mu.Lock()
		for len(a.ring)-(a.to-a.from) < min(aheadRoom, len(a.ring)) && !a.closed {
			a.wait()
		}
		closed := a.closed
		at := a.to % len(a.ring)
		room := a.ring[at:min(len(a.ring), at+len(a.ring)-(a.to-a.from))]
		a.mu.Unlock()
		if closed {
			return
		}
		n, err := a.src.Read(room)
		a.mu.Lock()
		a.to += n
		a.err = err
		a.wake()
		a.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// wait sleeps until the other side has made progress; mu is held.
func (a *ahead) wait() {
	a.waiting = true
	a.moved.Wait()
}

func (a *ahead) wake() {
	if a.waiting {
		a.waiting = false
		a.moved.Broadcast()
	}
}

// Close closes the source, which ends a read in progress, and waits for the goroutine. Buffered bytes are still
// yielded.
func (a *ahead) Close() error {
	a.mu.Lock()
	a.closed = true
	a.wake()
	done := a.done
	a.mu.Unlock()
	err := a.src.Close()
	if done != nil {
		<-done
	}
	return err
}
