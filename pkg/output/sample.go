package output

import (
	"sync/atomic"
	"time"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/pkg/api"
)

// sampleLimits are the limits of a sample. It ends at the one that is reached first.
type sampleLimits struct {
	rows  int
	bytes int
	wait  time.Duration // after the first row
}

// sample holds the first rows of a result, decoded.
type sample struct {
	rows [][]tcell
	end  bool // the result has no more rows
	err  error
}

// takeSample reads ahead. It reads in a goroutine so that a source that stalls after a few rows does not delay their
// display; when finish has returned, the goroutine has ended and rows may be used again.
func takeSample(rows api.RowReader, cols []cell.Column, raw bool, lim sampleLimits) (s *sample, finish func() *sample) {
	type item struct {
		cells []tcell
		err   error
	}
	items := make(chan item, 64)
	var stop atomic.Bool
	go func() {
		defer close(items)
		size := 0
		for n := 0; n < lim.rows && size < lim.bytes && !stop.Load(); n++ {
			if !rows.Next() {
				items <- item{}
				return
			}
			cells, err := decodeRow(int64(n+1), rows.Row(), cols, raw)
			if err != nil {
				items <- item{err: err}
				return
			}
			for i := range cells {
				size += len(cells[i].text) + 32
			}
			items <- item{cells: cells}
		}
	}()
	add := func(s *sample, it item) bool {
		switch {
		case it.err != nil:
			s.err = it.err
		case it.cells == nil:
			s.end = true
		default:
			s.rows = append(s.rows, it.cells)
			return true
		}
		return false
	}
	s = &sample{}
	var timeout <-chan time.Time
	for {
		select {
		case it, ok := <-items:
			if !ok || !add(s, it) {
				return s, func() *sample { return &sample{} }
			}
			if timeout == nil {
				timeout = time.After(lim.wait)
			}
		case <-timeout:
			stop.Store(true)
			return s, func() *sample {
				late := &sample{}
				for it := range items {
					if !add(late, it) {
						break
					}
				}
				return late
			}
		}
	}
}

// rowBuf holds the decoded cells of one row.
type rowBuf struct {
	cells []tcell
	arena []byte
	ends  []int
}

// decodeRow copies the shown cells of a row, so that they outlive it. The result is never nil, even without columns.
func decodeRow(n int64, row []api.Cell, cols []cell.Column, raw bool) ([]tcell, error) {
	var b rowBuf
	return b.decode(n, row, cols, raw)
}

// decode is decodeRow into memory that the next call reuses.
func (b *rowBuf) decode(n int64, row []api.Cell, cols []cell.Column, raw bool) ([]tcell, error) {
	if err := cell.CheckRow(n, row, cols); err != nil {
		return nil, err
	}
	if b.cells == nil {
		b.cells, b.ends = make([]tcell, len(cols)), make([]int, len(cols))
	}
	b.arena = b.arena[:0]
	for i := range cols {
		c := row[cols[i].Index]
		if b.cells[i].null = c.IsNull(); !b.cells[i].null {
			var err error
			if b.arena, err = tableText(b.arena, c, &cols[i], raw); err != nil {
				return nil, cell.RowError(n, &cols[i], err)
			}
		}
		b.ends[i] = len(b.arena)
	}
	from := 0
	for i, end := range b.ends {
		b.cells[i].text = b.arena[from:end:end]
		from = end
	}
	return b.cells, nil
}
