package store

import (
	"sync"
	"testing"
)

// TestOpenTogether: of several windows that use a directory first at the same time, none is refused.
func TestOpenTogether(t *testing.T) {
	for range 3 {
		dir := t.TempDir()
		var all sync.WaitGroup
		start := make(chan struct{})
		for range 8 {
			all.Go(func() {
				<-start
				s, err := Open(dir, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		close(start)
		all.Wait()
	}
}
