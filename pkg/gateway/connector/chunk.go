package connector

import (
	"errors"
	"io"
	"time"
)

// A chunk ends early if its rows are large, to limit its memory, or arrive slowly, to make them visible.
const (
	chunkBytes = 4 << 20
	chunkTime  = 200 * time.Millisecond
)

// Chunk implements engine.Filler.Fill for a source that returns single rows: read writes row i and returns its size in
// bytes, and io.EOF after the last row, also when it is called again.
func Chunk(n int, read func(i int) (size int, err error)) (int, error) {
	row, size, start := 0, 0, time.Now()
	for row < n && size < chunkBytes {
		k, err := read(row)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		size += k
		if row++; row%16 == 0 && time.Since(start) > chunkTime {
			break
		}
	}
	if row == 0 {
		return 0, io.EOF
	}
	return row, nil
}
