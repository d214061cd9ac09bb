package rowset

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/dig-cli/dig/internal/tempfile"
)

const (
	sortChunk = 24 << 20 // bytes sorted in memory
	maxRuns   = 64       // files merged at a time
)

// sorter sorts records by key and values, in temporary files beyond one chunk.
type sorter struct {
	chunk   int
	size    int
	pending []record
	runs    []*tempfile.Unnamed
}

func newSorter(chunk int) *sorter { return &sorter{chunk: chunk} }

func compareRecords(a, b record) int {
	if c := bytes.Compare(a.key, b.key); c != 0 {
		return c
	}
	return bytes.Compare(a.values, b.values)
}

// add copies the record.
func (s *sorter) add(r record) error {
	all := make([]byte, 0, len(r.key)+len(r.values)+len(r.cells))
	all = append(append(append(all, r.key...), r.values...), r.cells...)
	k, v := len(r.key), len(r.key)+len(r.values)
	s.pending = append(s.pending, record{all[:k:k], all[k:v:v], all[v:]})
	if s.size += len(all) + 96; s.size < s.chunk {
		return nil
	}
	return s.spill()
}

// spill writes the pending records as a sorted file, and merges files if there are many.
func (s *sorter) spill() error {
	slices.SortFunc(s.pending, compareRecords)
	if err := s.writeRun(&sliceSource{records: s.pending}); err != nil {
		return err
	}
	s.pending, s.size = s.pending[:0], 0
	if len(s.runs) < maxRuns {
		return nil
	}
	old := s.runs
	s.runs = nil
	m, err := mergeRuns(old, nil)
	if err == nil {
		err = s.writeRun(m)
	}
	return errors.Join(err, closeAll(old))
}

type source interface {
	// pull returns the next record, valid until the next call, and io.EOF at the end.
	pull() (record, error)
}

type sliceSource struct{ records []record }

func (s *sliceSource) pull() (record, error) {
	if len(s.records) == 0 {
		return record{}, io.EOF
	}
	r := s.records[0]
	s.records = s.records[1:]
	return r, nil
}

func (s *sorter) writeRun(src source) error {
	f, err := tempfile.CreateUnnamed("", "dig-sort-*")
	if err != nil {
		return err
	}
	s.runs = append(s.runs, f)
	w := bufio.NewWriterSize(f, 1<<18)
	var head []byte
	for {
		r, err := src.pull()
		if errors.Is(err, io.EOF) {
			return w.Flush()
		}
		if err != nil {
			return err
		}
		head = head[:0]
		for _, part := range [][]byte{r.key, r.values, r.cells} {
			head = binary.AppendUvarint(head, uint64(len(part)))
		}
		for _, part := range [][]byte{head, r.key, r.values, r.cells} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
	}
}

// runSource reads a file back.
type runSource struct {
	r   *bufio.Reader
	buf []byte
}

func (s *runSource) pull() (record, error) {
	var n [3]uint64
	for i := range n {
		var err error
		if n[i], err = binary.ReadUvarint(s.r); err != nil {
			return record{}, err // io.EOF before the first byte is the end
		}
	}
	size := n[0] + n[1] + n[2]
	if uint64(cap(s.buf)) < size {
		s.buf = make([]byte, size)
	}
	s.buf = s.buf[:size]
	if _, err := io.ReadFull(s.r, s.buf); err != nil {
		return record{}, io.ErrUnexpectedEOF
	}
	k, v := n[0], n[0]+n[1]
	return record{s.buf[:k:k], s.buf[k:v:v], s.buf[v:]}, nil
}

// merger yields the smallest record of several sources.
type merger struct {
	heads   []record
	sources []source
	last    int // the source of the last record, which has to be advanced, -1 for none
	order   []int
}

func (m *merger) Len() int { return len(m.order) }
func (m *merger) Less(i, j int) bool {
	return compareRecords(m.heads[m.order[i]], m.heads[m.order[j]]) < 0
}
func (m *merger) Swap(i, j int) { m.order[i], m.order[j] = m.order[j], m.order[i] }
func (m *merger) Push(x any)    { m.order = append(m.order, x.(int)) }
func (m *merger) Pop() any {
	x := m.order[len(m.order)-1]
	m.order = m.order[:len(m.order)-1]
	return x
}

func mergeRuns(runs []*tempfile.Unnamed, rest []record) (*merger, error) {
	m := &merger{last: -1}
	for _, f := range runs {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		m.sources = append(m.sources, &runSource{r: bufio.NewReaderSize(f, 1<<17)})
	}
	if len(rest) > 0 {
		m.sources = append(m.sources, &sliceSource{records: rest})
	}
	m.heads = make([]record, len(m.sources))
	for i := range m.sources {
		if err := m.refill(i); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *merger) refill(i int) error {
	r, err := m.sources[i].pull()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		m.heads[i] = r
		heap.Push(m, i)
	}
	return err
}

func (m *merger) pull() (record, error) {
	if m.last >= 0 {
		if err := m.refill(m.last); err != nil {
			return record{}, err
		}
		m.last = -1
	}
	if len(m.order) == 0 {
		return record{}, io.EOF
	}
	m.last = heap.Pop(m).(int)
	return m.heads[m.last], nil
}

// merged iterates over the sorted records with a lookahead of one.
type merged struct {
	src      source
	rec      record
	ok       bool
	repeats  bool // rec has the key of the previous record
	repeated int64
	ahead    record
	aheadOK  bool
	primed   bool
	err      error
	spare    record
}

// sorted ends the phase of adding records.
func (s *sorter) sorted() (*merged, error) {
	slices.SortFunc(s.pending, compareRecords)
	if len(s.runs) == 0 {
		return &merged{src: &sliceSource{records: s.pending}}, nil
	}
	m, err := mergeRuns(s.runs, s.pending)
	return &merged{src: m}, err
}

func copyRecord(dst, r record) record {
	return record{append(dst.key[:0], r.key...), append(dst.values[:0], r.values...), append(dst.cells[:0], r.cells...)}
}

func (m *merged) read() {
	r, err := m.src.pull()
	m.aheadOK = err == nil
	if err == nil {
		m.ahead = copyRecord(m.ahead, r)
	} else if !errors.Is(err, io.EOF) {
		m.err = err
	}
}

// advance moves to the next record; ok reports whether there is one.
func (m *merged) advance() {
	if !m.primed {
		m.primed = true
		m.read()
	}
	before := m.ok
	m.spare, m.rec, m.ahead = m.rec, m.ahead, m.spare
	m.ok = m.aheadOK
	m.repeats = before && m.ok && bytes.Equal(m.spare.key, m.rec.key)
	if m.repeats {
		m.repeated++
	}
	if m.ok {
		m.read()
	}
}

// next reports whether the next record has the same key.
func (m *merged) next(key []byte) bool { return m.aheadOK && bytes.Equal(m.ahead.key, key) }

func (s *sorter) close() error {
	err := closeAll(s.runs)
	s.runs, s.pending = nil, nil
	return err
}

func closeAll(files []*tempfile.Unnamed) error {
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
