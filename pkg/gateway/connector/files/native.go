package files

import (
	"context"
	"errors"

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

// native opens the files of a table if all of them are of Parquet, with names that are not changed.
func (f *folder) native(parts []part, cols []column) (out []engine.NativeFile, err error) {
	if len(parts) > mostNative {
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
		in := make(map[string]column, len(p.as.cols))
		for _, c := range p.as.cols {
			in[c.Name] = c
		}
		for i, c := range cols {
			if own, ok := in[c.Name]; ok && own.plain && own.Type == c.Type {
				n.Columns[i] = engine.NativeColumn{Name: c.Name, Bloom: own.bloom}
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
