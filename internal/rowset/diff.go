package rowset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/jsontext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dustin/go-humanize"
)

// DiffStats describe how two results differ.
type DiffStats struct {
	A, B              int64 // rows of each
	OnlyA, OnlyB      int64 // rows that only one of them has
	Changed           int64 // rows with the same key but other values
	Equal             int64
	Repeated          int64    // rows beyond the first of their key, in either result
	ColumnsA          []string // columns that only one of them has
	ColumnsB          []string
	Compared, Ignored int // columns
}

// Same reports whether the results are equal, ignoring the order of rows and columns.
func (d DiffStats) Same() bool {
	return d.OnlyA+d.OnlyB+d.Changed == 0 && len(d.ColumnsA)+len(d.ColumnsB) == 0
}

// Diff compares two results by key and returns the differences: a row per changed value, with the columns change
// ("changed"), those of the key, column, a and b; a row that only one result has is one line with change "only a" or
// "only b" and its other columns as a JSON object. Without keys the whole row is the key. columns, if any, restricts
// what is compared.
//
// Numbers compare by value (1.50 is 1.5; doubles as doubles), times and timestamps without trailing zeros in their
// fraction, NaN equals NaN and NULL equals NULL; everything else by its text. If a key repeats, equal rows are paired
// and the rest are reported as rows of one side.
//
// Memory is bounded: both results are read to their end and sorted in temporary files, which Close removes.
func Diff(a, b api.RowReader, keys, columns []string) (*Differences, error) {
	return diff(a, b, keys, columns, sortChunk)
}

func diff(a, b api.RowReader, keys, columns []string, chunk int) (*Differences, error) {
	plan, err := planDiff(a, b, keys, columns)
	if err != nil {
		return nil, err
	}
	d := &Differences{plan: plan, st: plan.stats}
	if err := d.load(a, b, chunk); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// load sorts both sides.
func (d *Differences) load(a, b api.RowReader, chunk int) error {
	read := [2]*int64{&d.st.A, &d.st.B}
	for i, r := range []api.RowReader{a, b} {
		d.sides[i] = newSorter(chunk)
		var err error
		if *read[i], err = d.plan.load(r, i, d.sides[i]); err != nil {
			return fmt.Errorf("result %c: %w", 'a'+i, err)
		}
	}
	for i, s := range d.sides {
		var err error
		if d.in[i], err = s.sorted(); err != nil {
			return err
		}
	}
	return nil
}

// Stats are complete when all differences were read.
func (d *Differences) Stats() DiffStats {
	st := d.st
	if !d.plan.whole {
		st.Repeated = d.in[0].repeated + d.in[1].repeated
	}
	return st
}

// Summary describes the statistics in one line.
func (d DiffStats) Summary() string {
	s := fmt.Sprintf("a has %s, b has %s: %s only in a, %s only in b, %s changed, %s equal", cell.Counted(d.A, "row"),
		humanize.Comma(d.B), humanize.Comma(d.OnlyA),
		humanize.Comma(d.OnlyB), humanize.Comma(d.Changed), humanize.Comma(d.Equal))
	if d.Repeated > 0 {
		s += fmt.Sprintf("; the key is not unique, %s rows repeat one", humanize.Comma(d.Repeated))
	}
	if len(d.ColumnsA) > 0 {
		s += "; columns only in a: " + strings.Join(d.ColumnsA, ", ")
	}
	if len(d.ColumnsB) > 0 {
		s += "; columns only in b: " + strings.Join(d.ColumnsB, ", ")
	}
	return s
}

// isJSON reports whether the values of a type are JSON, as texts or not.
func isJSON(typ string) bool {
	base, _, _ := strings.Cut(typ, "(")
	return base == "json" || base == "array" || base == "map" || base == "row"
}

// diffColumn is a column that both results have.
type diffColumn struct {
	key    string
	number bool
	bits   int  // 64 or 32 if a side has binary floating point, so that 4.9E-324 is 5e-324
	clock  bool // a time or timestamp
	json   bool // texts are JSON
	index  [2]int
}

// diffPlan determines the key columns and the compared ones. A record of the sorters is: the encoded key, the encoded
// values, and the texts of all columns for the report.
type diffPlan struct {
	keys, values []diffColumn
	whole        bool // the key is the whole row
	stats        DiffStats
}

func planDiff(a, b api.RowReader, keys, chosen []string) (*diffPlan, error) {
	var cols [2][]cell.Column
	var names [2][]string
	for i, r := range []api.RowReader{a, b} {
		var err error
		if cols[i], err = cell.ColumnsOf(r, nil, nil); err != nil {
			return nil, fmt.Errorf("result %c: %w", 'a'+i, err)
		}
		for _, c := range cols[i] {
			names[i] = append(names[i], c.Key)
		}
	}
	for i := range cols {
		if len(cols[i]) == 0 { // without columns it has no rows
			cols[i], names[i] = cols[1-i], names[1-i]
		}
	}
	p := &diffPlan{whole: len(keys) == 0}
	common := func(name string) (diffColumn, error) {
		c := diffColumn{key: name}
		var number, known [2]bool
		for i := range cols {
			at := cell.Find(name, names[i])
			if at < 0 {
				err := cell.UnknownColumn(name, names[i])
				err.Message = fmt.Sprintf("no column %q in result %c", name, 'a'+i)
				return c, err
			}
			c.key, c.index[i] = names[0][max(cell.Find(name, names[0]), 0)], at
			number[i], known[i] = cols[i][at].Class.Number(), cols[i][at].Type != ""
			switch cols[i][at].Class {
			case cell.ClassDouble:
				c.bits = 64
			case cell.ClassReal:
				c.bits = max(c.bits, 32)
			}
			c.json = c.json || isJSON(cols[i][at].Type)
			c.clock = c.clock || strings.HasPrefix(cols[i][at].Type, "time")
		}
		c.number = (number[0] || number[1]) && (number[0] || !known[0]) && (number[1] || !known[1])
		return c, nil
	}
	used := map[string]bool{}
	for _, k := range keys {
		c, err := common(k)
		if err != nil {
			return nil, err
		}
		used[c.key] = true
		p.keys = append(p.keys, c)
	}
	for _, name := range chosen {
		c, err := common(name)
		if err != nil {
			return nil, err
		}
		if !used[c.key] {
			used[c.key] = true
			p.values = append(p.values, c)
		}
	}
	if len(chosen) == 0 {
		for _, name := range names[0] {
			switch {
			case used[name]:
			case !slices.Contains(names[1], name):
				p.stats.ColumnsA = append(p.stats.ColumnsA, name)
			default:
				c, err := common(name)
				if err != nil {
					return nil, err
				}
				p.values = append(p.values, c)
			}
		}
		for _, name := range names[1] {
			if !used[name] && !slices.Contains(names[0], name) {
				p.stats.ColumnsB = append(p.stats.ColumnsB, name)
			}
		}
	}
	p.stats.Compared = len(p.keys) + len(p.values)
	p.stats.Ignored = len(names[0]) - len(p.stats.ColumnsA) - p.stats.Compared
	if p.stats.Compared == 0 && len(names[0])+len(names[1]) > 0 {
		return nil, cell.Usagef("", "the results have no column in common")
	}
	if p.whole {
		p.keys, p.values = p.values, nil
	}
	return p, nil
}

// load adds the rows of one side to its sorter.
func (p *diffPlan) load(r api.RowReader, side int, s *sorter) (int64, error) {
	var n int64
	var rec record
	for r.Next() {
		n++
		cells := r.Row()
		rec = rec.reset()
		for part, cols := range [][]diffColumn{p.keys, p.values} {
			for _, c := range cols {
				if c.index[side] >= len(cells) {
					return n, cell.RowError(n, &cell.Column{Name: c.key}, cell.ErrShortRow)
				}
				if err := rec.add(part, cells[c.index[side]], &c); err != nil {
					return n, cell.RowError(n, &cell.Column{Name: c.key}, err)
				}
			}
		}
		if err := s.add(rec); err != nil {
			return n, err
		}
	}
	return n, r.Err()
}

// inOrder sorts the members of the objects in a JSON text. A text that is not JSON, or has a member twice, is left as
// it is.
func inOrder(dst []byte, from int) []byte {
	v, err := jsontext.Decode(dst[from:])
	if err != nil || !json.Valid(dst[from:]) {
		return dst
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return dst
	}
	if bytes.Count(out.Bytes(), []byte(":")) != bytes.Count(dst[from:], []byte(":")) { // a member was lost
		return dst
	}
	return append(dst[:from], bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

// record is a row to be compared. key and values have an encoding with equal bytes for equal values; those of the key
// also sort like the values. cells are the JSON tokens, each with a line feed, which no token contains outside of
// strings.
type record struct {
	key, values, cells []byte
}

func (r record) reset() record { return record{r.key[:0], r.values[:0], r.cells[:0]} }

// Markers of encoded values, in sort order.
const (
	markNull   = 1
	markNumber = 2
	markText   = 3
)

func (r *record) add(part int, c api.Cell, col *diffColumn) error {
	dst := &r.key
	if part == 1 {
		dst = &r.values
	}
	var err error
	*dst, err = appendComparable(*dst, c, col)
	if err == nil {
		r.cells, err = cell.AppendCompact(r.cells, c) // on one line
		if len(c) == 0 {
			r.cells = append(r.cells, "null"...)
		}
		r.cells = append(r.cells, '\n')
	}
	return err
}

func appendComparable(dst []byte, c api.Cell, col *diffColumn) ([]byte, error) {
	if c.IsNull() {
		return append(dst, markNull), nil
	}
	if col.number {
		if t := cell.Scalar(c); cell.ValidNumber(t) {
			if col.bits > 0 {
				if f, err := strconv.ParseFloat(string(t), col.bits); err == nil {
					t = strconv.AppendFloat(nil, f, 'e', -1, col.bits)
				}
			}
			return cell.AppendNumberKey(append(dst, markNumber), t), nil
		}
	}
	dst = append(dst, markText)
	from := len(dst)
	dst, err := cell.AppendText(dst, c)
	if err != nil {
		return dst, err
	}
	if col.clock {
		dst = cell.TrimFraction(dst, from)
	}
	if k := c.Kind(); col.json || k == api.CellObject || k == api.CellArray {
		dst = inOrder(dst, from)
	}
	if bytes.IndexByte(dst[from:], 0) >= 0 { // zero ends a string; a zero byte within one is 0 0xff
		escaped := bytes.ReplaceAll(dst[from:], []byte{0}, []byte{0, 0xff})
		dst = append(dst[:from], escaped...)
	}
	return append(dst, 0, 0), nil
}
