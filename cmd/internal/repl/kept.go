package repl

import (
	"bytes"
	"errors"
	"io"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
)

const (
	keptInMemory = 1 << 20
	keptAtMost   = 4 << 30
)

// kept is the last result as it was received: in memory, or, if it is larger, in an unnamed temporary file.
type kept struct {
	text   string // of the statement
	format api.Format
	n      int64
	mem    []byte
	file   *tempfile.Unnamed
	whole  bool // the reply was read to its end
	failed error
	told   bool // the notes about what a statement over it does not preserve were printed
}

func newKept() *kept { return &kept{} }

func (k *kept) some() bool { return k.n > 0 }

// keep stores a reply while the caller reads it. A second call starts over: the reply was requested in another format.
func (k *kept) keep(body io.ReadCloser, format api.Format) io.ReadCloser {
	_ = k.close()
	*k = kept{format: format}
	return &keeping{ReadCloser: body, k: k}
}

type keeping struct {
	io.ReadCloser
	k *kept
}

func (r *keeping) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.k.add(p[:n])
	if errors.Is(err, io.EOF) {
		r.k.whole = true
	}
	return n, err
}

func (k *kept) add(p []byte) {
	k.n += int64(len(p))
	switch {
	case k.failed != nil:
	case k.n > keptAtMost:
		k.failed = errors.New("it is larger than 4 GiB")
		_ = k.close()
	case k.file == nil && len(k.mem)+len(p) <= keptInMemory:
		k.mem = append(k.mem, p...)
	default:
		if k.file == nil {
			if k.failed = k.spill(); k.failed != nil {
				return
			}
		}
		if _, err := k.file.Write(p); err != nil {
			k.failed = err
		}
	}
}

// spill moves the bytes to a file.
func (k *kept) spill() error {
	f, err := tempfile.CreateUnnamed("", "dig-last-*")
	if err != nil {
		return err
	}
	k.file = f
	_, err = f.Write(k.mem)
	k.mem = nil
	return err
}

func (k *kept) close() error {
	if k == nil || k.file == nil {
		return nil
	}
	err := k.file.Close()
	k.file = nil
	return err
}

// open reads the result again. The reader is valid until the next statement.
func (k *kept) open() (*api.Result, error) {
	switch {
	case k == nil:
		return nil, cli.Usagef("there is no last result").WithHint("run a statement first")
	case k.failed != nil:
		return nil, &cli.Failure{Exit: cli.ExitFailed, Code: "no-last-result", Msg: "the last result was not kept: " + k.failed.Error(), Err: k.failed}
	case k.file == nil:
		return &api.Result{Format: k.format, Body: io.NopCloser(bytes.NewReader(k.mem))}, nil
	}
	return &api.Result{Format: k.format, Body: io.NopCloser(io.NewSectionReader(k.file, 0, k.n))}, nil
}
