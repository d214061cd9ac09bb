package trust

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/output"
)

const (
	verdictAge  = 5 * time.Minute // how long a table is assumed to stay cached, or uncached
	maxVerdicts = 500             // per target; the oldest are removed first
)

// KeptVerdicts are the findings of earlier runs about the tables of a gateway, so that consecutive queries do not look
// them up again. They are used only for warnings: checks that return an error ignore them. A change made by this
// program removes them.
type KeptVerdicts struct {
	mu      sync.Mutex
	path    string
	now     func() time.Time
	entries map[string]keptVerdict
	fresh   bool // some entries are not in the file yet
}

type keptVerdict struct {
	Catalog string      `json:"catalog,omitempty"`
	Reason  string      `json:"doubt,omitempty"`
	Reads   [][3]string `json:"reads,omitempty"`
	At      time.Time   `json:"at"`
}

func ReadVerdicts(e *cli.Env) *KeptVerdicts {
	k := &KeptVerdicts{path: e.VerdictsFile(), now: e.Now, entries: map[string]keptVerdict{}}
	if raw, err := os.ReadFile(k.path); err == nil && json.Unmarshal(raw, &k.entries) != nil {
		k.entries = map[string]keptVerdict{} // an unreadable file only means that the gateway is asked
	}
	if e.DryRun() {
		k.path = "" // nothing is written
	}
	return k
}

func verdictKey(project string, t sqltext.TableRef) string {
	return strings.Join([]string{project, t.Catalog, t.Schema, t.Table}, "\x00")
}

// Find returns what an earlier run has found about a table.
func (k *KeptVerdicts) Find(project string, t sqltext.TableRef) (Verdict, bool) {
	if k == nil {
		return Verdict{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok := k.entries[verdictKey(project, t)]
	if age := k.now().Sub(v.At); !ok || age < 0 || age > verdictAge {
		return Verdict{}, false
	}
	out := Verdict{Catalog: v.Catalog, Reason: v.Reason}
	for _, r := range v.Reads {
		out.Reads = append(out.Reads, sqltext.TableRef{Catalog: r[0], Schema: r[1], Table: r[2]})
	}
	return out, true
}

// add stores a verdict that stays valid for some time. It does not store verdicts on caches that are being filled, or
// those that could not be determined.
func (k *KeptVerdicts) add(project string, t sqltext.TableRef, v Verdict) {
	if k == nil || v.Reason == Syncing || v.Reason == Unchecked {
		return
	}
	entry := keptVerdict{Catalog: v.Catalog, Reason: v.Reason, At: k.now()}
	for _, r := range v.Reads {
		entry.Reads = append(entry.Reads, [3]string{r.Catalog, r.Schema, r.Table})
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.entries[verdictKey(project, t)], k.fresh = entry, true
}

// Save writes the added verdicts. It never fails a command: the file only reduces the number of requests.
func (k *KeptVerdicts) Save() {
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
