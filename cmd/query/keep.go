package query

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
)

// The last result of each target is stored as received, in one file: the document, then its metadata as JSON, then the
// length of the metadata in 8 bytes and keptMagic. The file is written under another name and renamed, so it is always
// complete.

const (
	keptMagic  = "digkept1"
	keptFirst  = 64 << 10 // bytes held in memory before a file is started
	keptMaxAge = 24 * time.Hour
)

// keptInfo is the metadata of a stored result.
type keptInfo struct {
	Statement string     `json:"statement,omitempty"`
	Dialect   string     `json:"dialect,omitempty"` // if not Trino's
	Bindings  []string   `json:"bindings,omitempty"`
	Query     string     `json:"query,omitempty"` // an id, a name or a builder object, for a run without a statement
	Profile   string     `json:"profile,omitempty"`
	Zone      string     `json:"zone"`
	Project   string     `json:"project"`
	Wire      api.Format `json:"wireFormat"`
	Rows      int64      `json:"rows"`
	Bytes     int64      `json:"bytes"`
	StartedAt time.Time  `json:"startedAt"`
	Elapsed   float64    `json:"elapsedSeconds"`
	NotKept   string     `json:"notKept,omitempty"` // why there is no document
}

// keptFile returns the file of the last result of the current target. A target is a profile, zone and address.
func keptFile(e *cli.Env) (string, error) {
	dir, p, err := e.CachePlace()
	if err != nil {
		return "", err
	}
	p.Profile = e.Run.Settings.Profile.Value
	return filepath.Join(dir, "results", p.Key()+".last"), nil
}

// keeper stores a result while it is read. It never fails the command it works for.
type keeper struct {
	io.ReadCloser
	path   string
	limit  int64
	n      int64
	buf    []byte
	file   *os.File
	failed string // why the result will not be stored
}

// newKeeper creates the keeper of one result; nil when results are not stored.
func newKeeper(e *cli.Env, on bool) *keeper {
	limit := e.Run.Settings.HistoryBytes()
	if !on || limit == 0 || e.Tells() {
		return nil
	}
	path, err := keptFile(e)
	if err != nil {
		return nil
	}
	return &keeper{path: path, limit: limit}
}

func (k *keeper) Read(p []byte) (int, error) {
	n, err := k.ReadCloser.Read(p)
	if k.n += int64(n); k.failed == "" {
		k.add(p[:n])
	}
	return n, err
}

func (k *keeper) add(p []byte) {
	if k.n > k.limit {
		k.giveUp(fmt.Sprintf("it is larger than the limit of %s for stored results", humanBytes(k.limit)))
		return
	}
	if k.file == nil {
		if len(k.buf)+len(p) <= keptFirst {
			k.buf = append(k.buf, p...)
			return
		}
		if err := k.begin(); err != nil {
			k.giveUp(err.Error())
			return
		}
	}
	if _, err := k.file.Write(p); err != nil {
		k.giveUp(err.Error())
	}
}

// begin opens the file and writes the buffered bytes.
func (k *keeper) begin() error {
	dir := filepath.Dir(k.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := tempfile.Create(k.path, 0o600)
	if err != nil {
		return err
	}
	k.file = f
	_, err = f.Write(k.buf)
	k.buf = nil
	return err
}

func (k *keeper) giveUp(why string) {
	k.failed, k.buf = why, nil
	k.drop()
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
	switch {
	case k == nil:
		return
	case err != nil && k.failed == "":
		k.giveUp("it was not read completely: " + cli.Classify(context.Background(), err).Msg)
	}
	info.NotKept, info.Bytes = k.failed, k.n
	if k.store(info) != nil {
		k.drop()
		_ = os.Remove(k.path)
	}
	tempfile.Sweep(filepath.Dir(k.path))
}

func (k *keeper) store(info keptInfo) error {
	raw, err := api.Marshal(info)
	if err != nil {
		return err
	}
	raw = binary.BigEndian.AppendUint64(raw, uint64(len(raw)))
	if k.file == nil {
		if err := k.begin(); err != nil {
			return err
		}
	}
	if _, err := k.file.Write(append(raw, keptMagic...)); err != nil {
		return err
	}
	err = tempfile.Commit(k.file, k.path)
	if err == nil {
		k.file = nil
	}
	return err // finish removes the rest
}

var errNothingKept = &cli.Failure{Exit: cli.ExitNotFound, Code: "no-last-result", Msg: "no result is stored",
	Hint: "`dig query execute` stores its last result, unless --no-history, DIG_HISTORY=off or a profile's history says otherwise"}

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
	size, err := readKept(f, &info)
	if err != nil {
		f.Close()
		return info, nil, &cli.Failure{Exit: cli.ExitFailed, Code: "bad-last-result", Msg: fmt.Sprintf("%s: %v", path, err), Hint: "`dig query last --clear` removes it"}
	}
	return info, &api.Result{Format: info.Wire, Body: readCloser{io.NewSectionReader(f, 0, size), f}}, nil
}

// readKept reads the end of the file and returns the length of the document before it.
func readKept(f *os.File, info *keptInfo) (int64, error) {
	damaged := errors.New("the stored result is corrupt")
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	end := make([]byte, 8+len(keptMagic))
	at := st.Size() - int64(len(end))
	if at < 0 {
		return 0, damaged
	}
	if _, err := f.ReadAt(end, at); err != nil {
		return 0, err
	}
	n := binary.BigEndian.Uint64(end)
	if !bytes.HasSuffix(end, []byte(keptMagic)) || n > uint64(at) {
		return 0, damaged
	}
	raw := make([]byte, n)
	if _, err := f.ReadAt(raw, at-int64(n)); err != nil {
		return 0, err
	}
	if err := json.Unmarshal(raw, info); err != nil || info.NotKept == "" && info.Bytes != at-int64(n) {
		return 0, damaged
	}
	return at - int64(n), nil
}

type readCloser struct {
	io.Reader
	io.Closer
}
