package api

import (
	"bytes"
	"fmt"
	"strconv"
)

// layout maps the slots of a row to columns.
type layout struct {
	slots   []slot
	columns []int    // slot -> column
	twins   [][2]int // {from, to}: columns that share a name (SIMPLE)
	copies  [][2]int // those of them that get the same value, because a row has it once
	once    bool     // each slot is one value on the wire, so that a template can represent the layout
	names   [][]byte // name and order tokens from which columns was derived (CELL_TYPED)
	orders  [][]byte
	index   map[string]int // name -> first column of that name (SIMPLE)
}

var nullCell = Cell("null")

// placeRow fills Rows.row from the slots, and derives the columns from the first row if they are not known yet.
func (r *Rows) placeRow() error {
	l := &r.layout
	if r.format != Simple {
		if !r.known && r.format == Compact {
			r.cols = make([]ResultColumn, len(l.slots))
			for i := range r.cols {
				r.cols[i].Name = "column_" + strconv.Itoa(i+1)
			}
			r.known = true
		}
		if r.known && len(l.slots) != len(r.cols) {
			return fmt.Errorf("row %d has %d cells, the result has %d columns", r.count+1, len(l.slots), len(r.cols))
		}
	}
	var err error
	switch r.format {
	case Simple:
		err = r.placeSimple()
	case CellTyped:
		err = r.placeTyped()
	default:
		r.makeRow()
		if len(l.columns) != len(l.slots) {
			l.columns = identity(len(l.slots))
		}
		l.once = true
		for i := range l.slots {
			r.row[i] = l.slots[i].value
		}
	}
	return err
}

func (r *Rows) makeRow() {
	if len(r.row) != len(r.cols) {
		r.row = make([]Cell, len(r.cols))
	}
}

func identity(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

func (r *Rows) placeSimple() error {
	l := &r.layout
	if !r.known {
		have := map[string]bool{}
		for _, s := range l.slots {
			if name := text(s.name); !have[name] {
				have[name] = true
				r.cols = append(r.cols, ResultColumn{Name: name})
			}
		}
		r.known = true
	}
	if l.index == nil {
		l.index = make(map[string]int, len(r.cols))
		for i, c := range r.cols {
			if first, ok := l.index[c.Name]; ok {
				l.twins = append(l.twins, [2]int{first, i})
			} else {
				l.index[c.Name] = i
			}
		}
	}
	r.makeRow()
	if len(l.twins) > 0 && l.inOrder(r.cols) {
		l.columns, l.copies, l.once = identity(len(l.slots)), nil, true
		for i, s := range l.slots {
			r.row[i] = s.value
		}
		return nil
	}
	for i := range r.row {
		r.row[i] = nullCell
	}
	l.columns, l.copies, l.once = l.columns[:0], l.twins, true
	for _, s := range l.slots {
		c, ok := l.index[string(keyText(s.name))]
		if !ok {
			return fmt.Errorf("row %d has the key %s, which is not a column of the result", r.count+1, s.name)
		}
		l.columns = append(l.columns, c)
		r.row[c] = s.value
	}
	for _, c := range l.copies {
		r.row[c[1]] = r.row[c[0]]
	}
	return nil
}

// inOrder reports whether the slots have the names of the columns, in their order.
func (l *layout) inOrder(cols []ResultColumn) bool {
	if len(l.slots) != len(cols) {
		return false
	}
	for i, s := range l.slots {
		if string(keyText(s.name)) != cols[i].Name {
			return false
		}
	}
	return true
}

func (r *Rows) placeTyped() error {
	l := &r.layout
	if r.count == 0 || !l.sameNames() {
		names := make([]string, len(l.slots))
		for i, s := range l.slots {
			names[i] = textOrEmpty(s.name)
		}
		columns, ok := l.assign(names, r.cols, r.known)
		if !ok && r.count > 0 {
			return fmt.Errorf("the cell names of row %d do not fit the columns", r.count+1)
		}
		if r.count == 0 {
			r.describe(names, columns)
		}
		l.columns = columns
		l.keepNames()
	}
	r.makeRow()
	l.once = true
	for i := range l.slots {
		v := l.slots[i].value
		if v == nil {
			v = nullCell
		}
		l.once = l.once && l.slots[i].typed.values == 1
		r.row[l.columns[i]] = v
	}
	return nil
}

// assign finds a column for each cell: by "order" if that numbers the cells, by position, or by name; the first method
// that assigns every cell to a column of the same name. ok is false if there is none, and the columns are then those of
// the first method.
func (l *layout) assign(names []string, cols []ResultColumn, known bool) (columns []int, ok bool) {
	position := identity(len(names))
	fits := func(columns []int) bool {
		for i, c := range columns {
			if names[i] != cols[c].Name {
				return false
			}
		}
		return true
	}
	ordered := l.ordered()
	if ordered != nil && (!known || fits(ordered)) {
		return ordered, true
	}
	if !known || fits(position) {
		return position, true
	}
	if named := byName(names, cols); named != nil {
		return named, true
	}
	if ordered != nil {
		return ordered, false
	}
	return position, false
}

// ordered parses the "order" of the cells; nil unless they are a permutation of 0..n-1 or 1..n.
func (l *layout) ordered() []int {
	n := len(l.slots)
	columns, taken := make([]int, n), make([]bool, n+1)
	for i, s := range l.slots {
		v, err := strconv.Atoi(textOrEmpty(s.typed.order))
		if err != nil || v < 0 || v > n || taken[v] {
			return nil
		}
		taken[v] = true
		columns[i] = v
	}
	if n > 0 && !taken[0] {
		for i := range columns {
			columns[i]--
		}
	}
	return columns
}

// byName pairs cells and columns of the same name; nil unless that is possible, and unambiguous.
func byName(names []string, cols []ResultColumn) []int {
	index := make(map[string]int, len(cols))
	for i, c := range cols {
		index[c.Name] = i
	}
	columns := make([]int, len(names))
	for i, name := range names {
		c, ok := index[name]
		if !ok {
			return nil
		}
		delete(index, name) // a second cell or column of this name makes it ambiguous
		columns[i] = c
	}
	return columns
}

// describe completes the columns from the cells of the first row. A cell's own name overrides that in "columns", and
// the table that "columns" gives is then dropped.
func (r *Rows) describe(names []string, columns []int) {
	if !r.known {
		r.cols = make([]ResultColumn, len(names))
		r.known = true
	}
	for i, s := range r.layout.slots {
		c := &r.cols[columns[i]]
		if c.Name != names[i] {
			*c = ResultColumn{Name: names[i]}
		}
		if t := textOrEmpty(s.typed.display); t != "" {
			c.DisplayName = t
		}
		if t := textOrEmpty(s.typed.dataType); t != "" {
			c.DataType = t
		}
	}
}

func (l *layout) sameNames() bool {
	if len(l.names) != len(l.slots) {
		return false
	}
	for i := range l.slots {
		if !bytes.Equal(l.names[i], l.slots[i].name) || !bytes.Equal(l.orders[i], l.slots[i].typed.order) {
			return false
		}
	}
	return true
}

func (l *layout) keepNames() {
	l.names, l.orders = l.names[:0], l.orders[:0]
	for _, s := range l.slots {
		l.names = append(l.names, bytes.Clone(s.name))
		l.orders = append(l.orders, bytes.Clone(s.typed.order))
	}
}

// reconcile completes cols, which came from the rows, with a "columns" that came after them.
func (l *layout) reconcile(format Format, cols, late []ResultColumn) error {
	if len(late) != len(cols) {
		return fmt.Errorf("\"columns\" has %d entries, the rows before it have %d cells", len(late), len(cols))
	}
	if format == Compact {
		copy(cols, late)
		return nil
	}
	for i := range cols {
		c, from := &cols[i], -1
		for j := range late {
			if late[j].Name == c.Name && (from < 0 || j == i) {
				from = j
			}
		}
		if from < 0 {
			if format == Simple {
				return fmt.Errorf("\"columns\" does not name %q, a key of the rows before it", c.Name)
			}
			continue
		}
		display, dataType := c.DisplayName, c.DataType
		*c = late[from]
		if display != "" {
			c.DisplayName = display
		}
		if dataType != "" {
			c.DataType = dataType
		}
	}
	return nil
}
