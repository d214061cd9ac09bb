package sharing

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/gofrs/flock"
)

// readsName is the file in the directory of temporary files of a process, in that of the project, that says which file
// it reads.
const readsName = "reads"

// ownName names this process for others.
func ownName() string { return fmt.Sprintf("pid %d (%s)", os.Getpid(), filepath.Base(os.Args[0])) }

// NameReader leaves the name of this process for those that wait for it. Readers share a lock, which does not tell who
// has it.
func NameReader(temp string, file fs.FileInfo) {
	_ = os.WriteFile(filepath.Join(temp, readsName), []byte(ownName()+"\n"+FileNumber(file)), 0o600)
}

// readersOf returns the processes that read a data file.
func readersOf(dir string, file fs.FileInfo) (all []holder) {
	left, _ := filepath.Glob(filepath.Join(dir, "spill-*", readsName))
	for _, path := range left {
		if h := holderIn(path); h.number == FileNumber(file) && h.runs {
			all = append(all, h)
		}
	}
	return all
}

// readersWatch monitors the processes that read a file that is to be changed.
type readersWatch struct {
	last    time.Time // of the look before
	said    bool
	stopped time.Time // since when all of them are
}

// look reports the wait, and returns an error when it has lasted too long.
func (w *readersWatch) look(dir string, file fs.FileInfo, o *engine.Options, began time.Time) error {
	now := time.Now()
	if w.last.IsZero() {
		w.last = began
	}
	if now.Sub(w.last) < min(AnnouncedAfter, o.LockWait) {
		return nil
	}
	w.last = now
	all := readersOf(dir, file)
	var names []string
	var still *holder
	stopped := len(all) > 0
	for i, h := range all {
		names = append(names, h.String())
		if still = &all[i]; !h.stopped {
			stopped = false
		}
	}
	who := strings.Join(names, ", ")
	if who == "" {
		who = "statements of other processes that read it"
	}
	if !stopped {
		w.stopped = time.Time{}
	} else if w.stopped.IsZero() {
		w.stopped = now
	}
	if !w.said && now.Sub(began) >= AnnouncedAfter {
		w.said = true
		if o.Waiting != nil {
			o.Waiting(who)
		}
	}
	switch {
	case stopped && now.Sub(w.stopped) >= min(stoppedWait, o.LockWait):
		return stoppedError(*still, "reads them, and there is no room for a copy")
	case now.Sub(began) >= o.LockWait:
		return LockedError(who, o)
	}
	return nil
}

// Users lists the other processes that have the data of a project open.
func Users(dir string) (all []engine.User, err error) {
	user := func(h holder, changes bool) {
		if h.pid != os.Getpid() {
			all = append(all, engine.User{Process: h.name, PID: h.pid, Changes: changes, Stopped: h.stopped})
		}
	}
	st, err := os.Stat(filepath.Join(dir, DataFile))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(dir, "lock"), flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		free, err = true, nil
	}
	if err = errors.Join(err, l.Close()); err != nil {
		return nil, err
	}
	if h := holderIn(filepath.Join(dir, "holder")); !free && h.runs {
		user(h, true)
	}
	for _, h := range readersOf(dir, st) {
		user(h, false)
	}
	return all, nil
}
