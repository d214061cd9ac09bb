package jobs

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// The end of a run is recorded again until it is stored: a disk that is full for a moment must not leave a run that has ended RUNNING,
// which nobody could cancel or follow with another as long as this process lives.

const (
	RecordTime  = 30 * time.Second       // of one try
	firstAgain  = 100 * time.Millisecond // before the second try; doubled for each further one
	lastAgain   = 5 * time.Second        // the longest pause
	recordGrace = 5 * time.Second        // how long a process that ends goes on trying
)

// Ends holds what could not be recorded yet, by what it belongs to.
type Ends struct {
	Mu   sync.Mutex
	Open map[string]*Ending
}

// Ending is the end of one run.
type Ending struct {
	mu   sync.Mutex // held during a try
	try  func(context.Context) error
	done bool
	err  error // of the last try
}

// record tries once. It reports whether no further try is needed.
func (e *Ending) record(ctx context.Context) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done {
		return true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), RecordTime)
	defer cancel()
	e.err = e.try(ctx)
	e.done = settledBy(e.err)
	return e.done
}

// settledBy reports whether trying again would change nothing: it is stored, what it belongs to is gone, or the state file is closed.
func settledBy(err error) bool {
	return err == nil || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrInUse) ||
		errors.Is(err, sql.ErrConnDone) || errors.Is(err, sql.ErrTxDone)
}

// Record stores the end of a run under the key of what it belongs to. It returns when that is done, has become pointless, or the
// process ends.
func (s *Service) Record(key string, try func(context.Context) error) error {
	e := &Ending{try: try}
	if e.record(context.Background()) {
		return e.err
	}
	s.log.Error("the end of a run could not be recorded; it is tried again until it can", "of", key, "error", e.err)
	s.Ends.Mu.Lock()
	if s.Ends.Open == nil {
		s.Ends.Open = map[string]*Ending{}
	}
	s.Ends.Open[key] = e
	s.Ends.Mu.Unlock()
	defer func() {
		s.Ends.Mu.Lock()
		defer s.Ends.Mu.Unlock()
		if s.Ends.Open[key] == e {
			delete(s.Ends.Open, key)
		}
	}()
	stopped, interrupted := s.closing.Done(), s.ctx.Done()
	var over <-chan time.Time
	for pause := firstAgain; ; pause = min(2*pause, lastAgain) {
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-stopped:
			t.Stop()
			stopped, interrupted, over = nil, nil, time.After(recordGrace)
		case <-interrupted:
			t.Stop()
			stopped, interrupted, over = nil, nil, time.After(recordGrace)
		case <-over: // whoever looks next finds that this process is gone
			t.Stop()
			return e.err
		}
		if over != nil {
			pause = firstAgain
		}
		if e.record(context.Background()) {
			s.log.Info("the end of a run is recorded", "of", key)
			return e.err
		}
	}
}

// Recorded makes sure that the end of a run which has ended is on record before anything is told or decided about it.
func (s *Service) Recorded(ctx context.Context, key string) error {
	s.Ends.Mu.Lock()
	e := s.Ends.Open[key]
	s.Ends.Mu.Unlock()
	if e == nil || e.record(ctx) {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	f := *fault.Of(e.err)
	f.Message = "a run has ended, and its end cannot be recorded: " + f.Message
	return &f
}
