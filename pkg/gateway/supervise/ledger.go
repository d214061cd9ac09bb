// Package supervise runs a gateway in a process that can be killed. The engine has statements that stop neither on an
// interrupt nor at a memory limit; only ending their process stops them. The supervisor holds the listeners and the
// lock of the data directory and starts the worker, which does everything else. When the worker reports that a
// statement does not stop, it is killed and replaced: current callers lose their connection, acknowledged changes are
// stored, and the statement is rejected for a while.
package supervise

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

const (
	// how long a statement that has ended a worker is rejected, doubled each time it does so again
	firstWait    = time.Minute
	longestWait  = time.Hour
	projectFree  = 3 // number of workers ended by a project before all its statements are rejected
	projectWait  = 10 * time.Second
	projectLong  = 10 * time.Minute
	maxRemembers = 1000
)

// offence is the reason why a worker must be ended.
type offence struct {
	Why     string           `json:"why"`
	Running []engine.Running `json:"running"` // the running statements; at least one is the cause
}

// blame is the record of a statement or of a project.
type blame struct {
	// number of workers it has ended; if other statements were running too, a fraction is counted
	Score float64   `json:"score"`
	At    time.Time `json:"at"` // of the last one
	Why   string    `json:"why"`
}

// ledger is the state that is passed from worker to worker; keys of Statements are fingerprints.
type ledger struct {
	Statements map[string]blame `json:"statements"`
	Projects   map[string]blame `json:"projects"`
}

func newLedger() *ledger {
	return &ledger{Statements: map[string]blame{}, Projects: map[string]blame{}}
}

// fingerprint identifies a statement of a project.
func fingerprint(project, statement string) string {
	sum := sha256.Sum256([]byte(project + "\x00" + statement))
	return hex.EncodeToString(sum[:8])
}

// doubled returns first for the first time, doubled for each further time.
func doubled(first, most time.Duration, times float64) time.Duration {
	return retry.Doubled(first, most, int(times)-1)
}

func (b blame) ofStatement() time.Duration {
	if b.Score < 1 {
		return 0
	}
	return doubled(firstWait, longestWait, b.Score)
}

func (b blame) ofProject() time.Duration {
	if b.Score < projectFree {
		return 0
	}
	return doubled(projectWait, projectLong, b.Score-projectFree+1)
}

// add records an offence.
func (l *ledger) add(o offence, now time.Time) {
	for _, m := range []map[string]blame{l.Statements, l.Projects} {
		for k, b := range m {
			if now.Sub(b.At).Abs() > 2*longestWait || len(m) > maxRemembers {
				delete(m, k)
			}
		}
	}
	for _, r := range o.Running {
		part := 1 / float64(len(o.Running))
		put := func(m map[string]blame, key string) {
			score := m[key].Score + part
			if whole := math.Round(score); math.Abs(score-whole) < 1e-9 { // the sum of six sixths is not exactly one
				score = whole
			}
			m[key] = blame{score, now, o.Why}
		}
		put(l.Statements, fingerprint(r.Project, r.Statement))
		put(l.Projects, r.Project)
	}
}

// admit returns the reason why a statement may not run now, or nil.
func (l *ledger) admit(project, statement string, now time.Time) error {
	// a time in the future is from a clock that has been set back since, and blocks nothing
	blocked := func(b blame, d time.Duration) bool {
		age := now.Sub(b.At)
		return age >= 0 && age < d
	}
	if b := l.Statements[fingerprint(project, statement)]; blocked(b, b.ofStatement()) {
		return refused("this statement", b, b.ofStatement())
	}
	if b := l.Projects[project]; blocked(b, b.ofProject()) {
		return refused("a statement of this project, one of several,", b, b.ofProject())
	}
	return nil
}

func refused(what string, b blame, wait time.Duration) error {
	return &engine.Error{Kind: engine.KindLimit,
		Message: fmt.Sprintf("%s was ended at %s together with the process that ran it, because it %s; it is "+
			"rejected until %s",
			what, b.At.UTC().Format(time.RFC3339), b.Why, b.At.Add(wait).UTC().Format(time.RFC3339))}
}
