package outcome

import (
	"context"
	"errors"
	"sync"
)

type awaitKey struct{}

// waiting holds what is to be told the end of a request whose reply has begun.
type waiting struct {
	mu   sync.Mutex
	told func(error)
}

// Await returns a context whose requests can wait, by OnEnd, for what their caller makes of their replies: a reply that
// begins with a success may be cut off, empty, or that of another server. The caller passes the error of the whole
// call, or nil, to end, once; further calls do nothing. A context of Await is returned unchanged, and its end does
// nothing.
func Await(ctx context.Context) (context.Context, func(error)) {
	if ctx.Value(awaitKey{}) != nil {
		return ctx, func(error) {}
	}
	w := &waiting{}
	return context.WithValue(ctx, awaitKey{}, w), func(err error) { w.tell(nil, err) }
}

// OnEnd has told called with the error of the call that ctx belongs to, nil after a success. It reports whether there
// is such a call. If the call has sent another request before, the reply of that one was not an answer.
func OnEnd(ctx context.Context, told func(error)) bool {
	w, ok := ctx.Value(awaitKey{}).(*waiting)
	if ok {
		w.tell(told, errAgain)
	}
	return ok
}

// errAgain is the end of a request that was sent once more.
var errAgain = errors.New("the reply was not complete; the request was sent again")

// tell passes an error to who waits, and has next wait.
func (w *waiting) tell(next func(error), err error) {
	w.mu.Lock()
	told := w.told
	w.told = next
	w.mu.Unlock()
	if told != nil {
		told(err)
	}
}
