package output

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dustin/go-humanize"
)

const (
	defaultShown = 40 // rows of a long result on a terminal
	slack        = 10 // a result that exceeds the limit by at most this much is shown completely
	besides      = 9  // lines of the screen besides the rows: the statement, the heading, the footer, the next prompt
	leastShown   = 8  // minimum number of rows, even if the screen is lower
	shortResult  = 30 // rows; longer ones are an overview, with fewer lines per cell
	// a result whose columns do not all fit becomes vertical if that takes at most this number of screens
	screens  = 3
	fewRows  = 20 // a smaller sample is unreliable
	maxWrap  = 8  // lines of one cell of a short result on a terminal
	longWrap = 3  // the same in a long one, which is shown as an overview
)

// writeTable prints a result as a table. tablewriter needs all rows before it knows a width, or fixed widths to which
// it cuts everything, so results have a separate writer: widths are determined from a sample of the first rows and stay
// fixed, memory is limited to the sample, and the rest streams.
func writeTable(w io.Writer, rows api.RowReader, cols []cell.Column, o Options) (Stats, error) {
	s := newStream(w)
	t := &table{o: o, cols: cols, s: s, paint: paint(o.Color), wrapping: o.Terminal, gap: -1}
	err := t.run(rows)
	if closing := s.close(); err == nil {
		err = closing
	}
	t.st.Bytes = s.bytes
	if err == nil {
		t.footer()
	}
	return t.st, err
}

type table struct {
	o     Options
	cols  []cell.Column
	s     *stream
	st    Stats
	paint paint
	// Values are wrapped on terminals only: elsewhere a cell that is longer than its column pushes the rest to the
	// right.
	wrapping bool
	vertical bool

	show   []int // indices of the columns shown
	gap    int   // position in show before which the dots of dropped columns are printed, -1 for none
	widths []int
	right  []bool
	null   []byte
	height int // maximum lines per cell
	cut    bool
	buf    rowBuf
}

// run reads the whole result: the sample, then the rest with or without the middle.
func (t *table) run(rows api.RowReader) error {
	t.null = term.Sanitize(nil, nullWord(t.o))
	head, tail := t.limits()
	lim := sampleLimits{rows: 10_000, bytes: 4 << 20, wait: 500 * time.Millisecond}
	if t.wrapping {
		lim.rows, lim.wait = 500, flushInterval
	}
	if t.o.sampleWait > 0 {
		lim.wait = t.o.sampleWait
	}
	smp, finish := takeSample(rows, t.cols, t.o.Raw, lim)
	if t.document(smp) {
		finish()
		return t.print(smp.rows[0][0].text)
	}
	t.layout(smp)
	if err := t.begin(); err != nil {
		return err
	}
	ring := newRing(int(tail), t.o.Terminal)
	if head >= 0 && t.o.MaxRows == 0 {
		ring.slack = slack + max(defaultShown-int(head+tail), 0)
	}
	take := func(cells []tcell) error {
		t.st.Rows++
		if head >= 0 && t.st.Rows > head {
			ring.push(cells)
			return nil
		}
		return t.row(cells, t.st.Rows)
	}
	for _, cells := range smp.rows {
		if err := take(cells); err != nil {
			return err
		}
	}
	if t.wrapping {
		if err := t.s.sync(); err != nil { // the first screen, independent of the source
			return err
		}
	}
	late := finish()
	for _, cells := range late.rows {
		if err := take(cells); err != nil {
			return err
		}
	}
	end := smp.end || late.end
	err := smp.err
	if err == nil {
		err = late.err
	}
	for err == nil && !end {
		if end = !rows.Next(); end {
			break
		}
		var cells []tcell
		if cells, err = t.buf.decode(t.st.Rows+1, rows.Row(), t.cols, t.o.Raw); err == nil {
			err = take(cells)
		}
	}
	if err == nil {
		err = rows.Err()
	}
	if drain := t.drain(ring, head); err == nil {
		err = drain
	}
	return err
}

// document reports whether a result is one text of several lines, such as a plan or the definition of a table.
func (t *table) document(smp *sample) bool {
	return len(t.cols) == 1 && !t.o.Vertical && smp.end && smp.err == nil && len(smp.rows) == 1 &&
		!smp.rows[0][0].null && bytes.IndexByte(smp.rows[0][0].text, '\n') >= 0
}

// print prints a text unchanged, except for terminal control characters.
func (t *table) print(text []byte) error {
	t.st.Rows, t.st.Shown = 1, 1
	return t.s.append(func(dst []byte) ([]byte, error) {
		for line := range bytes.Lines(text) {
			dst = append(dst, term.Sanitize(nil, bytes.TrimRight(line, "\r\n"))...)
			dst = append(dst, '\n')
		}
		return dst, nil
	})
}

// limits returns how many rows to show from the start and from the end; head -1 means all.
func (t *table) limits() (head, tail int64) {
	n := t.o.MaxRows
	if n < 0 || n == 0 && !t.o.Terminal {
		return -1, 0
	}
	if n == 0 {
		n = defaultShown
		if t.o.FitHeight && !t.vertical {
			n = max(min(n, int64(t.o.height()-besides)), leastShown)
		}
	}
	tail = min(n/4, 10_000) // kept in memory
	return n - tail, tail
}

// drain prints the last rows of a result, after a line of dots if rows in the middle were skipped.
func (t *table) drain(r *ring, head int64) error {
	if head < 0 || t.st.Rows <= head {
		return nil
	}
	last := r.rows()
	left := t.st.Rows - head - int64(len(last))
	if left > 0 { // the result exceeds even the tolerance: show only the requested rows
		last = last[r.slack:]
		left += int64(r.slack)
		if err := t.dots(left); err != nil {
			return err
		}
	}
	for i, cells := range last {
		if err := t.row(cells, t.st.Rows-int64(len(last)-1-i)); err != nil {
			return err
		}
	}
	return nil
}

// layout determines columns and widths from the sample.
func (t *table) layout(smp *sample) {
	n := len(t.cols)
	ms := make([]measure, n)
	nulls := displaywidth.Bytes(t.null)
	for i := range t.cols {
		ms[i].header = textWidth([]byte(t.cols[i].Name), false)
		if t.o.ShowTypes {
			ms[i].header = max(ms[i].header, textWidth([]byte(t.cols[i].Type), false))
		}
		for _, r := range smp.rows {
			if r[i].null {
				ms[i].natural = max(ms[i].natural, nulls)
			} else {
				ms[i].add(r[i].text, t.wrapping)
			}
		}
	}
	natural, narrowest, values := make([]int, n), make([]int, n), make([]int, n)
	t.right = make([]bool, n)
	for i := range ms {
		m := &ms[i]
		t.right[i] = m.right(t.cols[i].Class)
		if !smp.end {
			m.natural += m.headroom(t.right[i], t.cols[i].Class)
		}
		if t.o.NoHeader {
			m.header = 0
		}
		if m.breaking = 0.3; t.cols[i].Time() { // the end of a time matters least
			m.breaking = 0.1
		}
		values[i] = max(m.natural, 1)
		m.natural = max(values[i], m.header)
		natural[i], narrowest[i] = m.natural, m.narrowest(t.right[i])
	}
	t.show, t.gap = make([]int, n), -1
	for i := range t.show {
		t.show[i] = i
	}
	t.widths, t.height = natural, maxWrap
	if !smp.end || len(smp.rows) > shortResult {
		t.height = longWrap
	}
	switch {
	case t.o.Vertical || n == 0:
		t.vertical = t.o.Vertical
	case t.wrapping:
		if !smp.end && len(smp.rows) < fewRows {
			t.spread(natural, ms)
		}
		var ok bool
		if t.widths, ok = fit(ms, natural, narrowest, t.o.width()); ok {
			return
		}
		lines := math.MaxInt
		if smp.end {
			lines = len(smp.rows) * (n + 1)
		}
		if t.o.VerticalUnfit || n < 3 || t.o.profile == "" && (lines <= t.o.height()-2 || smp.end &&
			len(smp.rows) <= 2) {
			t.vertical = true
			return
		}
		if t.tight(ms, natural, values) {
			return
		}
		if t.vertical = lines <= screens*t.o.height(); !t.vertical {
			t.overview(ms, natural, values)
		}
	}
}

// spread gives unused width of a terminal to text columns, if a small sample says little about the following rows.
func (t *table) spread(widths []int, ms []measure) {
	texts := 0
	for i := range widths {
		if !t.right[i] && t.cols[i].Class != cell.ClassBool {
			texts++
		}
	}
	spare := t.o.width() - total(widths)
	for i := range widths {
		if spare > 0 && !t.right[i] && t.cols[i].Class != cell.ClassBool &&
			(ms[i].cells < 2 || ms[i].least < ms[i].natural) {
			widths[i] += min(spare/texts, max(ms[i].natural/2, 12))
		}
	}
}

// begin writes the heading.
func (t *table) begin() error {
	if t.vertical || t.o.NoHeader || len(t.cols) == 0 {
		return nil
	}
	return t.s.append(func(dst []byte) ([]byte, error) {
		names := make([]tcell, len(t.cols))
		for i := range t.cols {
			names[i].text = []byte(t.cols[i].Name)
		}
		dst = t.line(dst, names, ansiBold, true)
		if t.o.ShowTypes {
			for i := range t.cols {
				names[i].text = []byte(t.cols[i].Type)
			}
			dst = t.line(dst, names, ansiDim, true)
		}
		dst = t.paint.on(dst, ansiDim)
		for at, i := range t.show {
			if at > 0 {
				dst = append(dst, cross...)
			}
			if at == t.gap {
				dst = append(append(dst, strings.Repeat(rule, 3)...), cross...)
			}
			dst = append(dst, strings.Repeat(rule, t.widths[i]+2)...)
		}
		return append(t.paint.off(dst), '\n'), nil
	})
}

func (t *table) row(cells []tcell, n int64) error {
	t.st.Shown++
	return t.s.append(func(dst []byte) ([]byte, error) {
		if t.vertical {
			return t.record(dst, cells, n), nil
		}
		return t.line(dst, cells, "", false), nil
	})
}

// dots is a line in place of rows that are not shown.
func (t *table) dots(left int64) error {
	return t.s.append(func(dst []byte) ([]byte, error) {
		dst = t.paint.on(dst, ansiDim)
		dst = fmt.Appendf(dst, " ⋮ %s rows not shown", humanize.Comma(left))
		return append(t.paint.off(dst), '\n'), nil
	})
}

// footer writes to Options.Notes what the table contains, and what it omits.
func (t *table) footer() {
	partial := t.st.Shown < t.st.Rows
	if !t.o.Terminal && !partial {
		return
	}
	text := "(" + cmp.Or(t.o.profile, cell.Counted(t.st.Rows, "row"))
	if partial {
		text += ", " + humanize.Comma(t.st.Shown) + " shown"
		if t.o.ShowAll != "" {
			text += "; " + t.o.ShowAll + " shows all"
		}
	}
	if t.gap >= 0 && !t.vertical {
		text += fmt.Sprintf("; %d of %d columns shown, %s show others", len(t.show), len(t.cols),
			cmp.Or(t.o.ShowRest, "--columns or --vertical"))
	}
	if t.cut {
		text += "; values that end in … are cut, " + cmp.Or(t.o.ShowFull, "--vertical") + " shows them in full"
	}
	if t.o.Terminal && t.o.Elapsed != nil {
		text += "; " + seconds(t.o.Elapsed())
	}
	if text += ")"; t.o.Terminal {
		text = Fold(text, t.o.width())
	}
	t.o.note("%s", text)
}

// seconds formats a duration in milliseconds, or in seconds from one second on.
func seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
