package api

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestUploadIsStreamed hands out the second half of a document only after the server has read the first.
func TestUploadIsStreamed(t *testing.T) {
	const half = 4 << 20
	read := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.CopyN(io.Discard, r.Body, half); err == nil {
			close(read)
		}
		rest, _ := io.ReadAll(r.Body)
		if len(rest) < half || r.ContentLength != -1 || !strings.HasPrefix(r.Header.Get("Content-Type"),
			"multipart/form-data; boundary=") {
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = io.WriteString(w, `{"status":"COMPLETED","result":{"processed":7}}`)
	}))
	defer srv.Close()
	c, err := New(Options{BaseURL: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	second := &waiting{ctx, read, strings.NewReader(strings.Repeat("b", half))}
	job, err := c.Tables.Import(ctx, "p", "t", ImportRequest{}, "x.csv",
		io.MultiReader(strings.NewReader(strings.Repeat("a", half)), second))
	if err != nil || job.Result.Processed != 7 {
		t.Errorf("%+v, %v", job, err)
	}
}

type waiting struct {
	ctx   context.Context
	until chan struct{}
	r     io.Reader
}

func (w *waiting) Read(p []byte) (int, error) {
	select {
	case <-w.until:
		return w.r.Read(p)
	case <-w.ctx.Done():
		return 0, w.ctx.Err()
	}
}
