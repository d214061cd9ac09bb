package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/dig-cli/dig/pkg/spec"
)

// Seen stores the replies that a command has read, to record an object before it is changed.
type Seen struct {
	mu   sync.Mutex
	docs map[string]json.RawMessage // by path
	size int
}

const (
	maxSeenDoc = 1 << 20
	maxSeen    = 8 << 20
)

// Watch stores the body of a reply while the command reads it.
func (s *Seen) Watch(path string, resp *http.Response) {
	if resp.StatusCode == http.StatusOK && strings.Contains(resp.Header.Get("Content-Type"), "json") &&
		resp.Body != nil {
		resp.Body = &seenBody{ReadCloser: resp.Body, done: func(doc []byte) { s.keep(path, doc) }}
	}
}

func (s *Seen) keep(path string, doc []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size -= len(s.docs[path]) // an older reply is outdated
	delete(s.docs, path)
	if s.size+len(doc) > maxSeen {
		return
	}
	if s.docs == nil {
		s.docs = map[string]json.RawMessage{}
	}
	s.size += len(doc)
	s.docs[path] = doc
}

type seenBody struct {
	io.ReadCloser
	doc  bytes.Buffer
	done func(doc []byte)
}

func (b *seenBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.done != nil {
		if b.doc.Len()+n > maxSeenDoc {
			b.done, b.doc = nil, bytes.Buffer{}
		} else {
			b.doc.Write(p[:n])
		}
	}
	if err == io.EOF && b.done != nil {
		b.done(b.doc.Bytes())
		b.done = nil
	}
	return n, err
}

// Before returns the object that a request changes: the reply of its own path, or the record with its id or name in a
// list above it.
func (s *Seen) Before(op spec.Op, path string) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.docs) == 0 || op.ID == "" || op.Method == http.MethodPost {
		return nil
	}
	if doc := object(s.docs[path]); doc != nil {
		return doc
	}
	template, segments := strings.Split(op.Path, "/"), strings.Split(path, "/")
	n := len(segments)
	if !strings.HasPrefix(template[n-1], "{") { // such as /path after a query
		n--
	}
	if !strings.HasPrefix(template[n-1], "{") {
		return nil
	}
	if doc := object(s.docs[strings.Join(segments[:n], "/")]); doc != nil {
		return doc
	}
	name, err := url.PathUnescape(segments[n-1])
	if err != nil {
		return nil
	}
	for up := n - 1; up > 1; up-- {
		above := strings.Join(segments[:up], "/")
		for _, list := range []string{above, above + "/status"} {
			if doc := recordOf(s.docs[list], name); doc != nil {
				return doc
			}
		}
	}
	return nil
}

func object(doc json.RawMessage) json.RawMessage {
	if doc = bytes.TrimSpace(doc); len(doc) > 0 && doc[0] == '{' {
		return doc
	}
	return nil
}

// recordOf finds the record of an id or name in a list; nil if there is none.
func recordOf(doc json.RawMessage, name string) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(doc, &list) != nil {
		var envelope map[string]json.RawMessage
		if json.Unmarshal(doc, &envelope) != nil || json.Unmarshal(envelope["items"], &list) != nil &&
			json.Unmarshal(envelope["result"], &list) != nil {
			return nil
		}
	}
	for _, key := range []string{"id", "cacheId", "threadId", "tableName", "columnName", "name"} {
		for _, raw := range list {
			var record map[string]any
			dec := json.NewDecoder(bytes.NewReader(raw))
			dec.UseNumber()
			if dec.Decode(&record) == nil && record[key] != nil && fmt.Sprint(record[key]) == name {
				return raw
			}
		}
	}
	return nil
}
