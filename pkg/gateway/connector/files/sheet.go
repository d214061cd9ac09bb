package files

import (
	"context"

	"github.com/dig-cli/dig/internal/rowfile"
)

// sheetRecords are the rows of the first visible sheet of a workbook.
type sheetRecords struct {
	readers
	book  *rowfile.Book
	in    *rowfile.SheetRows
	width int // number of the columns so far
}

func newSheet(ctx context.Context, in readers, d described) (records, error) {
	b, err := rowfile.OpenWorkbook(ctx, in.file, d.size, "")
	if err != nil {
		return nil, err
	}
	rows, err := b.Rows(ctx, true)
	if err != nil {
		return nil, err
	}
	return &sheetRecords{in, b, rows, len(rows.Header)}, nil
}

func (r *sheetRecords) header() []string { return r.in.Header }

func (r *sheetRecords) next(ctx context.Context) (record, error) {
	row, err := r.in.Next(ctx)
	if err != nil {
		return record{}, r.end(err)
	}
	r.width = max(r.width, len(row)) // cells beyond the header belong to columns without names
	width := r.width
	out := record{line: int(r.in.At), fields: make([]*string, width), kinds: make([]rowfile.Kind, width)}
	for i, v := range row {
		if out.kinds[i] = v.Kind; v.Kind != rowfile.Null {
			s := string(v.Text)
			out.fields[i] = &s
		}
	}
	return out, nil
}

func (r *sheetRecords) Close() error {
	err := r.in.Close()
	if also := r.readers.Close(); err == nil {
		err = also
	}
	return err
}
