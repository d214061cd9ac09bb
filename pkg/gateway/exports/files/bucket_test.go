package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/exports/files"
	"github.com/dig-cli/dig/pkg/gateway/exports/s3test"
)

const partSize = 1000

func open(t *testing.T, s *s3test.Store, address string) *files.Bucket {
	t.Helper()
	b, err := files.OpenBucket(files.Options{Address: address, Getenv: s.Getenv, PartSize: partSize,
		Silence: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// write writes a file in pieces that do not fit into parts.
func write(f files.Files, id string, data []byte) error {
	ctx := context.Background()
	w, err := f.Create(ctx, id)
	if err != nil {
		return err
	}
	for piece := range slices.Chunk(data, 333) {
		if _, err := w.Write(piece); err != nil {
			return errors.Join(err, w.Abort())
		}
	}
	if err := w.Commit(ctx); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Abort() // which does nothing then
}

func numbers(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintln(&b, i)
	}
	return b.Bytes()[:size]
}

// TestFiles: what is written is read from any place, in a folder as in a bucket.
func TestFiles(t *testing.T) {
	s := s3test.New(t)
	dir := filepath.Join(t.TempDir(), "exports")
	for name, f := range map[string]files.Files{"bucket": open(t, s, "s3://lake/some/prefix").Of("state"),
		"root of a bucket": open(t, s, "s3://lake").Of("state"),
		"folder":           &files.Folder{Dir: dir, SyncDir: tempfile.SyncDir}} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			if err := f.Sweep(ctx, none); err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{0, 1, partSize - 1, partSize, partSize + 1, 3 * partSize, 3*partSize + 7} {
				want := numbers(size)
				if err := write(f, "id", want); err != nil {
					t.Fatal(err)
				}
				r, err := f.Open(ctx, "id")
				if err != nil {
					t.Fatal(err)
				}
				for _, from := range []int{0, size / 2, size} {
					if end, err := r.Seek(0, io.SeekEnd); err != nil || end != int64(size) {
						t.Fatalf("%d bytes: the end is %d, %v", size, end, err)
					}
					if _, err := r.Seek(int64(from), io.SeekStart); err != nil {
						t.Fatal(err)
					}
					if have, err := io.ReadAll(r); err != nil || !bytes.Equal(have, want[from:]) {
						t.Errorf("%d bytes from %d: %d, %v", size, from, len(have), err)
					}
				}
				if r.Made().IsZero() {
					t.Error("no time")
				}
				if err := r.Close(); err != nil {
					t.Fatal(err)
				}
				for range 2 { // the second one has nothing to do
					if err := f.Remove(ctx, "id"); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := f.Open(ctx, "id"); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("a file that was removed: %v", err)
				}
			}
		})
	}
	if left := s.Keys(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func none(context.Context) (map[string]bool, error) { return nil, nil }

// TestSweep: what has no job goes, of the own state alone; what is being written stays.
func TestSweep(t *testing.T) {
	s := s3test.New(t)
	b := open(t, s, "s3://lake/p")
	ctx := context.Background()
	own, other := b.Of("own"), b.Of("other")
	begin := func(id string) {
		w, err := own.Create(ctx, id)
		if err == nil {
			_, err = w.Write(numbers(partSize + 1))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"done", "orphan", "orphan2", "orphan3", "between"} {
		if err := write(own, id, []byte(id)); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(other, "orphan", []byte("x")); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"done", "dead", "running"} {
		begin(id)
	}
	if err := own.Sweep(ctx, func(context.Context) (map[string]bool, error) {
		return map[string]bool{"done": true, "running": false, "between": false}, nil
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{"+p/exports/own/running", "p/exports/other/orphan", "p/exports/own/between", "p/exports/own/done"}
	if have := s.Keys(); !slices.Equal(have, want) {
		t.Errorf("%q, want %q", have, want)
	}
	if err := own.Remove(ctx, "running"); err != nil {
		t.Fatal(err)
	}
	if have := s.Keys(); !slices.Equal(have, want[1:]) {
		t.Errorf("%q, want %q", have, want[1:])
	}
}

// TestUploadFails: whatever fails, there is no half file, and none of its parts.
func TestUploadFails(t *testing.T) {
	for _, c := range []struct {
		name, method, query string
		status              int
		code, want          string
		away                bool
	}{
		{"begin", "POST", "uploads", 403, "AccessDenied", "AccessDenied (status 403): AccessDenied of the test", false},
		{"part", "PUT", "partNumber=2", 403, "AccessDenied", "AccessDenied (status 403)", false},
		{"part", "PUT", "partNumber=3", 503, "SlowDown", "SlowDown (status 503)", true},
		{"complete", "POST", "uploadId", 500, "InternalError", "InternalError (status 500)", true},
		{"complete", "POST", "uploadId", 200, "InternalError", "InternalError (status 500)", true},
	} {
		t.Run(fmt.Sprint(c.name, c.status), func(t *testing.T) {
			s := s3test.New(t)
			s.Fault = func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
				hit := r.Method == c.method && strings.Contains(r.URL.RawQuery, c.query)
				if hit {
					s3test.Deny(w, c.status, c.code)
				}
				return hit
			}
			f := open(t, s, "s3://lake/p").Of("state")
			err := write(f, "id", numbers(5*partSize))
			var e *files.Error
			if !errors.As(err, &e) || e.Away != c.away ||
				!strings.Contains(err.Error(), "s3://lake/p at "+s.URL+": writing p/exports/state/id: "+c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if left := s.Keys(); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// TestLostEnd: an upload whose last reply is lost is complete.
func TestLostEnd(t *testing.T) {
	s := s3test.New(t)
	lost := false
	s.Fault = func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		if lost || r.Method != "POST" || !r.URL.Query().Has("uploadId") {
			return false
		}
		lost = true
		s.Do(r, body)
		panic(http.ErrAbortHandler)
	}
	f := open(t, s, "s3://lake").Of("state")
	want := numbers(2*partSize + 1)
	if err := write(f, "id", want); err != nil || !lost {
		t.Fatal(lost, err)
	}
	if have := read(t, f, "id"); !bytes.Equal(have, want) {
		t.Errorf("%d bytes", len(have))
	}
}

func read(t *testing.T, f files.Files, id string) []byte {
	t.Helper()
	r, err := f.Open(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	have, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return have
}

// TestCutReplies: reading continues where a reply was cut, or stopped moving, and fails when nothing comes any more.
func TestCutReplies(t *testing.T) {
	s := s3test.New(t)
	f := open(t, s, "s3://lake").Of("state")
	want := numbers(100_000)
	if err := write(f, "id", want); err != nil {
		t.Fatal(err)
	}
	var replies, least atomic.Int64 // least are the bytes of a reply
	least.Store(30_000)
	s.Fault = func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Method != "GET" {
			return false
		}
		n, from := replies.Add(1), 0
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(want)-1, len(want)))
		w.Header().Set("Content-Length", fmt.Sprint(len(want)-from))
		w.WriteHeader(206)
		end := min(from+int(least.Load()), len(want))
		_, _ = w.Write(want[from:end])
		w.(http.Flusher).Flush()
		if n == 2 {
			<-r.Context().Done() // silent until the client gives up
		}
		if end < len(want) {
			panic(http.ErrAbortHandler)
		}
		return true
	}
	if have := read(t, f, "id"); !bytes.Equal(have, want) || replies.Load() != 4 {
		t.Errorf("%d bytes in %d replies", len(have), replies.Load())
	}
	least.Store(0)
	r, err := f.Open(context.Background(), "id")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var e *files.Error
	if _, err := io.ReadAll(r); !errors.As(err, &e) || !e.Away {
		t.Errorf("a store that sends nothing: %v", err)
	}
}

// TestTry: a store that cannot be used is found by the start, with an error that names the bucket and no secret.
func TestTry(t *testing.T) {
	s := s3test.New(t)
	ctx := context.Background()
	if err := open(t, s, "s3://lake/p").Try(ctx); err != nil || len(s.Keys()) > 0 {
		t.Fatal(s.Keys(), err)
	}
	deny := func(method, query string, status int, code string) func(http.ResponseWriter, *http.Request, []byte) bool {
		return func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
			hit := r.Method == method && strings.Contains(r.URL.RawQuery, query)
			if hit {
				s3test.Deny(w, status, code)
			}
			return hit
		}
	}
	for _, c := range []struct {
		address, want string
		away          bool
		fault         func(http.ResponseWriter, *http.Request, []byte) bool
	}{
		{"s3://other", "NoSuchBucket (status 404)", false, nil},
		{"s3://lake", "writing dig-check", false, deny("PUT", "", 403, "AccessDenied")},
		{"s3://lake", "reading dig-check", false, deny("GET", "x-id=GetObject", 403, "AccessDenied")},
		{"s3://lake", "listing: AccessDenied", false, deny("GET", "list-type", 403, "AccessDenied")},
		{"s3://lake", "listing uploads: AccessDenied", false, deny("GET", "uploads", 403, "AccessDenied")},
		{"s3://lake", "removing dig-check", false, deny("DELETE", "", 403, "AccessDenied")},
		{"s3://lake", "SlowDown (status 503)", true, deny("PUT", "", 503, "SlowDown")},
		{"s3://lake", "timeout", true, func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
			<-r.Context().Done()
			return true
		}},
	} {
		s.Fault = c.fault
		err := open(t, s, c.address).Try(ctx)
		var e *files.Error
		if !errors.As(err, &e) || e.Away != c.away || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), c.address+" at "+s.URL+": ") ||
			strings.Contains(err.Error(), s3test.Secret) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestAddresses: an address says where, and not how to get in. The error does not repeat it.
func TestAddresses(t *testing.T) {
	for _, c := range []files.Options{{Address: "lake/p"}, {Address: "s3://"}, {Address: "http://lake/p"},
		{Address: "s3://KEY:hidden@lake/p"}, {Address: "s3://KEY:hid den%zz@lake"},
		{Address: "s3://lake/p?secret=hidden"}, {Address: "s3://lake", Endpoint: "minio:9000"},
		{Address: "s3://lake", Endpoint: "http://k:hidden@minio:9000"}} {
		c.Getenv = func(string) string { return "" }
		if _, err := files.OpenBucket(c); err == nil || strings.Contains(err.Error(), "hid") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
