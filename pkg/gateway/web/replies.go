package web

import (
	"net/http"
	"sync"
	"time"
)

// replies are the replies that are being written.
type replies struct {
	mu      sync.Mutex
	active  map[*StatusWriter]struct{}
	hurried time.Duration // of Hurry, 0 before
}

func (r *replies) add(w *StatusWriter) (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.active == nil {
		r.active = map[*StatusWriter]struct{}{}
	}
	r.active[w] = struct{}{}
	if r.hurried > 0 {
		w.hurry(r.hurried)
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.active, w)
		w.end()
	}
}

// Hurry limits how long a write of a reply, also one that has begun, waits for its reader. Without it a reader that has
// stopped would keep a gateway that is to end, and with it the data of its project, for the whole grace period.
// Limits.Stall 0 remains without limit.
func (s *Mux) Hurry(d time.Duration) {
	s.replies.mu.Lock()
	defer s.replies.mu.Unlock()
	s.replies.hurried = d
	for w := range s.replies.active {
		w.hurry(d)
	}
}

func (w *StatusWriter) hurry(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stall == 0 || w.ended || w.why != nil {
		return
	}
	w.stall = min(w.stall, d)
	if end := time.Now().Add(w.stall); !w.until.IsZero() && w.until.After(end) {
		w.until = end
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(end) // not all transports have deadlines
	}
}
