package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/output"
)

const (
	verdictAge  = 5 * time.Minute // how long it is believed that a table is cached, or is not
	maxVerdicts = 500             // of one place; the oldest go first
)

// keptVerdicts are what earlier runs have found out about the tables of a gateway, so that a query after another does not ask again.
// They serve warnings only: what refuses asks anew. A change made by this program drops them.
type keptVerdicts struct {
	mu      sync.Mutex
	path    string
	now     func() time.Time
	entries map[string]keptVerdict
	fresh   bool // some are not in the file
}

type keptVerdict struct {
	Catalog string      `json:"catalog,omitempty"`
	Doubt   string      `json:"doubt,omitempty"`
	Reads   [][3]string `json:"reads,omitempty"`
	At      time.Time   `json:"at"`
}

// verdictsFile is where they are kept: one file per zone and address.
func (e *Env) verdictsFile() string {
	dir, err := config.CacheDir(e.Getenv)
	if err != nil {
		return ""
	}
	p, err := e.here()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "tables-"+p.Key()+".json")
}

func (e *Env) keptVerdicts() *keptVerdicts {
	k := &keptVerdicts{path: e.verdictsFile(), now: e.Now, entries: map[string]keptVerdict{}}
	if raw, err := os.ReadFile(k.path); err == nil && json.Unmarshal(raw, &k.entries) != nil {
		k.entries = map[string]keptVerdict{} // an unreadable file only means that the gateway is asked
	}
	if e.tells() {
		k.path = "" // nothing is written
	}
	return k
}

// forgetVerdicts drops them after a change, which may be one of what they say. It never fails a command.
func (e *Env) forgetVerdicts() {
	if e.guarded() && !e.tells() {
		_ = os.Remove(e.verdictsFile())
	}
}

func verdictKey(project string, t tableRef) string {
	return strings.Join([]string{project, t.catalog, t.schema, t.table}, "\x00")
}

func (k *keptVerdicts) find(project string, t tableRef) (verdict, bool) {
	if k == nil {
		return verdict{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok := k.entries[verdictKey(project, t)]
	if age := k.now().Sub(v.At); !ok || age < 0 || age > verdictAge {
		return verdict{}, false
	}
	out := verdict{Catalog: v.Catalog, Doubt: v.Doubt}
	for _, r := range v.Reads {
		out.Reads = append(out.Reads, tableRef{r[0], r[1], r[2]})
	}
	return out, true
}

// add keeps a verdict that stays true for a while: not that of a cache that is being filled, nor that of a gateway that did not say.
func (k *keptVerdicts) add(project string, t tableRef, v verdict) {
	if k == nil || v.Doubt == syncing || v.Doubt == unchecked {
		return
	}
	entry := keptVerdict{Catalog: v.Catalog, Doubt: v.Doubt, At: k.now()}
	for _, r := range v.Reads {
		entry.Reads = append(entry.Reads, [3]string{r.catalog, r.schema, r.table})
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.entries[verdictKey(project, t)], k.fresh = entry, true
}

// save writes what was added. It never fails a command: the file only spares questions.
func (k *keptVerdicts) save() {
	if k == nil || k.path == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.fresh {
		return
	}
	k.fresh = false
	for len(k.entries) > maxVerdicts {
		oldest := ""
		for key, v := range k.entries {
			if oldest == "" || v.At.Before(k.entries[oldest].At) {
				oldest = key
			}
		}
		delete(k.entries, oldest)
	}
	raw, err := json.Marshal(k.entries)
	if err != nil || os.MkdirAll(filepath.Dir(k.path), 0o700) != nil {
		return
	}
	f, err := output.Create(k.path)
	if err != nil {
		return
	}
	if _, err := f.Write(raw); err != nil {
		_ = f.Abort()
		return
	}
	_ = f.Commit()
}
