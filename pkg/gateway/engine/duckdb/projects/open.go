//go:build cgo

package projects

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// opening is an instance that is being opened: all that need it wait for the same one, each with its own deadline.
type opening struct {
	waiting int // guarded by Project.mu
	cancel  context.CancelFunc
	done    chan struct{}
	err     error // set before done is closed
}

// acquire returns the instance with one more reference, opening it if there is none. One that is shared with other
// processes only reads, and is replaced when its data are not the latest, or are to be changed.
func (p *Project) acquire(ctx context.Context, use Use) (*active, error) {
	for {
		p.mu.Lock()
		if gone := p.gone; gone != nil {
			p.mu.Unlock()
			return nil, gone
		}
		if in := p.inst; p.usable(in, use) {
			in.refs++
			p.unused.remove(p)
			p.mu.Unlock()
			return in, nil
		}
		o := p.next
		if o == nil {
			o = &opening{done: make(chan struct{})}
			var octx context.Context
			octx, o.cancel = context.WithCancel(context.Background())
			p.next = o
			if p.pack != nil && p.pack.yields {
				p.pack.cancel()
			}
			safely.Go(func() { p.reopen(octx, o, use) })
		}
		o.waiting++
		p.mu.Unlock()
		var err error
		select {
		case <-o.done:
			err = o.err
		case <-ctx.Done():
			err = engine.Ended(ctx, nil)
		}
		p.mu.Lock()
		if o.waiting--; o.waiting == 0 { // cancel it if nobody waits for it and it is not open yet
			o.cancel()
			if p.next == o {
				p.next = nil
			}
		}
		p.mu.Unlock()
		if err != nil {
			return nil, err
		}
	}
}

// reopen creates an instance for those that wait for it.
func (p *Project) reopen(ctx context.Context, o *opening, use Use) {
	err := errors.New("the data of the project could not be opened")
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("opening the data of the project: %v", r)
		}
		p.mu.Lock()
		if p.next == o {
			p.next = nil
		}
		o.err = err
		close(o.done)
		p.mu.Unlock()
		o.cancel()
	}()
	err = p.replace(ctx, use)
}

// usable reports whether a new statement can use an instance; p.mu is held.
func (p *Project) usable(in *active, use Use) bool {
	return in != nil && !in.Broken.Load() && in.Present() && (!in.Shared || use == Computing ||
		use == Reading && in.Current())
}

// useless is how long statements of a broken instance may take to fail by themselves. One with a stalled reader never
// does.
const useless = time.Second

// replace creates an instance if there is none that can be used. A broken one is closed first, after its last
// connection was returned: two instances of one process must never have the same file attached and change it. A shared
// one is closed when its statements have ended.
func (p *Project) replace(ctx context.Context, use Use) error {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return engine.Ended(ctx, nil)
	}
	defer func() { <-p.turn }()
	late := time.NewTimer(useless)
	defer late.Stop()
	for {
		p.mu.Lock()
		in, gone, freed := p.inst, p.gone, p.freed
		switch {
		case gone != nil:
			p.mu.Unlock()
			return gone
		case p.usable(in, use):
			p.mu.Unlock()
			return nil
		case in != nil && in.refs > 0 && in.Shared:
			p.past[in] = struct{}{}
			in = nil
		case in != nil && in.refs > 0:
			p.mu.Unlock()
			select {
			case <-freed:
			case <-late.C:
				p.kill(in, errClosed)
			case <-ctx.Done():
				return engine.Ended(ctx, nil)
			}
			continue
		}
		p.inst = nil
		p.mu.Unlock()
		if in != nil {
			_ = in.Close()
		}
		break
	}
	open := instance.Open
	switch {
	case use == Computing && !p.Opts.ReadOnly:
		open = instance.OpenWithout
	case p.Opts.Shared && use == Reading:
		open = instance.OpenShared
	}
	began := time.Now()
	in, err := open(ctx, p.Dir, &p.Host)
	if err != nil {
		return err
	}
	fresh := &active{Instance: in, took: time.Since(began), conns: map[*instance.Conn]struct{}{}}
	p.mu.Lock()
	gone := p.gone
	if gone == nil {
		p.inst = fresh
		p.rest(fresh)
	}
	p.mu.Unlock()
	if gone != nil {
		_ = fresh.Close()
	}
	return gone
}

// kill ends the statements of an instance.
func (p *Project) kill(in *active, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range in.conns {
		c.Kill(why)
	}
}

// release drops a reference and, after the last one, starts the timer that closes the instance.
func (p *Project) release(in *active, c *instance.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	in.refs--
	delete(in.conns, c)
	close(p.freed)
	p.freed = make(chan struct{})
	if _, past := p.past[in]; !past {
		p.rest(in)
	} else if in.refs == 0 {
		safely.Go(func() { p.closePast(in) })
	}
}

// closePast closes an instance that was replaced.
func (p *Project) closePast(in *active) {
	_ = in.Close() // it was only read
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.past, in)
	close(p.freed)
	p.freed = make(chan struct{})
}

// changedIdle is the time after which an unused instance is closed that others wait for, because it may change the
// project.
const changedIdle = 5 * time.Millisecond

// mostIdle is the longest time for which an unused instance stays open that took long to open: the more tables there
// are, the longer that takes.
const mostIdle = time.Second

// rest starts the timer that closes an unused instance, and closes another one if too many are open; p.mu is held.
func (p *Project) rest(in *active) {
	if in.refs > 0 || p.Opts.IdleClose < 0 || p.gone != nil {
		return
	}
	after := p.Opts.IdleClose
	if p.Opts.Shared && !in.Shared {
		after = min(after, changedIdle)
	} else if p.Opts.Shared {
		after = max(after, min(2*in.took, mostIdle))
	}
	if p.idle == nil {
		p.idle = safely.AfterFunc(after, p.closeIdle)
	} else {
		p.idle.Reset(after)
	}
	if over := p.unused.add(p); over != nil {
		safely.Go(over.closeIdle)
	}
}

func (p *Project) closeIdle() {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	p.mu.Lock()
	in := p.inst
	if in == nil || in.refs > 0 || p.gone != nil {
		p.mu.Unlock()
		return
	}
	p.inst = nil
	p.unused.remove(p)
	p.mu.Unlock()
	waste := p.Opts.CompactFree > 0 && p.wasteful(in, p.Opts.CompactFree)
	_ = in.Close()
	if waste {
		p.compactIdle()
	}
}

// Close ends the running statements and closes the instance permanently.
func (p *Project) Close() error { return p.shut(errGone) }

// Closed reports whether no instance is open, nor being opened or closed.
func (p *Project) Closed() bool {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	default:
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inst == nil && len(p.past) == 0
}

// shutTime is how long statements that were ended may take to stop.
const shutTime = 10 * time.Second

// shut ends the running statements, waits for them and closes the instance permanently. They, and later ones, fail with
// the reason. If a statement does not end, the instance stays open and the error is of KindLocked.
func (p *Project) shut(why error) error {
	p.mu.Lock()
	if p.gone == nil {
		p.gone = why
	}
	if p.idle != nil {
		p.idle.Stop()
	}
	p.unused.remove(p)
	if p.next != nil {
		p.next.cancel()
	}
	if p.pack != nil {
		p.pack.cancel()
	}
	p.mu.Unlock()
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	patience := time.NewTimer(shutTime)
	defer patience.Stop()
	for {
		p.mu.Lock()
		in, freed := p.inst, p.freed
		if in == nil && len(p.past) == 0 {
			p.mu.Unlock()
			return nil
		}
		if in != nil && in.refs == 0 && len(p.past) == 0 {
			p.inst = nil
			p.mu.Unlock()
			return in.Close()
		}
		all := slices.Collect(maps.Keys(p.past))
		p.mu.Unlock()
		for _, in := range append(all, in) {
			if in != nil {
				p.kill(in, why)
			}
		}
		select {
		case <-freed:
		case <-time.After(10 * time.Millisecond): // interrupt again: a statement may have started since
		case <-patience.C:
			// Acknowledged rows are safe in the log; the lock is released when the process ends.
			return &engine.Error{Kind: engine.KindLocked,
				Message: fmt.Sprintf("a statement of project %s was cancelled and still runs after %s; try again "+
					"when it has ended, or stop the gateway", p.ID, shutTime)}
		}
	}
}

// mostUnused is how many instances stay open without a statement. Each has a thread, five files, 4 MB and a share of
// the memory limit; to open one takes some fifty milliseconds, so projects with frequent schedules should stay open.
const mostUnused = 64

// unused are the projects whose instance is open without a statement, the one that was used last at the end. Its lock
// is taken while the mu of a project is held, never the other way round.
type unused struct {
	mu   sync.Mutex
	list []*Project
}

// add returns the project to close, if there are too many.
func (u *unused) add(p *Project) (over *Project) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.list = append(slices.DeleteFunc(u.list, func(q *Project) bool { return q == p }), p)
	if len(u.list) <= mostUnused {
		return nil
	}
	over = u.list[0]
	u.list = slices.Delete(u.list, 0, 1)
	return over
}

func (u *unused) remove(p *Project) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.list = slices.DeleteFunc(u.list, func(q *Project) bool { return q == p })
}
