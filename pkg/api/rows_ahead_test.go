package api

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"
)

// pieces yields random pieces of b, then err.
type pieces struct {
	*rand.Rand
	b   []byte
	err error
}

func (p *pieces) Read(to []byte) (int, error) {
	n := copy(to[:min(len(to), 1+p.IntN(300))], p.b)
	if p.b = p.b[n:]; len(p.b) > 0 {
		return n, nil
	}
	if n > 0 && p.IntN(2) == 0 {
		return n, nil
	}
	return n, p.err
}

func (p *pieces) Close() error { return nil }

// Bytes come as they went in, whatever the sizes of reads, and the error behind them.
func TestAheadKeepsOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		want := make([]byte, rng.IntN(20_000))
		for i := range want {
			want[i] = byte(rng.Uint32())
		}
		for _, end := range []error{io.EOF, io.ErrUnexpectedEOF} {
			a := newAhead(&pieces{rand.New(rand.NewPCG(rng.Uint64(), 1)), want, end}, 1+rng.IntN(2000),
				64+rng.IntN(3000))
			var got bytes.Buffer
			var err error
			for err == nil {
				p := make([]byte, 1+rng.IntN(700))
				var n int
				n, err = a.Read(p)
				got.Write(p[:n])
			}
			if !bytes.Equal(got.Bytes(), want) || err != end {
				t.Fatalf("%d of %d bytes, %v", got.Len(), len(want), err)
			}
			if n, again := a.Read(make([]byte, 8)); n != 0 || again != end {
				t.Fatalf("then %d, %v", n, again)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What has come is there while the source says nothing more.
func TestAheadDoesNotWait(t *testing.T) {
	r, w := io.Pipe()
	a := newAhead(r, 1, 1000)
	go w.Write([]byte("abc"))
	got := make([]byte, 3)
	if _, err := io.ReadFull(a, got); err != nil || string(got) != "abc" {
		t.Errorf("%q, %v", got, err)
	}
	go w.Write([]byte("def"))
	if _, err := io.ReadFull(a, got); err != nil || string(got) != "def" {
		t.Errorf("%q, %v", got, err)
	}
	a.Close()
}

// Closing ends the goroutine, whether it waits for the source or for room.
func TestAheadClose(t *testing.T) {
	for _, full := range []bool{false, true} {
		r, w := io.Pipe()
		a := newAhead(r, 0, 64)
		written := make(chan error, 1)
		go func() {
			b := make([]byte, 10)
			if full {
				b = make([]byte, 1000)
			}
			_, err := w.Write(b)
			written <- err
		}()
		if _, err := io.ReadFull(a, make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		select {
		case <-a.done:
		default:
			t.Error("the goroutine is there behind Close")
		}
		if err := <-written; full && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
		if _, err := io.Copy(io.Discard, a); err == nil {
			t.Error("a closed reply ends well")
		}
	}
	a := newAhead(io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF)), 0, 64)
	if _, err := a.Read(make([]byte, 1)); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	a.Close()
}
