package files

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// noteworthy is the minimum size of a file for which results are stored for other processes.
const noteworthy = 256 << 10

// maxColumns is the number of columns of a file: statements over more take minutes to plan, which cannot be
// interrupted.
const maxColumns = csv.MaxFields

// learn determines the contents of a file, unless they are known and the file has not changed. With guess it may do so
// by the beginning of the file.
func (f *folder) learn(ctx context.Context, r *place, t file, guess bool) (described, error) {
	info, err := r.stat(t.path)
	if err == nil {
		err = f.own.Refuse(r.held, info)
	}
	if err != nil {
		return described{}, &FileError{File: t.path, Err: Bare(err)}
	}
	stamp, settled := connector.StampOf(info, f.now())
	f.mu.Lock()
	d, ok := f.known[t.path]
	f.mu.Unlock()
	if ok && d.stamp == stamp {
		return d, nil
	}
	d = described{stamp: stamp, size: info.Size(), at: info.ModTime()}
	about := fmt.Sprintf("files 9 %s %d%s", filepath.Join(f.dir, t.path), f.opt.Way, f.opt.Text())
	worthy := settled && d.size >= noteworthy && t.ending != string(rowfile.Parquet)
	if !worthy || !f.recall(about, &d) {
		err := r.describe(ctx, t, &d, guess)
		if err == nil && len(d.cols) > maxColumns {
			err = fmt.Errorf("it has %d columns, more than %d", len(d.cols), maxColumns)
		}
		if err != nil {
			return d, &FileError{File: t.path, Err: err}
		}
		if worthy && !d.guessed && d.form.Format != rowfile.Parquet {
			f.keep(about, d)
		}
	}
	if settled && !d.guessed {
		f.mu.Lock()
		f.known[t.path] = d
		f.mu.Unlock()
	}
	return d, nil
}

// noted is the stored form of described.
type noted struct {
	Columns []engine.ColumnInfo
	Fields  []int
	Guesses []infer.Column
	Rows    int64
	Form    rowfile.Form
	Remarks []string
	Renamed []string
}

func (f *folder) recall(about string, d *described) bool {
	var n noted
	if !f.notes.Read(about, d.stamp, &n) || len(n.Columns) != len(n.Fields) || len(n.Columns) != len(n.Guesses) {
		return false
	}
	d.guesses, d.rows, d.form, d.remarks, d.renamed = n.Guesses, n.Rows, n.Form, n.Remarks, n.Renamed
	for i, c := range n.Columns {
		d.cols = append(d.cols, column{ColumnInfo: c, at: n.Fields[i]})
	}
	return true
}

func (f *folder) keep(about string, d described) {
	n := noted{Guesses: d.guesses, Rows: d.rows, Form: d.form, Remarks: d.remarks, Renamed: d.renamed}
	for _, c := range d.cols {
		n.Columns, n.Fields = append(n.Columns, c.ColumnInfo), append(n.Fields, c.at)
	}
	f.notes.Write(about, d.stamp, n)
}
