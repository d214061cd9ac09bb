package jobs

import (
	"slices"
	"sync"
	"time"
)

// Scheduled runs take turns: more of them at once than there are processors make each slower, and those of one project
// would keep out the others. What is due and gets no turn stays due, and is looked for again as soon as a run has
// ended.
const (
	turnsAtOnce = 8           // of one kind
	turnsOfOne  = 4           // of one kind and project
	longTurn    = time.Minute // after which a run no longer counts: it waits for a source more than it computes
	mostTurns   = 64          // of one kind, with those that do not count
)

// turns are the scheduled runs that are running.
type turns struct {
	mu      sync.Mutex
	running map[*turn]struct{}
	latest  map[string]int64 // project to the number of its latest turn
	number  int64
	ended   chan struct{} // has an element after a run ended
}

type turn struct {
	kind, project string
	begun         time.Time
}

func newTurns() *turns {
	return &turns{running: map[*turn]struct{}{}, latest: map[string]int64{}, ended: make(chan struct{}, 1)}
}

// Turn reports whether a scheduled run of a project may start now; end is called when it has ended.
func (s *Service) Turn(kind, project string) (end func(), ok bool) {
	t := s.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	all, counted, own := 0, 0, 0
	for r := range t.running {
		if r.kind != kind {
			continue
		}
		if all++; time.Since(r.begun) < longTurn {
			counted++
			if r.project == project {
				own++
			}
		}
	}
	if all >= mostTurns || counted >= turnsAtOnce || own >= turnsOfOne {
		return nil, false
	}
	r := &turn{kind, project, time.Now()}
	t.running[r] = struct{}{}
	t.number++
	t.latest[project] = t.number
	return sync.OnceFunc(func() {
		t.mu.Lock()
		delete(t.running, r)
		if len(t.latest) > 10*mostTurns && len(t.running) == 0 {
			clear(t.latest)
		}
		t.mu.Unlock()
		select {
		case t.ended <- struct{}{}:
		default:
		}
	}), true
}

// InTurn orders what is due so that the projects alternate, and begins with the one whose latest turn is the longest
// ago.
func InTurn[T any](s *Service, due []T, project func(T) string) []T {
	s.turns.mu.Lock()
	defer s.turns.mu.Unlock()
	type place struct {
		round  int   // how many of the same project come before
		latest int64 // turn of the project
		item   T
	}
	rounds := map[string]int{}
	all := make([]place, len(due))
	for i, d := range due {
		p := project(d)
		all[i] = place{rounds[p], s.turns.latest[p], d}
		rounds[p]++
	}
	slices.SortStableFunc(all, func(a, b place) int {
		if a.round != b.round {
			return a.round - b.round
		}
		return int(a.latest - b.latest)
	})
	out := make([]T, len(due))
	for i, p := range all {
		out[i] = p.item
	}
	return out
}
