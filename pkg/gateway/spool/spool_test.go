package spool

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func inDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	return dir
}

// left are the directories of pipes.
func left(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "dig-spool-*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestOrder passes random pieces to a reader that stops for random times: it gets what was written.
func TestOrder(t *testing.T) {
	dir := inDir(t)
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		want := make([]byte, 12<<20)
		for i := range want {
			want[i] = byte(r.Uint32())
		}
		out, in := Pipe(Options{Limit: []int64{1 << 30, 3 << 20, 0}[seed%3], Stopped: time.Millisecond})
		why := errors.New("the end")
		wrote := make(chan error, 1)
		go func() {
			w := rand.New(rand.NewPCG(seed, 2))
			for b := want; len(b) > 0; {
				n := min(len(b), 1+w.IntN(300<<10))
				if _, err := in.Write(b[:n]); err != nil {
					wrote <- err
					return
				}
				b = b[n:]
			}
			in.CloseWithError(why)
			wrote <- nil
		}()
		var got bytes.Buffer
		buf := make([]byte, 200<<10)
		var err error
		for err == nil {
			var n int
			n, err = out.Read(buf[:1+r.IntN(len(buf))])
			got.Write(buf[:n])
			if r.IntN(40) == 0 {
				time.Sleep(3 * time.Millisecond)
			}
		}
		if werr := <-wrote; werr != nil || !errors.Is(err, why) || !bytes.Equal(got.Bytes(), want) {
			t.Fatalf("seed %d: writing: %v, reading: %v; %d bytes of %d", seed, werr, err, got.Len(), len(want))
		}
		if names := left(t, dir); len(names) > 0 {
			t.Errorf("seed %d: left behind: %v", seed, names)
		}
	}
}

// TestStoppedReader: the writer ends although nothing is read; all of it can be read later, and the directory is closed
// to others.
func TestStoppedReader(t *testing.T) {
	dir := inDir(t)
	out, in := Pipe(Options{Limit: 1 << 30, Stopped: time.Millisecond})
	text := strings.Repeat("0123456789", 1<<20)
	if _, err := io.WriteString(in, text); err != nil {
		t.Fatal(err)
	}
	in.CloseWithError(nil)
	names := left(t, dir)
	if len(names) != 1 {
		t.Fatalf("%v", names)
	}
	if st, err := os.Stat(names[0]); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", st, err)
	}
	if got, err := io.ReadAll(out); err != nil || string(got) != text {
		t.Errorf("%d bytes of %d, %v", len(got), len(text), err)
	}
}

// TestLimit: a reader that stops for ever costs no more than the limit, and the writer ends with the reason. What was
// stored can be read.
func TestLimit(t *testing.T) {
	inDir(t)
	out, in := Pipe(Options{Limit: 2 << 20, GiveUp: 20 * time.Millisecond, Stopped: time.Millisecond})
	n, err := in.Write(make([]byte, 8<<20))
	var e *engine.Error
	if !errors.As(err, &e) || e.Kind != engine.KindLimit || !strings.Contains(e.Message,
		"given up: nothing of it was read for 20ms, and 2.0 MiB of it") {
		t.Errorf("%v", err)
	}
	if n != 2<<20 {
		t.Errorf("%d bytes were taken", n)
	}
	in.CloseWithError(err)
	if got, end := io.ReadAll(out); len(got) != n || !errors.Is(end, err) {
		t.Errorf("%d bytes, %v", len(got), end)
	}
}

// TestClosedReader: a writer that waits, and one that stores, end with the reader's error, and the files are gone.
func TestClosedReader(t *testing.T) {
	dir := inDir(t)
	for _, o := range []Options{{}, {Limit: 1 << 20, Stopped: time.Millisecond}} {
		out, in := Pipe(o)
		why := errors.New("enough")
		ended := make(chan error, 1)
		go func() {
			_, err := in.Write(make([]byte, 8<<20))
			ended <- err
		}()
		if _, err := io.ReadFull(out, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		if err := out.CloseWithError(why); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != why {
			t.Errorf("%v", err)
		}
		if names := left(t, dir); len(names) > 0 {
			t.Errorf("left behind: %v", names)
		}
	}
}

// TestFullDisk: a directory that cannot be written to is an error that names it.
func TestFullDisk(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(inDir(t), "none"))
	_, in := Pipe(Options{Limit: 1 << 20, Stopped: time.Millisecond})
	if _, err := in.Write(make([]byte, 8<<20)); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("%v", err)
	}
}
