package term

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dustin/go-humanize"
)

// Progress shows rows, bytes and rate on one line of a terminal, after two seconds, and removes the line before any
// output. For a shorter query it costs only two counters and a timer.
type Progress struct {
	w     io.Writer
	now   func() time.Time
	start time.Time
	rows  atomic.Int64
	bytes atomic.Int64
	part  atomic.Pointer[func() float64]

	mu      sync.Mutex
	painted bool
	stopped bool
	between bool // outputs do not end it
	within  bool // the last output did not end its line
	timer   *time.Timer
}

const (
	progressDelay = 2 * time.Second
	progressEvery = 200 * time.Millisecond
)

// NewProgress starts measuring. w is stderr if that is a terminal; with nil nothing is shown, and every method still
// works.
func NewProgress(w io.Writer) *Progress {
	return newProgress(w, progressDelay, progressEvery, time.Now)
}

func newProgress(w io.Writer, delay, every time.Duration, now func() time.Time) *Progress {
	p := &Progress{w: w, now: now, start: now()}
	if w != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.timer = time.AfterFunc(delay, func() { p.paint(every) })
	}
	return p
}

func (p *Progress) paint(every time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	if !p.within {
		p.painted = true
		fmt.Fprintf(p.w, "\r\x1b[K%s", p.line())
	}
	p.timer.Reset(every)
}

func (p *Progress) line() string {
	elapsed := p.now().Sub(p.start)
	rows, size := p.rows.Load(), p.bytes.Load()
	text := humanize.Comma(rows) + " rows  "
	if rows == 0 && (size > 0 || p.part.Load() != nil) { // a file
		text = ""
	}
	if size > 0 {
		text += humanize.Bytes(uint64(size)) + "  " + humanize.Bytes(uint64(float64(size)/max(elapsed.Seconds(),
			1e-3))) + "/s  "
	}
	if part := p.part.Load(); part != nil {
		text = fmt.Sprintf("%d %%  ", int(100*min(max((*part)(), 0), 1))) + text
	}
	return text + elapsed.Truncate(time.Second).String()
}

// Part sets the function that returns the finished part of the work, from 0 to 1.
func (p *Progress) Part(of func() float64) { p.part.Store(&of) }

// Total sets the total number of bytes; if n is less than one the total is unknown.
func (p *Progress) Total(n int64) {
	if n > 0 {
		p.Part(func() float64 { return float64(p.bytes.Load()) / float64(n) })
	}
}

// Stop removes the line and does not show it again.
func (p *Progress) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	p.stopped = true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.erase()
}

func (p *Progress) erase() {
	if p.painted {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.painted = false
}

// Between keeps the line below the outputs until Stop is called: for rows that are shown only in part while all are
// read.
func (p *Progress) Between() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.between = true
}

// Output returns w with Stop called before its first byte, unless Between was called: for output to the same screen.
func (p *Progress) Output(w io.Writer) io.Writer { return &progressOutput{p: p, w: w} }

type progressOutput struct {
	p    *Progress
	w    io.Writer
	once sync.Once
}

func (o *progressOutput) Write(b []byte) (int, error) {
	o.p.mu.Lock()
	if o.p.between {
		defer o.p.mu.Unlock()
		o.p.erase()
		if len(b) > 0 {
			o.p.within = b[len(b)-1] != '\n'
		}
		return o.w.Write(b)
	}
	o.p.mu.Unlock()
	o.once.Do(o.p.Stop)
	return o.w.Write(b)
}

// Body counts the bytes of a reply.
func (p *Progress) Body(r io.ReadCloser) io.ReadCloser { return &progressBody{r, p} }

type progressBody struct {
	io.ReadCloser
	p *Progress
}

func (b *progressBody) Read(buf []byte) (int, error) {
	n, err := b.ReadCloser.Read(buf)
	b.p.bytes.Add(int64(n))
	return n, err
}

// Reader counts the bytes of a file that is uploaded to the gateway.
func (p *Progress) Reader(r io.Reader) io.Reader { return p.Body(io.NopCloser(r)) }

// Writer counts the bytes of a file that is downloaded from the gateway.
func (p *Progress) Writer(w io.Writer) io.Writer { return &progressWriter{w, p} }

type progressWriter struct {
	w io.Writer
	p *Progress
}

func (c *progressWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.p.bytes.Add(int64(n))
	return n, err
}

// Rows counts the rows of a result.
func (p *Progress) Rows(r api.RowReader) api.RowReader {
	if w, ok := r.(api.AppendReader); ok {
		return &progressWire{progressRows{w, p}, w}
	}
	return &progressRows{r, p}
}

type progressRows struct {
	api.RowReader
	p *Progress
}

func (r *progressRows) Next() bool {
	ok := r.RowReader.Next()
	if ok {
		r.p.rows.Add(1)
	}
	return ok
}

// progressWire also counts the rows that api.Rows writes directly.
type progressWire struct {
	progressRows
	w api.AppendReader
}

func (r *progressWire) OnWait(do func(waits bool)) { r.w.OnWait(do) }

func (r *progressWire) AppendNext(dst []byte, d *api.Delimited) ([]byte, bool) {
	dst, took := r.w.AppendNext(dst, d)
	if took {
		r.p.rows.Add(1)
	}
	return dst, took
}
