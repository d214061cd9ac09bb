package zone

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"github.com/dig-cli/dig/internal/rowfile/csv"
)

// Document is a document that a request imports. A gateway in this process reads its records; for any other the body of
// the request has its text.
type Document struct {
	csv.Document
	taken atomic.Bool
}

type documentKey struct{}

// WithDocument has an import read a document of this process. The body of the request must be that of Text.
func WithDocument(ctx context.Context, d *Document) context.Context {
	return context.WithValue(ctx, documentKey{}, d)
}

// DocumentOf returns the document of WithDocument, nil for none.
func DocumentOf(ctx context.Context) *Document {
	d, _ := ctx.Value(documentKey{}).(*Document)
	return d
}

// Take is called by a gateway in this process before it reads the body of a request.
func (d *Document) Take() { d.taken.Store(true) }

// Taken reports whether the records are read, and not the text.
func (d *Document) Taken() bool { return d.taken.Load() }

// Text is the text that the body of a request has, empty if the document was taken. open is called when it is read.
func (d *Document) Text(open func() (io.ReadCloser, error)) io.ReadCloser {
	return &text{d: d, open: open}
}

type text struct {
	d    *Document
	open func() (io.ReadCloser, error)

	mu     sync.Mutex // a request may end while its body is read
	in     io.ReadCloser
	closed bool
}

func (t *text) Read(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.d.Taken():
		return 0, io.EOF
	case t.closed:
		return 0, io.ErrClosedPipe
	}
	if t.in == nil {
		in, err := t.open()
		if err != nil {
			return 0, err
		}
		t.in = in
	}
	return t.in.Read(p)
}

// Close implements io.Closer.
func (t *text) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.in == nil {
		return nil
	}
	return t.in.Close()
}
