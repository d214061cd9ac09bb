package output

import (
	"io"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/api"
)

const (
	bufferSize    = 64 << 10
	flushInterval = 100 * time.Millisecond
)

// stream gathers small writes. What a slow source has yielded is passed on after flushInterval even while the source blocks,
// so that a reader never waits for rows that are already here.
type stream struct {
	w    io.Writer
	stop chan struct{}
	done chan struct{}

	mu    sync.Mutex
	buf   []byte
	bytes int64
	err   error
}

func newStream(w io.Writer) *stream {
	s := &stream{w: w, buf: make([]byte, 0, bufferSize+bufferSize/4), stop: make(chan struct{}), done: make(chan struct{})}
	go s.tick()
	return s
}

func (s *stream) tick() {
	defer close(s.done)
	t := time.NewTicker(flushInterval)
	defer t.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-t.C:
			s.mu.Lock()
			s.flush()
			s.mu.Unlock()
		}
	}
}

// append lets f add to the buffer.
func (s *stream) append(f func(dst []byte) ([]byte, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := f(s.buf)
	s.buf = b
	if len(b) >= bufferSize {
		s.flush()
	}
	if err != nil {
		return err
	}
	return s.err
}

func (s *stream) flush() {
	if len(s.buf) == 0 || s.err != nil {
		s.buf = s.buf[:0]
		return
	}
	n, err := s.w.Write(s.buf)
	s.bytes += int64(n)
	s.err = err
	s.buf = s.buf[:0]
	if cap(s.buf) > 16*bufferSize { // one huge cell must not hold its memory for ever
		s.buf = make([]byte, 0, bufferSize+bufferSize/4)
	}
}

// sync passes on what is there.
func (s *stream) sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	return s.err
}

// close passes on the rest. It does not close the writer below.
func (s *stream) close() error {
	close(s.stop)
	<-s.done
	return s.sync()
}

// rowFormat encodes rows one after another. Every method appends to dst.
type rowFormat interface {
	head(dst []byte) []byte
	row(dst []byte, n int64, cells []api.Cell) ([]byte, error)
	tail(dst []byte, rows int64) []byte
}

func newRowFormat(cols []column, o Options) rowFormat {
	switch o.format() {
	case CSV:
		return newCSV(cols, o)
	case TSV:
		return newTSV(cols, o)
	case JSON:
		return &jsonFormat{cols: cols, typed: o.typed(), array: true}
	case NDJSON:
		return &jsonFormat{cols: cols, typed: o.typed()}
	case YAML:
		return newYAML(cols, o)
	case Markdown:
		return newMarkdown(cols, o)
	default:
		return newHTML(cols, o)
	}
}

func writeStream(w io.Writer, rows api.RowReader, cols []column, f rowFormat, o Options) (Stats, error) {
	var st Stats
	s := newStream(w)
	err := s.append(func(dst []byte) ([]byte, error) { return f.head(dst), nil })
	var cells []api.Cell
	encode := func(dst []byte) ([]byte, error) {
		b, err := f.row(dst, st.Rows, cells)
		if err != nil {
			return dst, err // no half row
		}
		return b, nil
	}
	need := 0
	for _, c := range cols {
		need = max(need, c.index+1)
	}
	for err == nil && rows.Next() {
		cells = rows.Row()
		st.Rows++
		if len(cells) < need {
			err = checkRow(st.Rows, cells, cols)
			break
		}
		err = s.append(encode)
	}
	if err == nil {
		err = rows.Err()
	}
	if err == nil {
		err = s.append(func(dst []byte) ([]byte, error) { return f.tail(dst, st.Rows), nil })
	}
	if closing := s.close(); err == nil {
		err = closing
	}
	st.Bytes, st.Shown = s.bytes, st.Rows
	return st, err
}

// checkRow guards against a source whose rows are shorter than its columns.
func checkRow(n int64, cells []api.Cell, cols []column) error {
	for i := range cols {
		if cols[i].index >= len(cells) {
			return rowError(n, &cols[i], errShortRow)
		}
	}
	return nil
}
