package web

import (
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/gateway/spool"
)

type PipeWriter struct {
	Head   http.Header
	Sent   http.Header
	Status int
	Pw     *spool.Writer
	once   sync.Once
	Ready  chan struct{}
	Why    string // why the reply was aborted after its start; "" if it was not
	last   *time.Timer
}

// breakOff ends the pipe with the reason after the given time, even if nobody reads it.
func (w *PipeWriter) breakOff(after time.Duration, why string) {
	w.last = safely.AfterFunc(after, func() { w.Pw.CloseWithError(CutError(why)) })
}

// CutError is the error at the end of an aborted reply, with the reason. Over a network the reason would not be
// transmitted.
type CutError string

func (e CutError) Error() string { return string(e) }
func (CutError) Unwrap() error   { return io.ErrUnexpectedEOF }

func (w *PipeWriter) Header() http.Header { return w.Head }

func (w *PipeWriter) Begin(status int) {
	w.once.Do(func() {
		w.Status, w.Sent = status, w.Head.Clone()
		close(w.Ready)
	})
}

func (w *PipeWriter) WriteHeader(status int) { w.Begin(status) }

func (w *PipeWriter) Write(p []byte) (int, error) {
	w.Begin(http.StatusOK)
	return w.Pw.Write(p)
}

// Flush implements http.Flusher; a pipe has no buffer.
func (w *PipeWriter) Flush() { w.Begin(http.StatusOK) }
