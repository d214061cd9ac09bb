package output

import (
	"io"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/pkg/api"
)

const (
	bufferSize    = 64 << 10
	flushInterval = 100 * time.Millisecond
)

// stream collects small writes. What a slow source has yielded is written after flushInterval even while the source
// blocks, so that a reader never waits for rows that have already arrived.
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
	s := &stream{w: w, buf: make([]byte, 0, bufferSize+bufferSize/4), stop: make(chan struct{}),
		done: make(chan struct{})}
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

// append calls f to add to the buffer.
func (s *stream) append(f func(dst []byte) ([]byte, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := f(s.buf)
	return s.put(b, err)
}

// put stores the buffer after bytes were added to it, and writes it if it is full.
func (s *stream) put(b []byte, err error) error {
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
	if err != nil { // an abandoned write may still read it
		s.buf = nil
	}
	if cap(s.buf) > 16*bufferSize { // one huge cell must not keep its memory forever
		s.buf = make([]byte, 0, bufferSize+bufferSize/4)
	}
}

// sync writes the buffered bytes.
func (s *stream) sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	return s.err
}

// close writes the rest. It does not close the underlying writer.
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

func newRowFormat(cols []cell.Column, o Options) rowFormat {
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

func writeStream(w io.Writer, rows api.RowReader, cols []cell.Column, f rowFormat, o Options) (Stats, error) {
	var st Stats
	s := newStream(w)
	err := s.append(func(dst []byte) ([]byte, error) { return f.head(dst), nil })
	if err == nil {
		st.Rows, err = s.rows(rows, cols, f)
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

// delimiter is a format that api.Rows can write directly.
type delimiter interface{ delimited() *api.Delimited }

// rows encodes the rows of the source, and returns how many it has read.
func (s *stream) rows(rows api.RowReader, cols []cell.Column, f rowFormat) (int64, error) {
	need := 0
	for _, c := range cols {
		need = max(need, c.Index+1)
	}
	w, ok := rows.(api.AppendReader)
	if !ok {
		return s.slowRows(rows, cols, f, need)
	}
	// The stream is locked once for many rows, and unlocked while the source waits for bytes.
	s.mu.Lock()
	defer s.mu.Unlock()
	w.OnWait(func(waits bool) {
		if waits {
			s.mu.Unlock()
		} else {
			s.mu.Lock()
		}
	})
	defer w.OnWait(nil)
	d, err := delimitedBy(f, rows, cols)
	if err != nil {
		return 0, err
	}
	for n := int64(1); ; n++ {
		if d != nil {
			if b, took := w.AppendNext(s.buf, d); took {
				if err := s.put(b, nil); err != nil {
					return n, err
				}
				continue
			}
		}
		if !rows.Next() {
			return n - 1, nil
		}
		if err := s.row(n, rows.Row(), need, cols, f); err != nil {
			return n, err
		}
	}
}

// delimitedBy returns how the reader can write the rows directly; nil if the format or the choice of columns does not
// allow it.
func delimitedBy(f rowFormat, rows api.RowReader, cols []cell.Column) (*api.Delimited, error) {
	form, ok := f.(delimiter)
	if !ok {
		return nil, nil
	}
	all, err := rows.Columns()
	if err != nil || len(all) != len(cols) || len(cols) == 0 {
		return nil, err
	}
	for i := range cols {
		if cols[i].Index != i {
			return nil, nil
		}
	}
	return form.delimited(), nil
}

func (s *stream) slowRows(rows api.RowReader, cols []cell.Column, f rowFormat, need int) (n int64, err error) {
	for err == nil && rows.Next() {
		n++
		s.mu.Lock()
		err = s.row(n, rows.Row(), need, cols, f)
		s.mu.Unlock()
	}
	return n, err
}

// row adds one row; the stream is locked.
func (s *stream) row(n int64, cells []api.Cell, need int, cols []cell.Column, f rowFormat) error {
	if len(cells) < need {
		return cell.CheckRow(n, cells, cols)
	}
	b, err := f.row(s.buf, n, cells)
	if err != nil {
		b = s.buf // no half row
	}
	return s.put(b, err)
}
