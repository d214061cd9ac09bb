package files

import (
	"context"
	"errors"
	"slices"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// mostNative is the number of files of one table that may be open at the same time.
const mostNative = 100

// Native implements engine.Native.
func (t *tableOf) Native(context.Context) ([]engine.NativeFile, error) {
	return t.f.native([]part{{file: t.file, as: t.as}}, t.as.cols)
}

// Native implements engine.Native for files that are not in folders named key=value.
func (t *parted) Native(context.Context) ([]engine.NativeFile, error) {
	if len(t.keys) > 0 {
		return nil, nil
	}
	return t.f.native(t.parts, t.cols)
}

// at is the index of a column in the file, -1 if it has none of the name.
func (p *part) at(name string) int {
	return slices.IndexFunc(p.as.cols, func(c column) bool { return c.Name == name })
}

// native opens the files of a table if all of them are of Parquet, with names that are not changed, and no options
// change how Parquet is read.
func (f *folder) native(parts []part, cols []column) (out []engine.NativeFile, err error) {
	if len(parts) > mostNative || f.opt.Concern(rowfile.Parquet) {
		return nil, nil
	}
	for _, p := range parts {
		if p.as.form.Format != rowfile.Parquet || p.as.form.Packing != rowfile.NotPacked || len(p.as.renamed) > 0 {
			return nil, nil
		}
	}
	for _, p := range parts {
		h, openErr := f.openFile(p.file, p.as)
		if openErr != nil {
			err = &FileError{File: p.file.path, Err: openErr}
			break
		}
		n := engine.NativeFile{File: h, Columns: make([]engine.NativeColumn, len(cols)), Still: func() error {
			if err := p.as.still(h); err != nil {
				return &FileError{File: p.file.path, Err: err}
			}
			return nil
		}}
		n.Sound = func(ctx context.Context, columns []int) bool {
			var at []int
			for _, i := range columns {
				at = append(at, p.at(cols[i].Name))
			}
			r, err := rowfile.Reopen(ctx, h, p.as.size, p.as.form, f.opt)
			return err == nil && r.Sound(at)
		}
		for i, c := range cols {
			if k := p.at(c.Name); k >= 0 && p.as.cols[k].plain && p.as.cols[k].Type == c.Type {
				n.Columns[i] = engine.NativeColumn{Name: c.Name, Bloom: p.as.cols[k].bloom}
			}
		}
		out = append(out, n)
	}
	if err != nil {
		for _, n := range out {
			err = errors.Join(err, n.Close())
		}
		return nil, err
	}
	return out, nil
}
