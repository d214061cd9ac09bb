package store

import (
	"context"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
)

// TestOpenTogether: of several windows that use a directory first at the same time, none is refused.
func TestOpenTogether(t *testing.T) {
	for range 3 {
		dir := t.TempDir()
		together(t, func() (*Store, error) { return Open(dir, nil) })
	}
	t.Run("postgres", func(t *testing.T) {
		p, dir := Postgres{Address: testdb.Postgres(t).String(), Shared: true}, t.TempDir()
		together(t, func() (*Store, error) { return OpenPostgres(context.Background(), p, dir, nil) })
	})
}

func together(t *testing.T, open func() (*Store, error)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for range 8 {
		all.Go(func() {
			<-start
			s, err := open()
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
