//go:build cgo

package projects

import (
	"slices"
	"sync"
)

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
