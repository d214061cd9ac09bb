package rowset

import (
	"bytes"
	"errors"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/pkg/api"
)

// Differences merges two sorted results and yields the rows of the report.
type Differences struct {
	plan  *diffPlan
	st    DiffStats
	sides [2]*sorter
	in    [2]*merged

	started bool
	queue   [][]api.Cell // of the current pair, still to be yielded
	row     []api.Cell
	err     error
}

func (d *Differences) Columns() ([]api.ResultColumn, error) {
	cols := []api.ResultColumn{{Name: "change", DataType: "varchar"}}
	if !d.plan.whole {
		for _, k := range d.plan.keys {
			cols = append(cols, api.ResultColumn{Name: k.key})
		}
		cols = append(cols, api.ResultColumn{Name: "column", DataType: "varchar"})
	}
	return append(cols, api.ResultColumn{Name: "a"}, api.ResultColumn{Name: "b"}), nil
}

func (d *Differences) Row() []api.Cell { return d.row }
func (d *Differences) Err() error      { return d.err }

// Close removes the temporary files. It does not close the two results.
func (d *Differences) Close() error {
	var errs []error
	for _, s := range d.sides {
		if s != nil {
			errs = append(errs, s.close())
		}
	}
	return errors.Join(errs...)
}

func (d *Differences) Next() bool {
	if !d.started {
		d.started = true
		for _, m := range d.in {
			m.advance()
		}
	}
	for len(d.queue) == 0 {
		if d.err != nil || !d.step() {
			return false
		}
	}
	d.row, d.queue = d.queue[0], d.queue[1:]
	return true
}

// step compares the next records; false at the end.
func (d *Differences) step() bool {
	a, b := d.in[0], d.in[1]
	for _, m := range d.in {
		if m.err != nil {
			d.err = m.err
			return false
		}
	}
	if !a.ok && !b.ok {
		return false
	}
	var order int
	switch {
	case !b.ok:
		order = -1
	case !a.ok:
		order = 1
	default:
		order = bytes.Compare(a.rec.key, b.rec.key)
	}
	if order == 0 {
		same := bytes.Compare(a.rec.values, b.rec.values)
		if same == 0 {
			d.st.Equal++
			a.advance()
			b.advance()
			return true
		}
		if !a.repeats && !b.repeats && !a.next(a.rec.key) && !b.next(b.rec.key) {
			d.st.Changed++
			d.changed(a.rec, b.rec)
			a.advance()
			b.advance()
			return true
		}
		order = same // sorted by values within a key: the smaller one has no partner
	}
	if order < 0 {
		d.st.OnlyA++
		d.single(a.rec, 0)
		a.advance()
	} else {
		d.st.OnlyB++
		d.single(b.rec, 1)
		b.advance()
	}
	return true
}

// changed queues a row for each value that differs.
func (d *Differences) changed(a, b record) {
	x, y := cellsOf(a), cellsOf(b)
	for i, c := range d.plan.values {
		at := len(d.plan.keys) + i
		va, errA := appendComparable(nil, x[at], &c)
		vb, errB := appendComparable(nil, y[at], &c)
		if errA == nil && errB == nil && bytes.Equal(va, vb) {
			continue
		}
		row := append([]api.Cell{cell.Text("changed")}, x[:len(d.plan.keys)]...)
		d.queue = append(d.queue, append(row, cell.Text(c.key), x[at], y[at]))
	}
}

// single queues the row of a record without a partner.
func (d *Differences) single(r record, side int) {
	cells := cellsOf(r)
	change, from := cell.Text("only a"), len(d.plan.keys)
	if side == 1 {
		change = cell.Text("only b")
	}
	row := []api.Cell{change}
	cols := d.plan.values
	if d.plan.whole {
		from, cols = 0, d.plan.keys
	} else {
		row = append(append(row, cells[:from]...), nil)
	}
	object := []byte{'{'}
	for i, c := range cols {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(append(object, cell.Text(c.key)...), ':')
		object = append(object, cells[from+i]...)
	}
	object = append(object, '}')
	if side == 0 {
		row = append(row, object, nil)
	} else {
		row = append(row, nil, object)
	}
	d.queue = append(d.queue, row)
}

// cellsOf copies the tokens of a record.
func cellsOf(r record) []api.Cell {
	lines := bytes.Split(bytes.Clone(r.cells), []byte{'\n'})
	cells := make([]api.Cell, len(lines)-1)
	for i := range cells {
		cells[i] = lines[i]
	}
	return cells
}
