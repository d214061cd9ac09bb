package export

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
)

// fileServer serves one export; break says how the n-th request for the file goes wrong.
type fileServer struct {
	*httptest.Server
	data     []byte
	requests atomic.Int64
	auth     atomic.Value // the Authorization header of the last request for the file
	size     int64        // what the job says, 0 for the truth
	limit    time.Duration
	fault    func(n int64, w http.ResponseWriter, r *http.Request) bool
}

func newFileServer(t *testing.T) *fileServer {
	s := &fileServer{data: make([]byte, 3<<20)}
	rand.Read(s.data)
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v1/data/projects/p/exports/x", func(w http.ResponseWriter, r *http.Request) {
		size := int64(len(s.data))
		if s.size > 0 {
			size = s.size
		}
		job := api.ExportJobResponse{ID: "x", Status: "SUCCEEDED", Downloadable: true,
			Files: []api.ExportFile{{Name: "f.csv", Bytes: size,
				URL: fmt.Sprintf("http://%s/elsewhere/f.csv?signature=%d", r.Host, s.requests.Load())}}}
		json.NewEncoder(w).Encode(job)
	})
	mux.HandleFunc("/elsewhere/f.csv", func(w http.ResponseWriter, r *http.Request) {
		n := s.requests.Add(1)
		s.auth.Store(r.Header.Get("Authorization"))
		if r.URL.Query().Get("signature") != fmt.Sprint(n-1) {
			http.Error(w, `{"message":"the link is old"}`, http.StatusForbidden)
			return
		}
		if s.fault != nil && s.fault(n, w, r) {
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.data))
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *fileServer) fetch(t *testing.T) ([]byte, error) {
	t.Helper()
	cl, err := api.New(api.Options{BaseURL: s.URL + "/api/v1", Key: "secret-key", Timeout: s.limit})
	if err != nil {
		t.Fatal(err)
	}
	e := &cli.Env{Name: "dig", Err: &bytes.Buffer{}, Now: time.Now}
	job, err := cl.Exports.Get(context.Background(), "p", "x")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = fetchFile(context.Background(), e, cl, "p", job, 0, &out)
	return out.Bytes(), err
}

func TestDownloadResumes(t *testing.T) {
	cut := func(w http.ResponseWriter, data []byte) {
		w.Header().Set("Content-Length", fmt.Sprint(len(data)*2))
		w.Write(data)
		panic(http.ErrAbortHandler)
	}
	for name, fault := range map[string]func(s *fileServer) func(int64, http.ResponseWriter, *http.Request) bool{
		"whole": func(*fileServer) func(int64, http.ResponseWriter, *http.Request) bool { return nil },
		"cut once": func(s *fileServer) func(int64, http.ResponseWriter, *http.Request) bool {
			return func(n int64, w http.ResponseWriter, _ *http.Request) bool {
				if n == 1 {
					cut(w, s.data[:1<<20])
				}
				return false
			}
		},
		"a store without ranges": func(s *fileServer) func(int64, http.ResponseWriter, *http.Request) bool {
			return func(n int64, w http.ResponseWriter, r *http.Request) bool {
				if n == 1 {
					cut(w, s.data[:1<<20])
				}
				r.Header.Del("Range")
				return false
			}
		},
		"an error in between": func(s *fileServer) func(int64, http.ResponseWriter, *http.Request) bool {
			return func(n int64, w http.ResponseWriter, _ *http.Request) bool {
				switch n {
				case 1:
					cut(w, s.data[:1<<20])
				case 2:
					http.Error(w, "busy", http.StatusServiceUnavailable)
					return true
				}
				return false
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFileServer(t)
			s.fault = fault(s)
			got, err := s.fetch(t)
			if err != nil || !bytes.Equal(got, s.data) {
				t.Errorf("%d bytes of %d, %v", len(got), len(s.data), err)
			}
			if a := s.auth.Load().(string); a != "" {
				t.Errorf("the key went to another place: %q", a)
			}
		})
	}
}

func TestDownloadSize(t *testing.T) {
	for _, size := range []int64{3<<20 - 1, 3<<20 + 1} {
		s := newFileServer(t)
		s.size = size
		_, err := s.fetch(t)
		var f *exitcode.Failure
		if !errors.As(err, &f) || f.Exit != exitcode.Unavailable || !strings.Contains(err.Error(), "bytes") {
			t.Errorf("the job says %d bytes, %d are served: %v", size, len(s.data), err)
		}
	}
}

// TestDownloadChanged: bytes of two files never make one, whatever the sizes say.
func TestDownloadChanged(t *testing.T) {
	for name, ranges := range map[string]bool{"a store with ranges": true, "a store without ranges": false,
		"a store that ignores If-Range": true} {
		t.Run(name, func(t *testing.T) {
			s := newFileServer(t)
			other := bytes.Repeat([]byte{7}, len(s.data))
			s.fault = func(n int64, w http.ResponseWriter, r *http.Request) bool {
				w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprint("v", n)))
				if n == 1 {
					w.Header().Set("Content-Length", fmt.Sprint(len(s.data)))
					w.Write(s.data[:1<<20])
					panic(http.ErrAbortHandler)
				}
				if !ranges {
					r.Header.Del("Range")
				}
				if strings.Contains(name, "ignores") {
					r.Header.Del("If-Range")
				}
				http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(other))
				return true
			}
			got, err := s.fetch(t)
			var f *exitcode.Failure
			if !errors.As(err, &f) || f.Code != "changed" || len(got) > 1<<20 {
				t.Errorf("%d bytes, %v; want the news that the file changed", len(got), err)
			}
		})
	}
}

// TestDownloadSilent: a file of which nothing comes any more ends the download at the client's limit.
func TestDownloadSilent(t *testing.T) {
	s := newFileServer(t)
	quit := make(chan struct{})
	t.Cleanup(func() { close(quit) })
	s.limit = 100 * time.Millisecond
	s.fault = func(_ int64, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Length", fmt.Sprint(len(s.data)))
		w.(http.Flusher).Flush()
		<-quit
		return true
	}
	_, err := s.fetch(t)
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != api.KindTimeout || s.requests.Load() > 3 {
		t.Errorf("%v after %d tries", err, s.requests.Load())
	}
}

// TestDownloadNames: a name that the gateway chose makes no hidden file, none elsewhere and none twice.
func TestDownloadNames(t *testing.T) {
	var files []api.ExportFile
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/exports/x") {
			for i := range files {
				files[i].URL, files[i].Bytes = "http://"+r.Host+"/api/v1/file", 4
			}
			json.NewEncoder(w).Encode(api.ExportJobResponse{ID: "x", Status: "SUCCEEDED",
				Downloadable: true, Files: files})
			return
		}
		fmt.Fprint(w, "rows")
	}))
	defer srv.Close()
	cl, err := api.New(api.Options{BaseURL: srv.URL + "/api/v1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		names []string
		want  string // the files made, or a part of the error
	}{
		{[]string{"f.csv"}, "f.csv"},
		{[]string{"a/f.csv", "../../g.csv"}, "f.csv g.csv"},
		{[]string{".bashrc"}, `the gateway names the file ".bashrc"`},
		{[]string{"a/.."}, `the gateway names the file "a/.."`},
		{[]string{""}, `the gateway names the file ""`},
		{[]string{"a\x1b[2J"}, `the gateway names the file "a\x1b[2J"`},
		{[]string{"a/f.csv", "b/f.csv"}, `two files named "f.csv"`},
	} {
		files = nil
		for _, n := range c.names {
			files = append(files, api.ExportFile{Name: n})
		}
		dir := t.TempDir()
		e := &cli.Env{Name: "dig", Err: &bytes.Buffer{}, Now: time.Now, Dir: dir}
		_, err := download(context.Background(), e, cl, "p", "x", "")
		entries, _ := os.ReadDir(dir)
		var made []string
		for _, f := range entries {
			made = append(made, f.Name())
		}
		got := strings.Join(made, " ")
		if !errors.Is(err, cli.ErrDone) {
			if got != "" {
				t.Errorf("%q: %v, but made %s", c.names, err, got)
			}
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%q: got %s; want %s", c.names, got, c.want)
		}
	}
}

// TestDownloadSeveral: several files need a directory, and nothing is fetched or made before that is clear.
func TestDownloadSeveral(t *testing.T) {
	var fetched atomic.Int64
	format := "CSV"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/exports/x") {
			url := "http://" + r.Host + "/api/v1/file"
			json.NewEncoder(w).Encode(api.ExportJobResponse{ID: "x", Status: "SUCCEEDED", Format: format,
				Downloadable: true,
				Files: []api.ExportFile{{Name: "a-1.csv", URL: url, Bytes: 4},
					{Name: "a-2.csv", URL: url, Bytes: 4}}})
			return
		}
		fetched.Add(1)
		fmt.Fprint(w, "rows")
	}))
	defer srv.Close()
	cl, err := api.New(api.Options{BaseURL: srv.URL + "/api/v1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ format, path, want string }{
		{"CSV", "o.csv", "o.csv is the name of one"},
		{"CSV", "-", "cannot be concatenated"},
		{"JSONL", "-", ""},
		{"CSV", "o/", "o/a-1.csv o/a-2.csv"},
		{"CSV", "there", "there/a-1.csv there/a-2.csv"},
		{"CSV", "", "a-1.csv a-2.csv"},
	} {
		format = c.format
		fetched.Store(0)
		dir := t.TempDir()
		if c.path == "there" {
			if err := os.Mkdir(filepath.Join(dir, "there"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		e := &cli.Env{Name: "dig", Out: &out, Err: &bytes.Buffer{}, Now: time.Now, Dir: dir}
		_, err := download(context.Background(), e, cl, "p", "x", c.path)
		made, gerr := filepath.Glob(filepath.Join(dir, "*.*"))
		below, gerr2 := filepath.Glob(filepath.Join(dir, "*", "*"))
		if gerr != nil || gerr2 != nil {
			t.Fatal(gerr, gerr2)
		}
		var names []string
		for _, f := range append(made, below...) {
			rel, _ := filepath.Rel(dir, f)
			names = append(names, filepath.ToSlash(rel))
		}
		var f *exitcode.Failure
		if errors.As(err, &f) {
			if f.Exit != exitcode.Usage || !strings.Contains(f.Msg, c.want) || len(names) > 0 || fetched.Load() > 0 ||
				c.want == "" {
				t.Errorf("%+v: %v, made %v, %d fetched", c, err, names, fetched.Load())
			}
			continue
		}
		if got := strings.Join(names, " "); !errors.Is(err, cli.ErrDone) || got != c.want || c.path == "-" &&
			out.String() != "rowsrows" {
			t.Errorf("%+v: %v, made %q, printed %q", c, err, got, out.String())
		}
	}
}
