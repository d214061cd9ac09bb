package sources

import (
	"errors"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// Sources holds one open connector for each stored connection, matching its current state.
type Sources struct {
	Mu      sync.Mutex
	Open    map[string]*Source // by id of the connection
	Retired map[*Source]*time.Timer
}

// retireTime is how long a replaced connector stays open for the work that uses it: longer than any statement or run.
const retireTime = jobs.CacheTimeout + 10*time.Minute

func (s *Sources) Get(c store.Connection, open func(store.Connection) (*Source, error)) (*Source, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	have := s.Open[c.ID]
	// sealed: the text differs after every change
	if have != nil && string(have.conn.Credential) == string(c.Credential) {
		if have.conn.Name != c.Name { // the name used in errors
			renamed := *have
			renamed.conn = c
			have = &renamed
			s.Open[c.ID] = have
		}
		return have, nil
	}
	src, err := open(c)
	if err != nil {
		return nil, err
	}
	if have != nil {
		s.retire(have)
	}
	if s.Open == nil {
		s.Open = map[string]*Source{}
	}
	s.Open[c.ID] = src
	return src, nil
}

// Forget closes the connectors of deleted connections after retireTime.
func (s *Sources) Forget(gone func(store.Connection) bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for id, src := range s.Open {
		if gone(src.conn) {
			delete(s.Open, id)
			s.retire(src)
		}
	}
}

func (s *Sources) retire(src *Source) {
	if s.Retired == nil {
		s.Retired = map[*Source]*time.Timer{}
	}
	s.Retired[src] = safely.AfterFunc(retireTime, func() {
		s.Mu.Lock()
		_, mine := s.Retired[src]
		delete(s.Retired, src)
		s.Mu.Unlock()
		if mine {
			_ = src.Close()
		}
	})
}

func (s *Sources) Close() error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	var err error
	for _, src := range s.Open {
		err = errors.Join(err, src.Close())
	}
	for src, t := range s.Retired {
		t.Stop()
		err = errors.Join(err, src.Close())
	}
	s.Open, s.Retired = nil, nil
	return err
}
