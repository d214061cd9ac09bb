package jobs

import (
	"context"
	"sync"
)

// Keyed is a set of locks by key.
type Keyed struct {
	mu    sync.Mutex
	locks map[string]*keyLock
}

type keyLock struct {
	held  chan struct{} // full while the lock is held
	users int
}

// Lock waits for the lock of a key until ctx ends.
func (k *Keyed) Lock(ctx context.Context, key string) (unlock func(), err error) {
	k.mu.Lock()
	if k.locks == nil {
		k.locks = map[string]*keyLock{}
	}
	l := k.locks[key]
	if l == nil {
		l = &keyLock{held: make(chan struct{}, 1)}
		k.locks[key] = l
	}
	l.users++
	k.mu.Unlock()
	leave := func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(k.locks, key)
		}
	}
	select {
	case l.held <- struct{}{}:
		return func() { <-l.held; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
}

// Tally is a set of numbers by key.
type Tally struct {
	mu sync.Mutex
	n  map[string]int
}

// Add changes the number of a key and passes it to record. No other Add proceeds until record returns, so that the
// numbers are stored in order.
func (c *Tally) Add(key string, by int, record func(now int) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[key] += by
	now := c.n[key]
	if now == 0 {
		delete(c.n, key)
	}
	return record(now)
}
