package intake

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/rowfile"
)

// Text returns the text to send, from its beginning.
func (d *Document) Text(ctx context.Context) (io.ReadCloser, error) {
	text, rows, err := d.begin(ctx)
	if err == nil && rows != nil {
		text = &rowText{records: rows}
	}
	return text, err
}

// rowText writes records as CSV.
type rowText struct {
	*records
	rowfile.Made
}

func (w *rowText) Read(p []byte) (int, error) { return w.Made.Read(p, w.record) }

// record appends a record.
func (w *rowText) record() error {
	if err := w.records.Read(); err != nil {
		return err
	}
	for i, f := range w.Fields {
		if i > 0 {
			w.Out = append(w.Out, ',')
		}
		switch {
		case f.Quoted || bytes.ContainsAny(f.Text, ",\"\n\r"):
			w.Out = cell.AppendQuoted(w.Out, f.Text)
		default:
			w.Out = append(w.Out, f.Text...)
		}
	}
	w.Out = append(w.Out, '\n')
	return nil
}

// RowNumbers maps lines of the text that is sent to rows of the file, or its lines.
func (d *Document) RowNumbers(ctx context.Context, lines []int64) (map[int64]int64, error) {
	out := map[int64]int64{}
	r, err := d.records(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	w := rowText{records: r}
	last := slices.Max(append(lines, 0))
	for line := int64(1); line <= last; {
		w.Out = w.Out[:0]
		if err := w.record(); err != nil {
			return nil, err
		}
		if slices.Contains(lines, line) {
			out[line] = w.Line
		}
		line += int64(bytes.Count(w.Out, []byte("\n")))
	}
	return out, nil
}
