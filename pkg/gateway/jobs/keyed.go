package jobs

import (
	"context"
	"sync"
)

// Keyed is a lock for each of any number of keys.
type Keyed struct {
	mu    sync.Mutex
	locks map[string]*keyLock
}

type keyLock struct {
	held  chan struct{} // full while somebody holds the lock
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

// Tally is numbers by key.
type Tally struct {
	mu sync.Mutex
	n  map[string]int
}

// Add changes the number of a key and hands it to record. Nothing else is added before record returns, so that what it stores comes in
// the order of the numbers.
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
