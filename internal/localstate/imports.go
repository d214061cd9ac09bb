package localstate

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Import is the record of one document that was sent to one table.
type Import struct {
	File string    `json:"file"`
	Rows int64     `json:"rows"` // of the document
	At   time.Time `json:"at"`

	// Open means that the result is unknown: the record was written before the document was sent, and never settled.
	Open   bool   `json:"open,omitempty"`
	Before *int64 `json:"before,omitempty"` // previous rows of the table, nil if they could not be counted

	From    time.Time `json:"from,omitzero"`     // when the count of Before began; at At it had ended
	Done    time.Time `json:"done,omitzero"`     // when it was settled
	ID      string    `json:"id,omitempty"`      // by which zone local knows it
	Created bool      `json:"created,omitempty"` // the import created the table

	Ended  int64  `json:"ended,omitempty"` // when zone local has recorded it, by its clock; 0 if that is not known
	Former []Sent `json:"former,omitempty"`
}

// Sent is a document that zone local has stored, as a record has it in ID and Ended.
type Sent struct {
	ID    string `json:"id,omitempty"`
	Ended int64  `json:"ended,omitempty"`
}

// maxFormer limits the documents of a record, since each is asked for.
const maxFormer = 8

// Sent lists how often the document of a record was sent: one that can be asked for, or none for those before.
func (i Import) Sent() []Sent {
	all := append(slices.Clone(i.Former), Sent{i.ID, i.Ended})
	if len(all) > maxFormer {
		all = append([]Sent{{}}, all[len(all)-maxFormer:]...)
	}
	return all
}

// Imports is the ledger of one target: which documents were sent to which tables. An import appends, and rows cannot be
// deleted, so importing the same document twice doubles the table [L].
type Imports struct{ Ledger[Import] }

// NewImports returns the ledger of a target in a state directory. Ledgers at old are read as long as this
// one does not exist.
func NewImports(stateDir string, p Scope, old ...string) *Imports {
	l := &Imports{Ledger[Import]{path: filepath.Join(stateDir, "imports", p.Key()+".json"), old: old}}
	l.trim = trim
	return l
}

// maxImports limits the settled records of one target; the oldest are removed first. Open ones are kept.
const maxImports = 1000

// ImportKey is the key of a document in a table, which kind and table identify. The case of the table's name is
// ignored.
func ImportKey(kind, table, document string) string {
	return TableKey(kind, table) + "\x00" + document
}

// Forget removes all records about a deleted table.
func (l *Imports) Forget(kind, table string) error {
	return l.forget(kind, table, func(Import) bool { return true })
}

// ForgetSettled removes the records of what was in a table whose rows were deleted, but not of imports that may still
// be running.
func (l *Imports) ForgetSettled(kind, table string) error {
	return l.forget(kind, table, func(i Import) bool { return !i.Open })
}

// Rename gives the records of a table to its new name.
func (l *Imports) Rename(kind, table, to string) error {
	return l.change(context.Background(), func(notes map[string]Import) bool {
		moved := map[string]Import{}
		for k, note := range notes {
			if old := ImportKey(kind, table, ""); strings.HasPrefix(strings.ToLower(k), old) {
				delete(notes, k)
				moved[ImportKey(kind, to, k[len(old):])] = note
			}
		}
		maps.Copy(notes, moved)
		return len(moved) > 0
	})
}

func (l *Imports) forget(kind, table string, which func(Import) bool) error {
	return l.change(context.Background(), func(notes map[string]Import) bool {
		was := len(notes)
		for k, note := range notes {
			if which(note) && strings.HasPrefix(strings.ToLower(k), ImportKey(kind, table, "")) {
				delete(notes, k)
			}
		}
		return len(notes) < was
	})
}

// Overlapped reports whether another document may have been stored in the table of key while its rows were counted for
// the record of key, or may be stored but is not settled: whether a count has the rows of the other is unknown.
func Overlapped(notes map[string]Import, key string, was Import) bool {
	table := key[:strings.LastIndexByte(key, 0)+1]
	for k, v := range notes {
		if k == key || !strings.HasPrefix(k, table) {
			continue
		}
		if v.Open && was.At.Sub(v.At) < overlap || !v.Open && !begun(v).After(was.At) && v.Done.After(begun(was)) {
			return true
		}
	}
	return false
}

// begun is when an import began to count the rows of its table.
func begun(i Import) time.Time {
	if i.From.IsZero() {
		return i.At
	}
	return i.From
}

// overlap is how long an open record may belong to a run that continues.
const overlap = time.Hour

// Since sums up the rows that other documents have added to the table of key after a time.
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

// ErrBusy is returned by Hold while another process sends the same document.
var ErrBusy = errors.New("another process is importing the same document into this table")

// Hold prevents other processes of this machine from sending the same document until release is called or the process
// ends.
func (l *Imports) Hold(key string) (release func(), err error) {
	dir := filepath.Join(filepath.Dir(l.path), "sending")
	if err := os.MkdirAll(dir, private); err != nil {
		return nil, err
	}
	unused(dir)
	lock := flock.New(filepath.Join(dir, Scope{Address: l.path, Project: key}.Key()), flock.SetPermissions(0o600))
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

// unused removes old lock files that nobody holds. A file is not removed when its holder is done, because another
// process may have just opened it to wait, and would lock a file that is no longer visible.
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
