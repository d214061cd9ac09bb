//go:build cgo

package instance

import (
	"sync"
	"sync/atomic"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// handle is a connection of DuckDB. Statements that have only read use it one after another: to make one, and to parse
// BEGIN and ROLLBACK, takes as long as a small statement.
type handle struct {
	raw             bindings.Connection
	id              uint64 // DuckDB's number
	begin, rollback bindings.PreparedStatement
	plans           []plan // the one that was used last at the end
}

// plan is a prepared statement that may be run again while the state of the instance is the same.
type plan struct {
	text  string
	state int64
	ps    bindings.PreparedStatement
}

const (
	maxHandles  = 32       // unused ones of an instance
	maxPlans    = 16       // of a handle
	maxPlanText = 16 << 10 // bytes of their statement
)

// pool are the connections of an instance that nobody uses.
type pool struct {
	mu     sync.Mutex
	free   []*handle
	closed bool
}

// take returns the one that was used last, whose plans are the latest, or nil.
func (all *pool) take() *handle {
	all.mu.Lock()
	defer all.mu.Unlock()
	n := len(all.free)
	if n == 0 {
		return nil
	}
	h := all.free[n-1]
	all.free = all.free[:n-1]
	return h
}

// put keeps a connection, or closes it.
func (all *pool) put(h *handle) {
	all.mu.Lock()
	keep := !all.closed && len(all.free) < maxHandles
	if keep {
		all.free = append(all.free, h)
	}
	all.mu.Unlock()
	if !keep {
		h.close()
	}
}

func (all *pool) close() {
	all.mu.Lock()
	free := all.free
	all.free, all.closed = nil, true
	all.mu.Unlock()
	for _, h := range free {
		h.close()
	}
}

func (h *handle) close() {
	for i := range h.plans {
		bindings.DestroyPrepare(&h.plans[i].ps)
	}
	bindings.DestroyPrepare(&h.begin)
	bindings.DestroyPrepare(&h.rollback)
	bindings.Disconnect(&h.raw)
}

// states counts what may have changed the data of an instance.
type states struct {
	writers atomic.Int64 // that are open
	opened  atomic.Int64 // that were ever opened
	mu      sync.Mutex
	of      int64       // the state of known
	known   map[any]any // what was read in that state
}

// Changes marks the connection as one that may change the data.
func (c *Conn) Changes() {
	c.Spend()
	c.writes = true
	c.Instance.states.writers.Add(1)
	c.Instance.states.opened.Add(1)
}

// State is the number of the state of the data, which differs after each change. ok is false while something may change
// them: what is read then may be of no state.
func (in *Instance) State() (n int64, ok bool) {
	n = in.states.opened.Load()
	return n, in.states.writers.Load() == 0
}

// maxKnown is the number of values that an instance keeps for a state.
const maxKnown = 10_000

// Remembered returns what was read of the data since they were changed last, or reads it. key is comparable, and of a
// type for each kind of value. The value is shared: it must not be changed.
func Remembered[T any](c *Conn, key any, read func() (T, error)) (T, error) {
	s := &c.Instance.states
	state, quiet := c.Instance.State()
	if !quiet || c.writes || c.inTx {
		return read()
	}
	s.mu.Lock()
	if s.of != state || s.known == nil {
		s.of, s.known = state, map[any]any{}
	}
	known, ok := s.known[key]
	s.mu.Unlock()
	if ok {
		return known.(T), nil
	}
	v, err := read()
	if now, quiet := c.Instance.State(); err != nil || !quiet || now != state {
		return v, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == state && len(s.known) < maxKnown {
		s.known[key] = v
	}
	return v, nil
}

// Plan returns the plan of a text that was kept for a state.
func (c *Conn) Plan(text string, state int64) (ps bindings.PreparedStatement, ok bool) {
	h := c.handle
	for i, p := range h.plans {
		if p.text != text {
			continue
		}
		h.plans = append(append(h.plans[:i], h.plans[i+1:]...), p)
		if p.state == state {
			return p.ps, true
		}
		c.dropPlan(len(h.plans) - 1)
		break
	}
	return ps, false
}

// KeepPlan keeps a plan for later statements with the same text. It reports whether it does; the plan is destroyed with
// the connection then.
func (c *Conn) KeepPlan(text string, state int64, ps bindings.PreparedStatement) bool {
	if len(text) > maxPlanText {
		return false
	}
	if len(c.handle.plans) == maxPlans {
		c.dropPlan(0)
	}
	c.handle.plans = append(c.handle.plans, plan{text, state, ps})
	return true
}

func (c *Conn) dropPlan(i int) {
	h := c.handle
	bindings.DestroyPrepare(&h.plans[i].ps)
	h.plans = append(h.plans[:i], h.plans[i+1:]...)
}

// Spend has the connection closed after its use: it has settings, or an end, that the next user must not find.
func (c *Conn) Spend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spent = true
}

// reusable reports whether another statement may use the connection.
func (c *Conn) reusable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.spent && c.killed == nil && !c.inTx && !c.Instance.Broken.Load()
}

// ID is DuckDB's number for a connection.
func (c *Conn) ID() uint64 { return c.handle.id }

func idOf(c bindings.Connection) uint64 {
	var cc bindings.ClientContext
	bindings.ConnectionGetClientContext(c, &cc)
	defer bindings.DestroyClientContext(&cc)
	return uint64(bindings.ClientContextGetConnectionId(cc))
}

// execute runs a statement without rows, by its plan if there is one.
func execute(c bindings.Connection, ps bindings.PreparedStatement, text string, res *bindings.Result) bindings.State {
	if ps.Ptr == nil {
		return bindings.Query(c, text, res)
	}
	return bindings.ExecutePrepared(ps, res)
}
