package output

import (
	"math"
	"sort"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dustin/go-humanize"
)

// series reduces any number of values to a few points: when all points are used, neighbours are merged and each new
// point stands for twice as many rows.
type series struct {
	limit     int
	per       int // rows in a point
	full      []point
	open      point
	openRows  int
	low, high float64
	any       bool
}

// point is the mean of n values.
type point struct {
	mean float64
	n    int
}

func newSeries(limit int) *series { return &series{limit: limit - limit%2, per: 1} }

func (p point) with(q point) point {
	n := p.n + q.n
	if n == 0 {
		return point{}
	}
	return point{p.mean*(float64(p.n)/float64(n)) + q.mean*(float64(q.n)/float64(n)), n}
}

// put adds the next row; ok is false for a gap.
func (s *series) put(f float64, ok bool) {
	if ok {
		s.open = s.open.with(point{f, 1})
		if !s.any {
			s.low, s.high = f, f
		}
		s.any = true
		s.low, s.high = min(s.low, f), max(s.high, f)
	}
	if s.openRows++; s.openRows < s.per {
		return
	}
	s.full = append(s.full, s.open)
	s.open, s.openRows = point{}, 0
	if len(s.full) < s.limit {
		return
	}
	for i := range len(s.full) / 2 {
		s.full[i] = s.full[2*i].with(s.full[2*i+1])
	}
	s.full = s.full[:len(s.full)/2]
	s.per *= 2
}

func (s *series) points() []point {
	if s.openRows == 0 {
		return s.full
	}
	return append(s.full[:len(s.full):len(s.full)], s.open)
}

func bounds(points []point) (low, high float64) {
	first := true
	for _, p := range points {
		if p.n == 0 {
			continue
		}
		if first {
			low, high, first = p.mean, p.mean, false
		}
		low, high = min(low, p.mean), max(high, p.mean)
	}
	return low, high
}

// stretched places points on all of a width, with straight lines between neighbours; a gap stays one.
func stretched(points []point, width int) []point {
	if len(points) < 2 || len(points) >= width {
		return points
	}
	out := make([]point, width)
	for x := range out {
		place := float64(x) * float64(len(points)-1) / float64(width-1)
		at := min(int(place), len(points)-2)
		a, b, part := points[at], points[at+1], place-float64(at)
		switch {
		case a.n == 0 || b.n == 0:
			if out[x] = a; part >= 0.5 {
				out[x] = b
			}
		default:
			out[x] = point{a.mean*(1-part) + b.mean*part, 1}
		}
	}
	return out
}

const lineMargin = 16 // cells for the numbers of the axis

// linePlot draws with Braille dots, two by four in a cell.
type linePlot struct {
	drawing
	*series
	label       int // column with first and last values that are printed below the line, -1 for none
	first, last string
	rows        int64
}

func (p *linePlot) add(cells []tcell) {
	f, ok := p.number(cells)
	p.put(f, ok)
	if p.label < 0 {
		return
	}
	p.last = "NULL"
	if c := cells[p.label]; !c.null {
		p.last = shorten(term.Sanitize(nil, c.text), max(p.width/3, 8))
	}
	if p.rows++; p.rows == 1 {
		p.first = p.last
	}
}

func (p *linePlot) draw(dst []byte) []byte {
	points := p.points()
	if !p.any {
		return dst
	}
	low, high := bounds(points)
	points = stretched(points, p.limit)
	cols := (len(points) + 1) / 2
	grid := make([][]rune, chartHeight)
	for y := range grid {
		grid[y] = make([]rune, cols)
	}
	dots := chartHeight*4 - 1
	level := func(f float64) int { return int(math.Round(share(f, low, high) * float64(dots))) }
	set := func(x, y int) {
		y = dots - y
		bit := [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}
		grid[y/4][x/2] |= bit[y%4][x%2]
	}
	before := -1
	for x, q := range points {
		if q.n == 0 {
			before = -1
			continue
		}
		y := level(q.mean)
		from, to := y, y
		if before >= 0 { // merge with the last point
			from, to = min(before, y), max(before, y)
		}
		for d := from; d <= to; d++ {
			set(x, d)
		}
		before = y
	}
	step := high/(chartHeight-1) - low/(chartHeight-1)
	labels := make([]string, chartHeight)
	margin := 0
	for y := range labels {
		if y%4 == 0 || y == chartHeight-1 {
			labels[y] = figure(high-float64(y)*step, step/10)
			margin = max(margin, len(labels[y]))
		}
	}
	for y, row := range grid {
		dst = blanks(append(dst, ' '), margin-len(labels[y]))
		dst = append(append(dst, labels[y]...), " ┤"...)
		dst = p.paint.on(dst, ansiKey)
		line := make([]rune, len(row))
		for x, r := range row {
			if line[x] = ' '; r != 0 {
				line[x] = 0x2800 + r
			}
		}
		dst = append(dst, strings.TrimRight(string(line), " ")...)
		dst = append(p.paint.off(dst), '\n')
	}
	if p.label >= 0 {
		dst = append(blanks(dst, margin+3), p.first...)
		dst = blanks(dst, max(cols-displaywidth.String(p.first)-displaywidth.String(p.last), 1))
		dst = append(append(dst, p.last...), '\n')
	}
	return dst
}

// bins counts values in intervals with a width that is a power of ten; they are merged to wider ones if there are too
// many.
type bins struct {
	exp   int
	count map[int64]int64
}

const maxBins = 20_000

func newBins() *bins { return &bins{exp: -9, count: map[int64]int64{}} }

func (b *bins) index(f float64) float64 {
	x := f / math.Pow10(b.exp)
	return math.Floor(x + 1e-12*math.Abs(x)) // 0.3 belongs to the bin that starts there
}

func (b *bins) add(f float64) {
	for math.Abs(b.index(f)) > 1<<52 || len(b.count) >= maxBins {
		b.widen()
	}
	b.count[int64(b.index(f))]++
}

func (b *bins) widen() {
	b.exp++
	wider := make(map[int64]int64, len(b.count)/10)
	for i, n := range b.count {
		q := i / 10
		if i < 0 && i%10 != 0 {
			q--
		}
		wider[q] += n
	}
	b.count = wider
}

// histPlot draws the frequency of values.
type histPlot struct {
	drawing
	*bins
	low, high float64
	any       bool
	whole     bool // every value is an integer
}

func (p *histPlot) add(cells []tcell) {
	f, ok := p.number(cells)
	if !ok {
		return
	}
	if !p.any {
		p.low, p.high, p.any, p.whole = f, f, true, true
	}
	p.whole = p.whole && f == math.Trunc(f)
	p.low, p.high = min(p.low, f), max(p.high, f)
	p.bins.add(f)
}

// groups merges the bins to at most 20 with a width of 1, 2 or 5 times a power of ten, which is at least 1 for
// integers.
func (p *histPlot) groups() (width float64, first int64, counts []int64) {
	unit := int64(1) // in bins
	if p.whole {
		for e := p.exp; e < 0; e++ {
			unit *= 10
		}
	}
	span := p.index(p.high) - p.index(p.low) + 1
	for n := 0; span/float64(unit) > 20; n++ {
		if n%3 == 1 { // 2 to 5
			unit = unit / 2 * 5
		} else {
			unit *= 2
		}
	}
	at := func(i int64) int64 {
		q := i / unit
		if i < 0 && i%unit != 0 {
			q--
		}
		return q
	}
	first = at(int64(p.index(p.low)))
	counts = make([]int64, at(int64(p.index(p.high)))-first+1)
	keys := make([]int64, 0, len(p.count))
	for i := range p.count {
		keys = append(keys, i)
	}
	sort.Slice(keys, func(a, b int) bool { return keys[a] < keys[b] })
	for _, i := range keys {
		counts[at(i)-first] += p.count[i]
	}
	return float64(unit) * math.Pow10(p.exp), first, counts
}

func (p *histPlot) draw(dst []byte) []byte {
	if !p.any {
		return dst
	}
	width, first, counts := p.groups()
	b := barPlot{drawing: drawing{width: p.width, paint: p.paint}}
	for i, n := range counts {
		from := float64(first+int64(i)) * width
		b.bars = append(b.bars, bar1{label: figure(from, width) + " … " + figure(from+width, width),
			text: humanize.Comma(n), value: float64(n)})
	}
	return b.draw(dst)
}
