package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
)

const (
	keptFirst  = 64 << 10 // bytes held in memory before a file is started
	keptMaxAge = 24 * time.Hour
)

// keptInfo is the metadata of a stored result.
type keptInfo struct {
	Statement string     `json:"statement,omitempty"`
	Bindings  []string   `json:"bindings,omitempty"`
	Query     string     `json:"query,omitempty"` // an id, a name or a builder object, for a run without a statement
	Profile   string     `json:"profile,omitempty"`
	Zone      string     `json:"zone"`
	Project   string     `json:"project"`
	Wire      api.Format `json:"wireFormat"`
	Types     []string   `json:"types,omitempty"` // of the columns, if they were fetched apart from the rows
	Rows      int64      `json:"rows"`
	Bytes     int64      `json:"bytes"`
	StartedAt time.Time  `json:"startedAt"`
	Elapsed   float64    `json:"elapsedSeconds"`
	NotKept   string     `json:"notKept,omitempty"` // why there is no document
}

// keptFile returns the file of the last result of the current target. A target is a profile, zone and address.
func keptFile(e *cli.Env) (string, error) {
	dir, p, err := e.CacheScope()
	if err != nil {
		return "", err
	}
	p.Profile = e.Run.Settings.Profile.Value
	return filepath.Join(dir, "results", p.Key()+".last"), nil
}

// keeper stores a result as received while it is read. It never fails the command it works for.
type keeper struct {
	io.ReadCloser
	path  string
	spool *localstate.Spool
	file  *os.File
}

// newKeeper creates the keeper of one result; nil when results are not stored.
func newKeeper(e *cli.Env, on bool) *keeper {
	limit := e.Run.Settings.HistoryBytes()
	if !on || limit == 0 || e.DryRun() {
		return nil
	}
	path, err := keptFile(e)
	if err != nil {
		return nil
	}
	k := &keeper{path: path}
	k.spool = localstate.NewSpool(keptFirst, limit, fmt.Errorf("it is larger than the limit of %s for stored results",
		humanBytes(limit)), k.begin)
	return k
}

func (k *keeper) Read(p []byte) (int, error) {
	n, err := k.ReadCloser.Read(p)
	if !k.spool.Add(p[:n]) {
		k.drop()
	}
	return n, err
}

func (k *keeper) begin() (io.Writer, error) {
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return nil, err
	}
	f, err := tempfile.Create(k.path, 0o600)
	if err != nil {
		return nil, err
	}
	k.file = f
	return f, nil
}

func (k *keeper) drop() {
	if k != nil && k.file != nil {
		_ = k.file.Close()
		_ = os.Remove(k.file.Name())
		k.file = nil
	}
}

// finish stores the document, or else the reason why it was not stored: an older result must not be mistaken for this
// one.
func (k *keeper) finish(info keptInfo, err error) {
	if k == nil {
		return
	}
	info.Bytes = k.spool.N
	if why := k.spool.Err; why != nil {
		info.NotKept = why.Error()
	} else if err != nil {
		info.NotKept = "it was not read completely: " + cli.Classify(context.Background(), err).Msg
	}
	if k.store(info) != nil {
		k.drop()
		_ = os.Remove(k.path)
	}
	tempfile.Sweep(filepath.Dir(k.path))
}

func (k *keeper) store(info keptInfo) (err error) {
	if info.NotKept != "" { // without the document
		k.drop()
		_, err = k.begin()
	} else {
		err = k.spool.Flush()
	}
	if err == nil {
		err = localstate.CommitResult(k.file, k.path, info)
	}
	if err == nil {
		k.file = nil
	}
	return err // finish removes the rest
}

var errNothingKept = &exitcode.Failure{Exit: exitcode.NotFound, Code: "no-last-result", Msg: "no result is stored",
	Hint: "`dig query execute` stores its last result, unless --no-history, DIG_HISTORY=off or a profile's history " +
		"says otherwise"}

// openKept opens the last result of the current target.
func openKept(e *cli.Env) (keptInfo, *api.Result, error) {
	var info keptInfo
	path, err := keptFile(e)
	if err != nil {
		return info, nil, err
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return info, nil, errNothingKept
	}
	if err != nil {
		return info, nil, err
	}
	size, err := localstate.ReadResult(f, &info, func(size int64) bool {
		return info.NotKept != "" ||
			info.Bytes == size
	})
	if err != nil {
		f.Close()
		return info, nil, &exitcode.Failure{Exit: exitcode.Failed, Code: "bad-last-result", Msg: fmt.Sprintf("%s: %v",
			path, err), Hint: "`dig query last --clear` removes it"}
	}
	return info, &api.Result{Format: info.Wire, Body: readCloser{io.NewSectionReader(f, 0, size), f}}, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}
