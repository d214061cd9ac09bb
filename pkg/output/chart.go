package output

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dustin/go-humanize"
)

// Chart describes a chart of a result: bars with a label and a value per row, a line of values in the order of the
// rows, the distribution of values (hist), or one line of blocks per numeric column (spark).
type Chart struct {
	Kind string
	// column of the labels of bar and line; "": the first column that is not numeric for bar, the first column of times
	// for line
	X string
	// columns of the values: one, or several for spark; empty: the first numeric column with different values that is
	// not an id, for spark all
	Y []string
}

// ChartKinds lists the values of Chart.Kind.
func ChartKinds() []string { return []string{"bar", "line", "hist", "spark"} }

// Labelled reports whether a chart of this kind has labels next to its values.
func (c Chart) Labelled() bool { return c.Kind != "hist" && c.Kind != "spark" }

// Check rejects an unknown kind of chart, and columns that a chart of the kind does not use.
func (c Chart) Check() error {
	if !slices.Contains(ChartKinds(), c.Kind) {
		hint := "use one of " + strings.Join(ChartKinds(), ", ")
		if near := nearest.Of(c.Kind, ChartKinds()); near != "" {
			hint = "did you mean " + near + "? All charts: " + strings.Join(ChartKinds(), ", ")
		}
		return cell.Usagef(hint, "unknown chart %q", c.Kind)
	}
	if c.X != "" && !c.Labelled() {
		return cell.Usagef("", "a chart of kind %s has no labels, so no label column", c.Kind)
	}
	if len(c.Y) > 1 && c.Kind != "spark" {
		return cell.Usagef("", "a chart of kind %s draws one column, not %d", c.Kind, len(c.Y))
	}
	return nil
}

const (
	maxBars     = 200
	chartHeight = 12
	chartSample = 200 // number of rows from which numeric columns are detected if the types are not known
)

// WriteChart draws a result as text with Options.Width cells, in memory that does not depend on the number of rows.
// NULL, NaN and infinities are skipped and counted on Options.Notes.
//
// Values are converted to float64 for drawing; the numbers next to bars are those of the result.
func WriteChart(w io.Writer, rows api.RowReader, c Chart, o Options) (Stats, error) {
	if err := c.Check(); err != nil {
		return Stats{}, err
	}
	cols, err := cell.ColumnsOf(rows, o.Columns, o.DefaultColumns)
	if err != nil {
		return Stats{}, err
	}
	smp, finish := takeSample(rows, cols, false, sampleLimits{rows: chartSample, bytes: 1 << 20, wait: math.MaxInt64})
	late := finish()
	if smp.err = firstError(smp.err, late.err); smp.err != nil {
		return Stats{}, smp.err
	}
	plot, err := newPlot(c, cols, smp.rows, o)
	if err != nil {
		return Stats{}, err
	}
	var st Stats
	for _, cells := range smp.rows {
		st.Rows++
		plot.add(cells)
	}
	var buf rowBuf
	for !smp.end && rows.Next() {
		st.Rows++
		cells, err := buf.decode(st.Rows, rows.Row(), cols, false)
		if err != nil {
			return st, err
		}
		plot.add(cells)
	}
	if err := rows.Err(); err != nil {
		return st, err
	}
	out := plot.draw(nil)
	st.Shown, st.Bytes = st.Rows, int64(len(out))
	plot.remarks(o)
	return st, writeAll(w, out)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// plot is a chart under construction.
type plot interface {
	add(cells []tcell)
	draw(dst []byte) []byte
	remarks(o Options)
}

// drawing is common to all charts: the column, the width and the values that could not be drawn.
type drawing struct {
	value   int
	name    string
	width   int
	paint   paint
	skipped int64
}

// number parses the value of a row; ok is false if it cannot be drawn.
func (d *drawing) number(cells []tcell) (float64, bool) {
	c := cells[d.value]
	f, err := strconv.ParseFloat(string(c.text), 64)
	if c.null || err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		d.skipped++
		return 0, false
	}
	return f, true
}

func (d *drawing) remarks(o Options) {
	if d.skipped > 0 {
		are := "are NULL or not finite"
		if d.skipped == 1 {
			are = "is NULL or not finite"
		}
		o.note("(%s of %s %s and not drawn)", cell.Counted(d.skipped, "value"), d.name, are)
	}
}

type emptyPlot struct{}

func (*emptyPlot) add([]tcell)            {}
func (*emptyPlot) draw(dst []byte) []byte { return dst }
func (*emptyPlot) remarks(o Options)      { o.note("(0 rows)") }

// barPlot stores the first rows.
type barPlot struct {
	drawing
	label int
	bars  []bar1
	more  int64
}

type bar1 struct {
	label, text string
	value       float64
	none        bool
}

func (p *barPlot) add(cells []tcell) {
	if len(p.bars) == maxBars {
		p.more++
		return
	}
	b := bar1{label: "NULL", text: "NULL"}
	if c := cells[p.label]; !c.null {
		b.label = shorten(term.Sanitize(nil, c.text), max(p.width/3, 8))
	}
	var ok bool
	if b.value, ok = p.number(cells); !ok {
		b.none = true
	}
	if c := cells[p.value]; !c.null {
		b.text = shorten(term.Sanitize(nil, c.text), max(p.width/3, 8))
	}
	p.bars = append(p.bars, b)
}

func (p *barPlot) draw(dst []byte) []byte {
	labels, texts := 0, 0
	var low, high float64 // zero is always part of the scale
	for _, b := range p.bars {
		labels, texts = max(labels, displaywidth.String(b.label)), max(texts, displaywidth.String(b.text))
		low, high = min(low, b.value), max(high, b.value)
	}
	room := max(p.width-labels-texts-5, 10)
	length := func(f float64) float64 { return float64(room) * (share(f, low, high) - share(0, low, high)) }
	zero := int(math.Round(-length(low)))
	for _, b := range p.bars {
		dst = append(append(dst, ' '), b.label...)
		dst = blanks(dst, labels-displaywidth.String(b.label)+1)
		dst = append(dst, bar...)
		if eighths := int(math.Round(math.Abs(length(b.value)) * 8)); b.value < 0 {
			cells := min((eighths+4)/8, zero)
			dst = blanks(dst, zero-cells)
			dst = append(p.paint.on(dst, ansiKey), strings.Repeat("█", cells)...)
			dst = p.paint.off(dst)
		} else if !b.none {
			dst = blanks(dst, zero)
			dst = append(p.paint.on(dst, ansiKey), strings.Repeat("█", eighths/8)...)
			if eighths%8 > 0 {
				dst = append(dst, string([]rune(" ▏▎▍▌▋▊▉")[eighths%8])...)
			}
			dst = p.paint.off(dst)
		}
		dst = append(append(append(dst, ' '), b.text...), '\n')
	}
	return dst
}

func (p *barPlot) remarks(o Options) {
	p.drawing.remarks(o)
	if p.more > 0 {
		o.note("(the first %d rows; %s more are not drawn)", maxBars, humanize.Comma(p.more))
	}
}

// share returns the position of f between low and high, 0 to 1. It computes with halves since the span may exceed
// float64.
func share(f, low, high float64) float64 {
	if span := high/2 - low/2; span > 0 {
		return (f/2 - low/2) / span
	}
	return 0.5
}

// figure formats a number for an axis: short, with enough digits to distinguish it from its neighbours.
func figure(f, step float64) string {
	switch a := math.Abs(f); {
	case a != 0 && (a >= 1e15 || a < 1e-6):
		return strconv.FormatFloat(f, 'g', 5, 64)
	case step <= 0 || math.IsInf(step, 0):
		return strconv.FormatFloat(f, 'g', 6, 64)
	}
	places := max(0, min(9, int(math.Ceil(-math.Log10(step)-1e-9))))
	return strconv.FormatFloat(f, 'f', places, 64)
}

// sparkPlot draws one line per column.
type sparkPlot struct{ lines []*sparkLine }

type sparkLine struct {
	drawing
	*series
}

func (p *sparkPlot) add(cells []tcell) {
	for _, l := range p.lines {
		f, ok := l.number(cells)
		l.put(f, ok)
	}
}

func (p *sparkPlot) draw(dst []byte) []byte {
	names := 0
	for _, l := range p.lines {
		names = max(names, textWidth([]byte(l.name), false))
	}
	for _, l := range p.lines {
		name := term.Sanitize(nil, l.name)
		dst = append(append(dst, ' '), name...)
		dst = blanks(dst, names-displaywidth.Bytes(name)+1)
		dst = l.paint.on(dst, ansiKey)
		points := l.points()
		low, high := bounds(points)
		for _, q := range points {
			switch {
			case q.n == 0:
				dst = append(dst, ' ')
			default:
				dst = append(dst, string([]rune("▁▂▃▄▅▆▇█")[min(7, int(8*share(q.mean, low, high)))])...)
			}
		}
		dst = l.paint.off(dst)
		if l.any {
			dst = fmt.Appendf(dst, " %s … %s", figure(l.low, 0), figure(l.high, 0))
		}
		dst = append(trimBlanks(dst), '\n')
	}
	return dst
}

func (p *sparkPlot) remarks(o Options) {
	for _, l := range p.lines {
		l.drawing.remarks(o)
	}
}
