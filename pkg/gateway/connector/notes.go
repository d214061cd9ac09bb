package connector

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/tempfile"
)

// Notes stores results about files that were costly to compute, for later processes. Notes are optional: a result that
// cannot be read or written is computed again.
type Notes struct{ dir string }

// maxNotes is the maximum number of entries; the oldest are removed first.
const maxNotes = 1000

// NewNotes stores notes in a directory that is created on first use.
func NewNotes(dir string) *Notes { return &Notes{dir} }

type note struct {
	About string
	Stamp Stamp
	Found json.RawMessage
}

func (n *Notes) path(about string) string {
	sum := sha256.Sum256([]byte(about))
	return filepath.Join(n.dir, hex.EncodeToString(sum[:16])+".json")
}

// Read sets found to the result stored for a file in the same state, and reports whether there is one.
func (n *Notes) Read(about string, s Stamp, found any) bool {
	if n == nil {
		return false
	}
	raw, err := os.ReadFile(n.path(about))
	if err != nil {
		return false
	}
	var have note
	return json.Unmarshal(raw, &have) == nil && have.About == about && have.Stamp == s &&
		json.Unmarshal(have.Found, found) == nil
}

// Write stores a result about a file.
func (n *Notes) Write(about string, s Stamp, found any) {
	if n == nil {
		return
	}
	raw, err := json.Marshal(found)
	if err == nil {
		raw, err = json.Marshal(note{about, s, raw})
	}
	if err == nil {
		err = os.MkdirAll(n.dir, 0o700)
	}
	if err != nil {
		return
	}
	n.tidy()
	_ = tempfile.WriteCache(n.path(about), raw)
}

// tidy makes space for one more, and removes files of killed processes.
func (n *Notes) tidy() {
	tempfile.Sweep(n.dir)
	entries, err := os.ReadDir(n.dir)
	if err != nil {
		return
	}
	type aged struct {
		name string
		at   time.Time
	}
	var kept []aged
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil:
		case !strings.HasPrefix(e.Name(), "."):
			kept = append(kept, aged{e.Name(), info.ModTime()})
		}
	}
	if len(kept) < maxNotes {
		return
	}
	slices.SortFunc(kept, func(a, b aged) int { return a.at.Compare(b.at) })
	for _, k := range kept[:len(kept)-maxNotes+1] {
		os.Remove(filepath.Join(n.dir, k.name))
	}
}
