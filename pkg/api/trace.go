package api

import (
	"io"
	"sync"
)

// tracedHead is how much of a body is reported.
const tracedHead = 4 << 10

// tracedBody reports a body after it was read or closed.
type tracedBody struct {
	io.ReadCloser
	ex   Exchange
	head []byte
	tell func(Exchange)
	once sync.Once
}

func (t *tracedBody) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.ex.Bytes += int64(n)
	if left := tracedHead - len(t.head); left > 0 {
		t.head = append(t.head, p[:min(n, left)]...)
	}
	if err != nil {
		t.end()
	}
	return n, err
}

// Close closes the body.
func (t *tracedBody) Close() error {
	t.end()
	return t.ReadCloser.Close()
}

func (t *tracedBody) end() {
	t.once.Do(func() {
		t.ex.Body = string(t.head)
		t.tell(t.ex)
	})
}
