package rowset

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/pkg/api"
)

// columnProfile is the profile of one column.
type columnProfile struct {
	nulls, empty      int64
	longest           int
	seen              distinct
	values            int64
	declared          bool // a number by type
	numeric           bool // by type, or every value so far is a number
	low, high         []byte
	lowText, highText []byte
	lowKey, highKey   []byte
	scratch           []byte
}

// Profile reads a result and returns a row for each of its columns: type, nulls, empty strings, distinct values (exact
// up to 4,096, then an estimate within about 2 %), minimum and maximum (as numbers for numbers, else by bytes), and the
// length of the longest text. columns and defaults select columns as for an output. Memory does not depend on the
// number of rows. read is the number of rows, also in case of an error.
func Profile(rows api.RowReader, columns, defaults []string) (profile api.RowReader, read int64, err error) {
	cols, err := cell.ColumnsOf(rows, columns, defaults)
	if err != nil {
		return nil, 0, err
	}
	ps := make([]columnProfile, len(cols))
	for i := range ps {
		ps[i].declared = cols[i].Class.Number()
		ps[i].numeric = ps[i].declared || cols[i].Type == ""
	}
	var text []byte
	for rows.Next() {
		read++
		cells := rows.Row()
		if err := cell.CheckRow(read, cells, cols); err != nil {
			return nil, read, err
		}
		for i := range cols {
			c := cells[cols[i].Index]
			if c.IsNull() {
				ps[i].nulls++
				continue
			}
			if text, err = cell.AppendText(text[:0], c); err != nil {
				return nil, read, cell.RowError(read, &cols[i], err)
			}
			ps[i].add(text)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, read, err
	}
	out := &Memory{Cols: []api.ResultColumn{{Name: "column", DataType: "varchar"}, {Name: "type", DataType: "varchar"},
		{Name: "nulls", DataType: "bigint"}, {Name: "null_percent", DataType: "decimal"},
		{Name: "empty", DataType: "bigint"}, {Name: "distinct", DataType: "bigint"},
		{Name: "estimated", DataType: "boolean"}, {Name: "min", DataType: "varchar"},
		{Name: "max", DataType: "varchar"},
		{Name: "longest", DataType: "bigint"}}}
	for i := range cols {
		out.Cells = append(out.Cells, ps[i].row(&cols[i], read))
	}
	return out, read, nil
}

func (p *columnProfile) add(t []byte) {
	p.values++
	if len(t) == 0 {
		p.empty++
	}
	p.longest = max(p.longest, utf8.RuneCount(t))
	if p.scratch = p.scratch[:0]; p.numeric {
		switch {
		case string(t) == "NaN": // neither minimum nor maximum
			p.seen.add(t)
			return
		case cell.ValidNumber(t):
			p.scratch = append(p.scratch, 1)
			p.scratch = cell.AppendNumberKey(p.scratch, t)
		case string(t) == "Infinity":
			p.scratch = append(p.scratch, 2)
		case string(t) == "-Infinity":
			p.scratch = append(p.scratch, 0)
		default:
			p.numeric = false // from here on the column is text
		}
	}
	if p.numeric && p.declared {
		p.seen.add(p.scratch) // 1 and 1.0 are the same value
	} else {
		p.seen.add(t)
	}
	if p.numeric {
		if p.lowKey == nil || bytes.Compare(p.scratch, p.lowKey) < 0 {
			p.lowKey, p.low = append(p.lowKey[:0], p.scratch...), append([]byte(nil), t...)
		}
		if p.highKey == nil || bytes.Compare(p.scratch, p.highKey) > 0 {
			p.highKey, p.high = append(p.highKey[:0], p.scratch...), append([]byte(nil), t...)
		}
	}
	if p.lowText == nil || bytes.Compare(t, p.lowText) < 0 {
		p.lowText = append([]byte{}, t...)
	}
	if p.highText == nil || bytes.Compare(t, p.highText) > 0 {
		p.highText = append([]byte{}, t...)
	}
}

func (p *columnProfile) row(col *cell.Column, rows int64) []api.Cell {
	n, exact := p.seen.count()
	low, high := p.lowText, p.highText
	if p.numeric {
		low, high = p.low, p.high
	}
	percent := api.Cell(nil)
	if rows > 0 {
		percent = strconv.AppendFloat(nil, 100*float64(p.nulls)/float64(rows), 'f', 1, 64)
	}
	typ, lowest, highest := api.Cell(nil), api.Cell(nil), api.Cell(nil)
	if col.Type != "" {
		typ = cell.Text(col.Type)
	}
	if low != nil {
		lowest, highest = cell.Text(string(low)), cell.Text(string(high))
	}
	return []api.Cell{cell.Text(col.Key), typ, cell.Int(p.nulls), percent, cell.Int(p.empty),
		cell.Int(min(n, p.values)), cell.Bool(!exact), lowest, highest, cell.Int(int64(p.longest))}
}
