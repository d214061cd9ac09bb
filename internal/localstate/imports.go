package localstate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Import is the note about one document that was sent to one table.
type Import struct {
	File string    `json:"file"`
	Rows int64     `json:"rows"` // of the document
	At   time.Time `json:"at"`

	// Open says that what became of the document is not known: the note was written before it was sent, and never settled.
	Open   bool   `json:"open,omitempty"`
	Before *int64 `json:"before,omitempty"` // rows of the table before, nil when they could not be counted
}

// Imports is the ledger of one place: which documents were sent into which tables. An import appends, and rows cannot be deleted, so
// that the same document twice is a doubled table [L].
type Imports struct{ Ledger[Import] }

// NewImports names the ledger of a place below a state directory. Ledgers at old are read as long as there is none here.
func NewImports(stateDir string, p Place, old ...string) *Imports {
	l := &Imports{Ledger[Import]{path: filepath.Join(stateDir, "imports", p.Key()+".json"), old: old}}
	l.trim = trim
	return l
}

// maxImports bounds the settled notes of one place; the oldest go first. Open ones stay.
const maxImports = 1000

// ImportKey is the key of a document in a table; kind and table name the latter. The case of letters does not tell tables apart.
func ImportKey(kind, table, document string) string {
	return TableKey(kind, table) + "\x00" + document
}

// Forget takes away all notes about a table that is gone.
func (l *Imports) Forget(kind, table string) error {
	return l.change(func(notes map[string]Import) bool {
		was := len(notes)
		for k := range notes {
			if strings.HasPrefix(strings.ToLower(k), ImportKey(kind, table, "")) {
				delete(notes, k)
			}
		}
		return len(notes) < was
	})
}

// Since sums up the rows that other documents have brought into the table of key after a time.
func Since(notes map[string]Import, key string, at time.Time) int64 {
	table, n := key[:strings.LastIndexByte(key, 0)+1], int64(0)
	for k, v := range notes {
		if k != key && strings.HasPrefix(k, table) && !v.Open && v.At.After(at) {
			n += v.Rows
		}
	}
	return n
}

func trim(notes map[string]Import) {
	for len(notes) > maxImports {
		oldest := ""
		for k, v := range notes {
			if !v.Open && (oldest == "" || v.At.Before(notes[oldest].At)) {
				oldest = k
			}
		}
		if oldest == "" {
			return
		}
		delete(notes, oldest)
	}
}

// ErrBusy is the error of Hold while another process sends the same document.
var ErrBusy = errors.New("another process is importing the same document into this table")

// Hold keeps other processes of this machine from sending the same document until release is called or the process ends.
func (l *Imports) Hold(key string) (release func(), err error) {
	dir := filepath.Join(filepath.Dir(l.path), "sending")
	if err := os.MkdirAll(dir, private); err != nil {
		return nil, err
	}
	unused(dir)
	lock := flock.New(filepath.Join(dir, Place{Address: l.path, Project: key}.Key()), flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.Join(ErrBusy, lock.Close())
	}
	now := time.Now()
	_ = os.Chtimes(lock.Path(), now, now)
	return func() { _ = lock.Close() }, nil
}

// unused removes old lock files that nobody holds. A file is not removed when its holder is done: another process may just have opened it
// to wait, and would hold what nobody sees.
func unused(dir string) {
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range files {
		st, err := os.Lstat(name)
		if err != nil || time.Since(st.ModTime()) < leftAfter {
			continue
		}
		lock := flock.New(name)
		if ok, err := lock.TryLock(); ok && err == nil {
			_ = os.Remove(name)
		}
		_ = lock.Close()
	}
}
