package output

import (
	"bytes"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/cell"
)

func newPlot(c Chart, cols []cell.Column, sample [][]tcell, o Options) (plot, error) {
	names := make([]string, len(cols))
	for i := range cols {
		names[i] = cols[i].Key
	}
	at := func(name string) (int, error) {
		if i := cell.Find(name, names); i >= 0 || len(cols) == 0 {
			return i, nil
		}
		return 0, cell.UnknownColumn(name, names)
	}
	var values []int
	for _, name := range c.Y {
		i, err := at(name)
		if err != nil {
			return nil, err
		}
		values = append(values, i)
	}
	label := -1
	if c.X != "" {
		var err error
		if label, err = at(c.X); err != nil {
			return nil, err
		}
	}
	ids := false
	for i := range cols {
		switch {
		case len(c.Y) > 0 || i == label || !isNumeric(i, cols, sample):
		case numbersRows(cols[i].Key):
			ids = true
		default:
			values = append(values, i)
		}
	}
	switch {
	case len(sample) == 0:
		return &emptyPlot{}, nil
	case len(values) == 0 && ids:
		return nil, cell.Usagef("name the column to draw with --y-column; columns: "+strings.Join(names, ", "),
			"the result has no column of numbers to draw, only ids")
	case len(values) == 0:
		return nil, cell.Usagef("columns: "+strings.Join(names, ", "), "the result has no column of numbers to draw")
	}
	value := values[0]
	if at := slices.IndexFunc(values, func(i int) bool { return varies(i, sample) }); at > 0 && len(c.Y) == 0 {
		value = values[at]
	}
	base := drawing{value: value, name: cols[value].Key, width: o.width(), paint: paint(o.Color)}
	switch c.Kind {
	case "bar":
		if label < 0 {
			label = labelOf(value, cols, sample)
		}
		return &barPlot{drawing: base, label: label}, nil
	case "line":
		if label < 0 {
			label = slices.IndexFunc(cols, func(c cell.Column) bool { return c.Time() })
		}
		return &linePlot{drawing: base, series: newSeries(2 * max(base.width-lineMargin, 10)), label: label}, nil
	case "hist":
		return &histPlot{drawing: base, bins: newBins()}, nil
	}
	s := &sparkPlot{}
	for _, i := range values {
		d := base
		d.value, d.name = i, cols[i].Key
		s.lines = append(s.lines, &sparkLine{drawing: d, series: newSeries(max(base.width/2, 10))})
	}
	return s, nil
}

// varies reports whether a column has different values.
func varies(i int, sample [][]tcell) bool {
	return slices.ContainsFunc(sample, func(r []tcell) bool {
		return r[i].null != sample[0][i].null || !bytes.Equal(r[i].text, sample[0][i].text)
	})
}

// numbersRows reports whether a column identifies rows, so that the size of its numbers has no meaning. System columns
// start with an underscore; _col0 and so on are not system columns, but Trino's names of computed columns.
func numbersRows(name string) bool {
	return strings.EqualFold(name, "id") || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "Id") ||
		strings.HasPrefix(name, "_") && !strings.HasPrefix(name, "_col")
}

// labelOf chooses the column of the labels of bars: the first column that is not numeric, else the first column other
// than value.
func labelOf(value int, cols []cell.Column, sample [][]tcell) int {
	label := 0
	if value == 0 && len(cols) > 1 {
		label = 1
	}
	for i := range cols {
		if i != value && !isNumeric(i, cols, sample) && !strings.HasPrefix(cols[i].Key, "_") {
			return i
		}
	}
	return label
}

func isNumeric(i int, cols []cell.Column, sample [][]tcell) bool {
	if cols[i].Class.Number() {
		return true
	}
	if cols[i].Type != "" {
		return false
	}
	found := false
	for _, row := range sample {
		if row[i].null {
			continue
		}
		if !looksNumeric(row[i].text) {
			return false
		}
		found = true
	}
	return found
}
