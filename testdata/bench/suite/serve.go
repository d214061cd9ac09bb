package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// server sends the documents over loopback, whatever the method: /SHAPE/TIMES/RATE/... sends the rows TIMES times at RATE bytes
// a second, 0 for no limit. Requests for anything but rows are answered with an empty list.
type server struct {
	docs map[string]document
	addr string
	// length sends files with Content-Length and sendfile, as a file server does; otherwise in chunks of 64 KiB, as
	// a gateway, which does not know the length of a result.
	length bool
	first  atomic.Int64 // when the first byte of the last throttled reply was sent, in Unix nanoseconds
	pace   atomic.Int64 // bytes a second of the last throttled reply, as they were sent
}

func serve(docs map[string]document, length bool) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{docs: docs, length: length, addr: l.Addr().String()}
	go http.Serve(l, s)
	return s, nil
}

// url is the address of a document; dig takes it as its base address.
func (s *server) url(shape string, times, rate int) string {
	return fmt.Sprintf("http://%s/%s/%d/%d/api/v1", s.addr, shape, times, rate)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	part := strings.Split(r.URL.Path, "/")
	if len(part) < 4 {
		http.NotFound(w, r)
		return
	}
	if len(part) > 6 && part[len(part)-1] != "execute" { // states of caches and materialized queries: there are none
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "[]")
		return
	}
	d, ok := s.docs[part[1]]
	times, err1 := strconv.Atoi(part[2])
	rate, err2 := strconv.Atoi(part[3])
	f, err3 := os.Open(d.path)
	if !ok || err1 != nil || err2 != nil || err3 != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/json")
	if s.length {
		w.Header().Set("Content-Length", strconv.FormatInt(d.size+int64(times-1)*(d.tail-d.head+1), 10))
	}
	buf := make([]byte, 64<<10)
	send := func(from, to int64) bool {
		if _, err := f.Seek(from, io.SeekStart); err != nil {
			return false
		}
		if s.length {
			_, err := io.Copy(w, io.LimitReader(f, to-from)) // by sendfile
			return err == nil
		}
		_, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{io.LimitReader(f, to-from)}, buf)
		return err == nil
	}
	if rate > 0 {
		s.throttle(w, f, rate)
		return
	}
	if times == 1 {
		send(0, d.size)
		return
	}
	ok = send(0, d.tail)
	for range times - 1 {
		if !ok {
			return
		}
		_, err := io.WriteString(w, ",")
		ok = err == nil && send(d.head, d.tail)
	}
	if ok {
		send(d.tail, d.size)
	}
}

// throttle sends a file at rate bytes a second, in one piece per millisecond.
func (s *server) throttle(w http.ResponseWriter, f *os.File, rate int) {
	start := time.Now()
	s.first.Store(start.UnixNano())
	buf := make([]byte, max(rate/1000, 1))
	for sent := 0; ; {
		n, err := f.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
		sent += n
		s.pace.Store(int64(float64(sent) / max(time.Since(start).Seconds(), 0.001)))
		time.Sleep(time.Until(start.Add(time.Duration(float64(sent) / float64(rate) * float64(time.Second)))))
	}
}
