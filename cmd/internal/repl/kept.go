package repl

import (
	"bytes"
	"errors"
	"io"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/localstate"
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
	spool  *localstate.Spool // nil before the first result
	file   *tempfile.Unnamed
	whole  bool // the reply was read to its end
	noted  bool // the notes about what a statement over it does not preserve were printed
}

func newKept() *kept { return &kept{} }

func (k *kept) some() bool { return k.spool != nil && k.spool.N > 0 }

// keep stores a reply while the caller reads it. A second call starts over: the reply was requested in another format.
func (k *kept) keep(body io.ReadCloser, format api.Format) io.ReadCloser {
	_ = k.close()
	*k = kept{format: format, spool: localstate.NewSpool(keptInMemory, keptAtMost,
		errors.New("it is larger than 4 GiB"), k.create)}
	return &keeping{ReadCloser: body, k: k}
}

type keeping struct {
	io.ReadCloser
	k *kept
}

func (r *keeping) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if !r.k.spool.Add(p[:n]) {
		_ = r.k.close()
	}
	if errors.Is(err, io.EOF) {
		r.k.whole = true
	}
	return n, err
}

func (k *kept) create() (io.Writer, error) {
	f, err := tempfile.CreateUnnamed("", "dig-last-*")
	if err != nil {
		return nil, err
	}
	k.file = f
	return f, nil
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
		return nil, exitcode.Usagef("there is no last result").WithHint("run a statement first")
	case k.spool == nil:
		return &api.Result{Format: k.format, Body: io.NopCloser(bytes.NewReader(nil))}, nil
	case k.spool.Err != nil:
		err := k.spool.Err
		return nil, &exitcode.Failure{Exit: exitcode.Failed, Code: "no-last-result",
			Msg: "the last result was not kept: " + err.Error(), Err: err}
	case k.file == nil:
		return &api.Result{Format: k.format, Body: io.NopCloser(bytes.NewReader(k.spool.Memory()))}, nil
	}
	return &api.Result{Format: k.format, Body: io.NopCloser(io.NewSectionReader(k.file, 0, k.spool.N))}, nil
}
