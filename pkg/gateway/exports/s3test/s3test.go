// Package s3test is an object store that speaks S3, in memory, for tests: what the gateway asks of one, and faults.
package s3test

import (
	"cmp"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The credential that is asked for.
const (
	KeyID  = "AKIATEST"
	Secret = "the-secret-of-the-store"
)

// Store has one bucket, "lake".
type Store struct {
	URL string
	// Fault answers a request instead of the store, if it returns true. The body has been read.
	Fault func(w http.ResponseWriter, r *http.Request, body []byte) bool

	mu      sync.Mutex
	objects map[string][]byte
	uploads map[string]*upload
	made    int
	calls   []string
}

type upload struct {
	key   string
	parts map[int][]byte
}

// New starts a store, until the end of the test.
func New(t testing.TB) *Store {
	s := &Store{objects: map[string][]byte{}, uploads: map[string]*upload{}}
	srv := httptest.NewServer(s)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	s.URL = srv.URL
	return s
}

// Getenv has the variables of a client of the store.
func (s *Store) Getenv(name string) string {
	return map[string]string{"AWS_ACCESS_KEY_ID": KeyID, "AWS_SECRET_ACCESS_KEY": Secret, "AWS_ENDPOINT_URL": s.URL,
		"AWS_EC2_METADATA_DISABLED": "true"}[name]
}

// Keys are those of the objects, and those of uploads that are not complete, with "+" before each.
func (s *Store) Keys() (keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.objects {
		keys = append(keys, k)
	}
	for _, u := range s.uploads {
		keys = append(keys, "+"+u.key)
	}
	slices.Sort(keys)
	return keys
}

// Remove removes an object behind the back of the gateway.
func (s *Store) Remove(key string) { s.mu.Lock(); delete(s.objects, key); s.mu.Unlock() }

// Calls are the requests so far: method, key and query.
func (s *Store) Calls() []string { s.mu.Lock(); defer s.mu.Unlock(); return slices.Clone(s.calls) }

// Deny answers as a store does, with an error.
func Deny(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code+" of the test")
}

// Do does what a request asks for, for a fault that loses the reply.
func (s *Store) Do(r *http.Request, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	s.serve(httptest.NewRecorder(), r, key, body)
}

func etag(data []byte) string { sum := md5.Sum(data); return `"` + hex.EncodeToString(sum[:]) + `"` }

func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	s.mu.Lock()
	s.calls = append(s.calls, strings.TrimSpace(r.Method+" "+key+" "+r.URL.RawQuery))
	s.mu.Unlock()
	if s.Fault != nil && s.Fault(w, r, body) {
		return
	}
	sum := sha256.Sum256(body)
	switch {
	case !strings.Contains(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential="+KeyID+"/"):
		Deny(w, 403, "InvalidAccessKeyId")
	case r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sum[:]):
		Deny(w, 400, "XAmzContentSHA256Mismatch")
	case bucket != "lake":
		Deny(w, 404, "NoSuchBucket")
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.serve(w, r, key, body)
	}
}

func (s *Store) serve(w http.ResponseWriter, r *http.Request, key string, body []byte) {
	q := r.URL.Query()
	u := s.uploads[q.Get("uploadId")]
	if q.Has("uploadId") && (u == nil || u.key != key) {
		Deny(w, 404, "NoSuchUpload")
		return
	}
	data, there := s.objects[key]
	switch {
	case r.Method == "GET" && q.Has("uploads"):
		type one struct{ Key, UploadId string }
		var all struct {
			XMLName xml.Name `xml:"ListMultipartUploadsResult"`
			Upload  []one
		}
		for id, u := range s.uploads {
			if strings.HasPrefix(u.key, q.Get("prefix")) {
				all.Upload = append(all.Upload, one{u.key, id})
			}
		}
		answer(w, all)
	case r.Method == "GET" && key == "":
		s.list(w, q.Get("prefix"), q.Get("continuation-token"))
	case r.Method == "POST" && q.Has("uploads"):
		s.made++
		id := fmt.Sprint("upload-", s.made)
		s.uploads[id] = &upload{key, map[int][]byte{}}
		answer(w, struct {
			XMLName  xml.Name `xml:"InitiateMultipartUploadResult"`
			UploadId string
		}{UploadId: id})
	case r.Method == "PUT" && u != nil:
		n, _ := strconv.Atoi(q.Get("partNumber"))
		u.parts[n] = body
		w.Header().Set("ETag", etag(body))
	case r.Method == "POST" && u != nil:
		s.complete(w, u, q.Get("uploadId"), body)
	case r.Method == "DELETE" && u != nil:
		delete(s.uploads, q.Get("uploadId"))
		w.WriteHeader(204)
	case r.Method == "PUT" && there && r.Header.Get("If-None-Match") == "*":
		Deny(w, 412, "PreconditionFailed")
	case r.Method == "PUT":
		s.objects[key] = body
		w.Header().Set("ETag", etag(body))
	case r.Method == "DELETE":
		delete(s.objects, key)
		w.WriteHeader(204)
	case !there:
		Deny(w, 404, "NoSuchKey")
	default:
		w.Header().Set("ETag", etag(data))
		http.ServeContent(w, r, "", time.Unix(1_700_000_000, 0), strings.NewReader(string(data)))
	}
}

// list answers two objects at a time.
func (s *Store) list(w http.ResponseWriter, prefix, after string) {
	type one struct{ Key string }
	var all struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string
		Contents              []one
	}
	for k := range s.objects {
		if strings.HasPrefix(k, prefix) && k > after {
			all.Contents = append(all.Contents, one{k})
		}
	}
	slices.SortFunc(all.Contents, func(a, b one) int { return cmp.Compare(a.Key, b.Key) })
	if len(all.Contents) > 2 {
		all.Contents = all.Contents[:2]
		all.IsTruncated, all.NextContinuationToken = true, all.Contents[1].Key
	}
	answer(w, all)
}

func (s *Store) complete(w http.ResponseWriter, u *upload, id string, body []byte) {
	var asked struct {
		Part []struct {
			PartNumber int
			ETag       string
		}
	}
	if err := xml.Unmarshal(body, &asked); err != nil || len(asked.Part) == 0 {
		Deny(w, 400, "MalformedXML")
		return
	}
	var whole []byte
	for i, p := range asked.Part {
		data, ok := u.parts[p.PartNumber]
		if !ok || etag(data) != p.ETag || p.PartNumber != i+1 {
			Deny(w, 400, "InvalidPart")
			return
		}
		whole = append(whole, data...)
	}
	delete(s.uploads, id)
	s.objects[u.key] = whole
	answer(w, struct {
		XMLName xml.Name `xml:"CompleteMultipartUploadResult"`
		ETag    string
	}{ETag: etag(whole)})
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/xml")
	if raw, err := xml.Marshal(v); err == nil {
		_, _ = w.Write(raw) // a client that has left needs no answer
	}
}
