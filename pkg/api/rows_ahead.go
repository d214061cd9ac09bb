package api

import (
	"io"
	"sync"
)

// ahead reads a long reply in a goroutine of its own, so that the system's work for the next bytes is done beside the decoding of
// the last ones. It holds a bounded number of bytes, yields them as soon as they are there, and errors behind the bytes before
// them. Short replies are read as if it were not there.
type ahead struct {
	src   io.ReadCloser
	size  int           // of ring
	first int           // bytes still to be read without a goroutine
	done  chan struct{} // nil before the goroutine runs

	mu       sync.Mutex
	moved    sync.Cond // from, to, err or closed have changed
	waiting  bool      // somebody waits for that
	ring     []byte
	from, to int // bytes taken out and put in, in all
	err      error
	closed   bool
}

const (
	aheadFrom = 1 << 20   // a reply is long behind as many bytes
	aheadSize = 512 << 10 // the most that is held
	aheadRoom = 128 << 10 // less is not worth a system call
)

func newAhead(src io.ReadCloser, first, size int) *ahead {
	a := &ahead{src: src, first: first, size: size}
	a.moved.L = &a.mu
	return a
}

// Read has one caller at a time.
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
	n := copy(p, held) // the goroutine writes elsewhere meanwhile
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

// wait sleeps until the other side has moved; mu is held.
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

// Close closes the source, which ends a read that is under way, and waits for the goroutine. Bytes that are held are still yielded.
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
