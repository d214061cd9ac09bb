package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// Text returns the text to send, from its beginning.
func (d *Document) Text(ctx context.Context) (io.ReadCloser, error) {
	d.read.Store(0)
	d.made.Store(0)
	if d.IsText() {
		return d.Raw(ctx)
	}
	return d.rowText(ctx)
}

// rowText writes rows as CSV.
type rowText struct {
	ctx    context.Context
	d      *Document
	r      rowfile.Rows
	header bool
	rowfile.Made
}

func (d *Document) rowText(ctx context.Context) (*rowText, error) {
	d.Loose = true
	defer func() { d.Loose = false }()
	r, err := d.File.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &rowText{ctx: ctx, d: d, r: r, header: d.Header != nil}, nil
}

func (w *rowText) Close() error { return w.r.Close() }

func (w *rowText) Read(p []byte) (int, error) { return w.Made.Read(p, w.row) }

// row appends a row, or the header.
func (w *rowText) row() error {
	if w.header {
		w.header = false
		for i, name := range w.d.Header {
			if i > 0 {
				w.Out = append(w.Out, ',')
			}
			w.Out = appendField(w.Out, []byte(name), false)
		}
		w.Out = append(w.Out, '\n')
		return nil
	}
	row, err := w.r.Next(w.ctx)
	w.d.made.Add(1)
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.d.Path, err)
	}
	width := len(row)
	if w.d.Format != rowfile.CSV || w.d.opt.Widens() {
		width = max(width, w.d.Width)
	}
	for i := range width {
		if i > 0 {
			w.Out = append(w.Out, ',')
		}
		typed := i < len(w.d.typed) && w.d.typed[i]
		if i >= len(row) || row[i].Kind == infer.Null || len(row[i].Text) == 0 && typed {
			continue
		}
		text := row[i].Text
		if !typed {
			text = row[i].AsText()
		}
		w.Out = appendField(w.Out, text, row[i].Kind > infer.Number)
	}
	w.Out = append(w.Out, '\n')
	return nil
}

// appendField writes a field that is not NULL.
func appendField(out, text []byte, quoted bool) []byte {
	if !quoted && len(text) > 0 && !bytes.ContainsAny(text, ",\"\n\r") {
		return append(out, text...)
	}
	return cell.AppendQuoted(out, text)
}

// RowNumbers maps lines of the text that is sent to rows of the file, or its lines.
func (d *Document) RowNumbers(ctx context.Context, lines []int64) (map[int64]int64, error) {
	out := map[int64]int64{}
	w, err := d.rowText(ctx)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	last := slices.Max(append(lines, 0))
	for line := int64(1); line <= last; {
		w.Out = w.Out[:0]
		if err := w.row(); err != nil {
			return nil, err
		}
		if slices.Contains(lines, line) {
			out[line] = w.r.At()
		}
		line += int64(bytes.Count(w.Out, []byte("\n")))
	}
	return out, nil
}
