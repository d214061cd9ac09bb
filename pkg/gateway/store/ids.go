package store

import (
	"crypto/rand"
	"math/big"
	mrand "math/rand/v2"
	"sync"
	"time"
)

// idEpoch is the zero of the service's time-ordered identifiers: 2022-01-01 UTC, in Unix milliseconds [C].
const idEpoch = 1640995200000

// shards is the number of shards.
const shards = 1 << 13

// idSource generates identifiers of the form (unix_ms - epoch) << 23 | shard << 10 | sequence, as the hosted service
// does [C][I]. The shard is random per process, so that processes sharing a data directory do not collide.
type idSource struct {
	mu    sync.Mutex
	now   func() time.Time
	shard int64
	last  int64
	seq   int64
}

func newIDSource(now func() time.Time) *idSource {
	return &idSource{now: now, shard: int64(mrand.IntN(shards)), seq: int64(mrand.IntN(64))}
}

func (s *idSource) next() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	ms := s.now().UnixMilli() - idEpoch
	if ms <= s.last { // same millisecond, or a clock that went back: count up from the last one
		ms = s.last
		if s.seq++; s.seq == 1<<10 {
			s.seq = 0
			ms++
		}
	} else {
		s.seq = 0
	}
	s.last = ms
	return ms<<23 | s.shard<<10 | s.seq
}

// randomText returns n random characters of alphabet, from a cryptographically secure source.
func randomText(n int, alphabet string) string {
	b := make([]byte, n)
	top := big.NewInt(int64(len(alphabet)))
	for i := range b {
		k, err := rand.Int(rand.Reader, top)
		if err != nil {
			panic(err) // crypto/rand does not fail on supported systems
		}
		b[i] = alphabet[k.Int64()]
	}
	return string(b)
}

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
