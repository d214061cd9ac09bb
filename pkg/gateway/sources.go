package gateway

import (
	"errors"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// sources keeps one open connector for each stored connection, that of its present state.
type sources struct {
	mu      sync.Mutex
	open    map[string]*source // by id of the connection
	retired map[*source]*time.Timer
}

// retireTime is how long a connector that was replaced stays open for what was begun with it: longer than any statement or run.
const retireTime = cacheTimeout + 10*time.Minute

func (s *sources) get(c store.Connection, open func(store.Connection) (*source, error)) (*source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	have := s.open[c.ID]
	if have != nil && string(have.conn.Credential) == string(c.Credential) { // sealed: it is another text with every change
		if have.conn.Name != c.Name { // which errors are worded with
			renamed := *have
			renamed.conn = c
			have = &renamed
			s.open[c.ID] = have
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
	if s.open == nil {
		s.open = map[string]*source{}
	}
	s.open[c.ID] = src
	return src, nil
}

// forget closes the connectors of connections that are gone, when nothing can read by them any more.
func (s *sources) forget(gone func(store.Connection) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, src := range s.open {
		if gone(src.conn) {
			delete(s.open, id)
			s.retire(src)
		}
	}
}

func (s *sources) retire(src *source) {
	if s.retired == nil {
		s.retired = map[*source]*time.Timer{}
	}
	s.retired[src] = safely.AfterFunc(retireTime, func() {
		s.mu.Lock()
		_, mine := s.retired[src]
		delete(s.retired, src)
		s.mu.Unlock()
		if mine {
			_ = src.Close()
		}
	})
}

func (s *sources) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, src := range s.open {
		err = errors.Join(err, src.Close())
	}
	for src, t := range s.retired {
		t.Stop()
		err = errors.Join(err, src.Close())
	}
	s.open, s.retired = nil, nil
	return err
}
