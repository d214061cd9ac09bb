package intake

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// Records implements csv.Document: the records of Text, without that text. Only one reader of the document may be open.
func (d *Document) Records(ctx context.Context) (csv.Records, error) {
	text, rows, err := d.begin(ctx)
	switch {
	case err != nil:
		return nil, err
	case rows != nil:
		return rows, nil
	}
	return csv.Begin(text)
}

// Size implements csv.Document.
func (d *Document) Size() int64 { return d.at.Size() }

// Native implements csv.Document, for Parquet with names that are not changed, and no options for its values.
func (d *Document) Native() *csv.Native {
	_, renamed := d.Distinct()
	if d.Format != rowfile.Parquet || d.Packing != rowfile.NotPacked || d.Width < 2 || len(renamed) > 0 ||
		d.opt.Concern(rowfile.Parquet) {
		return nil
	}
	n := &csv.Native{File: d.file, Columns: make([]string, d.Width), Sound: d.Sound, Still: func() error {
		d.made.Store(d.Rows)
		return d.unchanged()
	}}
	for i := range n.Columns {
		if c := d.Declared(i); c.Plain {
			n.Columns[i] = c.Name
		}
	}
	return n
}

// Parts implements csv.Document. In a document of one column a blank line may be a row.
func (d *Document) Parts(rows int64) (out []csv.Part) {
	if d.Width < 2 {
		return nil
	}
	for _, p := range d.File.Parts(rows) {
		out = append(out, csv.Part{Rows: p.Rows, Source: part{d, p}})
	}
	return out
}

// part are some of the rows of a document.
type part struct {
	d *Document
	rowfile.Part
}

func (p part) Records(ctx context.Context) (csv.Records, error) {
	return &records{ctx: ctx, d: p.d, r: p.d.OpenPart(ctx, p.Part)}, nil
}

// begin opens the document to send it: as the text of the file, or else as its rows.
func (d *Document) begin(ctx context.Context) (text io.ReadCloser, rows *records, err error) {
	d.read.Store(0)
	d.made.Store(0)
	d.failed.Store(nil)
	if !d.IsText() {
		rows, err = d.records(ctx)
		return nil, rows, err
	}
	if text, err = d.Raw(ctx); err != nil {
		return nil, nil, err
	}
	return unchanged{text, d}, nil, nil
}

// unchanged reads a text whose end is an error if the file is not as it was.
type unchanged struct {
	io.ReadCloser
	d *Document
}

func (u unchanged) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		if changed := u.d.unchanged(); changed != nil {
			err = changed
		}
	}
	return n, err
}

// records are the rows of a file as records, after one of their names.
type records struct {
	csv.Record
	ctx    context.Context
	d      *Document
	r      rowfile.Rows
	header bool // is next
}

func (d *Document) records(ctx context.Context) (*records, error) {
	d.Loose = true
	defer func() { d.Loose = false }()
	r, err := d.File.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &records{ctx: ctx, d: d, r: r, header: d.Header != nil}, nil
}

func (r *records) Close() error { return r.r.Close() }

// Read implements csv.Records.
func (r *records) Read() error {
	r.Fields, r.Broken = r.Fields[:0], false
	if r.header {
		r.Line = 1
		for _, name := range r.d.Header {
			r.add([]byte(name), name == "")
		}
		r.header = false
		return nil
	}
	row, err := r.r.Next(r.ctx)
	r.d.made.Add(1)
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if err != nil {
		if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			r.d.failed.Store(&err)
		}
		return fmt.Errorf("%s: %w", r.d.Path, err)
	}
	r.Line = r.r.At()
	width := len(row)
	if r.d.Format != rowfile.CSV || r.d.opt.Widens() {
		width = max(width, r.d.Width)
	}
	size := 0
	for i := range width {
		typed := i < len(r.d.typed) && r.d.typed[i]
		if i >= len(row) || row[i].Kind == infer.Null || len(row[i].Text) == 0 && typed {
			r.Fields = append(r.Fields, csv.Field{})
			continue
		}
		text := row[i].Text
		if !typed {
			text = row[i].AsText()
		}
		size += len(text)
		r.add(text, row[i].Kind > infer.Number || len(text) == 0)
	}
	if size > csv.MaxRecord {
		return &csv.Error{Line: r.Line, Reason: fmt.Sprintf("the record is longer than %d bytes", csv.MaxRecord)}
	}
	return nil
}

// add adds a field that is not NULL. Those of rows of Parquet were checked when they were read.
func (r *records) add(text []byte, quoted bool) {
	r.Fields = append(r.Fields, csv.Field{Text: text, Quoted: quoted})
	r.Broken = r.Broken || (r.header || r.d.Format != rowfile.Parquet) && infer.CheckText(text) != nil
}
