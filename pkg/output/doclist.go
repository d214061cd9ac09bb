package output

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/term"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// docList prints an array of objects, which is in memory, as a table in the style of results. If a list is too wide for
// the terminal, its values are cut and marked, those of identifiers last. If that is not enough, columns are dropped
// from its end, with a note. If not even two columns fit, the list is printed vertically.
func docList(w io.Writer, v *view, cols []cell.Column, o Options) error {
	var rows [][]tcell
	for v.Next() {
		cells, err := decodeRow(int64(len(rows)+1), v.Row(), cols, true)
		if err != nil {
			return err
		}
		rows = append(rows, cells)
	}
	if len(rows) == 0 { // tablewriter would omit the line below the heading
		o.Notes = nil
		_, err := writeTable(w, v, cols, o)
		return err
	}
	all := cols
	if o.Terminal && len(o.Fields) > 0 {
		rows, cols, o.Fields = withoutEmpty(rows, cols, o.Fields)
	}
	natural, narrowest, tight := make([]int, len(cols)), make([]int, len(cols)), make([]int, len(cols))
	right, ms := make([]bool, len(cols)), make([]measure, len(cols))
	for i := range cols {
		m := &ms[i]
		m.breaking, m.header = 0.3, textWidth([]byte(cols[i].Name), false)
		numbers := true
		for n, r := range rows {
			if !r[i].null {
				m.add(r[i].text, false)
				// Only JSON numbers: ids are strings of digits and read better left-aligned.
				numbers = numbers && isJSONNumber(v.rows[n], cols[i].Name)
			}
		}
		right[i] = m.cells > 0 && numbers
		if m.natural = max(m.natural, 1); !o.NoHeader {
			m.natural = max(m.natural, m.header)
		}
		natural[i], narrowest[i] = m.natural, m.narrowest(right[i])
		switch tight[i] = min(m.natural, usefulText); {
		case right[i] || o.identifier(cols[i].Name) || len(o.Fields) > 0 && o.Fields[i].As != AsSent:
			tight[i] = m.natural
		case instants(rows, i):
			tight[i] = min(m.natural, len("2006-01-02T15:04"))
		}
	}
	if !o.Terminal {
		return renderList(w, rows, cols, natural, right, o)
	}
	shown := make([]int, len(cols))
	for i := range shown {
		shown[i] = i
	}
	widths, ok := fit(ms, natural, narrowest, o.width())
	for !ok && len(shown) > 1 {
		if widths, ok = fit(choose(ms, shown), choose(natural, shown), choose(tight, shown), o.width()); !ok {
			shown = o.withoutLast(shown, cols)
		}
	}
	if len(shown) < min(len(cols), 2) || !ok {
		v.at = 0
		return docRecords(w, v, all, true, o)
	}
	for n := range rows {
		rows[n] = choose(rows[n], shown)
	}
	if err := renderList(w, rows, choose(cols, shown), widths, choose(right, shown), o); err != nil ||
		len(shown) == len(cols) {
		return err
	}
	var left []string
	for i := range cols {
		if !slices.Contains(shown, i) {
			left = append(left, string(term.Sanitize(nil, cols[i].Name)))
		}
	}
	o.note("%s", Fold(fmt.Sprintf("(too narrow for %s; -o yaml shows all)", strings.Join(left, ", ")), o.width()))
	return nil
}

// withoutEmpty omits the fields without a value in any row, except those that other commands take as arguments.
func withoutEmpty(rows [][]tcell, cols []cell.Column, fields []Field) ([][]tcell, []cell.Column, []Field) {
	var some []int
	for i := range cols {
		if fields[i].Key || slices.ContainsFunc(rows, func(r []tcell) bool { return !r[i].null }) {
			some = append(some, i)
		}
	}
	if len(some) == 0 || len(some) == len(cols) {
		return rows, cols, fields
	}
	for n := range rows {
		rows[n] = choose(rows[n], some)
	}
	return rows, choose(cols, some), choose(fields, some)
}

// choose selects elements by their indices.
func choose[T any](all []T, which []int) []T {
	some := make([]T, len(which))
	for at, i := range which {
		some[at] = all[i]
	}
	return some
}

// withoutLast drops one column. With fields it is the last one. Without fields it is displayName, else the last column
// that is not an identifier, else the last one.
func (o Options) withoutLast(shown []int, cols []cell.Column) []int {
	if len(o.Fields) > 0 { // fields are declared in the order of their importance
		return shown[:len(shown)-1]
	}
	if at := slices.IndexFunc(shown, func(i int) bool { return cols[i].Name == "displayName" }); at > 0 {
		return slices.Delete(shown, at, at+1)
	}
	for at := len(shown) - 1; at > 0; at-- {
		if !o.identifier(cols[shown[at]].Name) {
			return slices.Delete(shown, at, at+1)
		}
	}
	return shown[:len(shown)-1]
}

// identifier reports whether a column contains arguments for other commands.
func (o Options) identifier(name string) bool {
	for i := range o.Fields {
		if o.Fields[i].heading() == name && o.Fields[i].Key {
			return true
		}
	}
	return name == "id" || name == "name" || strings.HasSuffix(name, "Id") || name == "path"
}

// instants reports whether a column contains only times.
func instants(rows [][]tcell, i int) bool {
	found := false
	for _, r := range rows {
		if r[i].null {
			continue
		}
		if _, err := time.Parse(time.RFC3339, string(r[i].text)); err != nil {
			return false
		}
		found = true
	}
	return found
}

func isJSONNumber(row []byte, path string) bool {
	value, _ := lookup(row, path)
	return len(value) > 0 && (value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}

// renderList uses tablewriter. Its defaults centre and capitalize headings, trim values and wrap long ones: all of that
// is turned off, and the padding of the last column is removed.
func renderList(w io.Writer, rows [][]tcell, cols []cell.Column, widths []int, right []bool, o Options) error {
	p := paint(o.Color)
	var buf bytes.Buffer
	aligns := make([]tw.Align, len(cols))
	for i := range aligns {
		if aligns[i] = tw.AlignLeft; right[i] {
			aligns[i] = tw.AlignRight
		}
	}
	section := tw.CellConfig{
		Alignment:  tw.CellAlignment{Global: tw.AlignLeft, PerColumn: aligns},
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
	}
	t := tablewriter.NewTable(&buf,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.On, BetweenRows: tw.Off},
				Lines:      tw.Lines{ShowHeaderLine: tw.On},
			},
		})),
		tablewriter.WithConfig(tablewriter.Config{Header: section, Row: section}),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithTrimLine(tw.Off),
	)
	if !o.NoHeader {
		names := make([]string, len(cols))
		for i := range cols {
			names[i] = p.text(ansiBold, shorten(term.Sanitize(nil, cols[i].Name), widths[i]))
		}
		t.Header(names)
	}
	null := string(term.Sanitize(nil, nullWord(o)))
	if o.Null == "" {
		null = "-" // a field that is not set, as opposed to SQL NULL
	}
	for _, r := range rows {
		line := make([]string, len(cols))
		for i := range r {
			if line[i] = shorten(term.Sanitize(nil, r[i].text), widths[i]); r[i].null {
				line[i] = p.text(ansiDim, null)
			}
		}
		if err := t.Append(line); err != nil {
			return err
		}
	}
	if err := t.Render(); err != nil {
		return err
	}
	var out []byte
	for line := range bytes.Lines(buf.Bytes()) {
		out = append(append(out, bytes.TrimRight(line, " \n")...), '\n')
	}
	return writeAll(w, out)
}

// shorten cuts sanitized text to width with a mark.
func shorten(t []byte, width int) string {
	if displaywidth.Bytes(t) <= width {
		return string(t)
	}
	return displaywidth.TruncateString(string(t), width, ellipsis)
}

// docRecords prints objects with one line per field.
func docRecords(w io.Writer, v *view, cols []cell.Column, list bool, o Options) error {
	if o.Null == "" {
		o.Null = "-"
	}
	t := &table{o: o, cols: cols, paint: paint(o.Color), null: term.Sanitize(nil, nullWord(o)), vertical: true}
	var out []byte
	for n := int64(1); v.Next(); n++ {
		cells, err := decodeRow(n, v.Row(), cols, true)
		if err != nil {
			return err
		}
		if list {
			out = t.record(out, cells, n)
			continue
		}
		keys := 0
		for i := range cols {
			keys = max(keys, textWidth([]byte(cols[i].Name), false))
		}
		for i := range cols {
			out = t.field(out, term.Sanitize(nil, cols[i].Name), keys, cells[i])
		}
	}
	return writeAll(w, out)
}
