package sources

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/connector/files"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// File opens a file, or the files that a pattern matches as one table, with the rules of the connector for folders. The
// path is absolute.
func (s *Service) File(ctx context.Context, path string) (engine.Scanner, error) {
	_, err := os.Stat(path)
	if err == nil {
		return s.oneFile(ctx, path)
	}
	if !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(path, "*?[") {
		return nil, files.Bare(err)
	}
	all, err := filepath.Glob(path)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New("no file matches")
	}
	slices.Sort(all)
	joined := &filesAsOne{}
	for _, p := range all {
		one, err := s.oneFile(ctx, p)
		if err == nil {
			err = joined.add(ctx, p, one)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(p), err)
		}
	}
	return joined, nil
}

func (s *Service) oneFile(ctx context.Context, path string) (engine.Scanner, error) {
	path, err := filepath.EvalSymlinks(path) // the connector does not follow links out of a folder
	if err != nil {
		return nil, files.Bare(err)
	}
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return nil, errors.New("not a file")
	}
	name := filepath.Base(path)
	table, ok := files.TableOf(name)
	if !ok {
		return nil, errors.New("not a CSV, TSV, JSON, ndjson or Parquet file by its name; `dig table import` reads workbooks and others")
	}
	pattern := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
	c, err := files.Type().Open(connector.Credential{"path": filepath.Dir(path), "pattern": pattern}, s.Reach(nil))
	if err != nil {
		return nil, err
	}
	scan, err := c.Table(ctx, "files", table)
	if errors.Is(err, connector.ErrNoTable) || errors.Is(err, connector.ErrOwn) {
		err = errors.New("not a file that a statement may read")
	}
	return scan, err
}

// filesAsOne reads files with the same columns one after another.
type filesAsOne struct {
	cols  []engine.ColumnInfo
	files []engine.Scanner
	first string
}

func (f *filesAsOne) add(ctx context.Context, path string, one engine.Scanner) error {
	cols, err := one.Columns(ctx)
	if err != nil {
		return err
	}
	if f.files = append(f.files, one); len(f.files) == 1 {
		f.cols, f.first = slices.Clone(cols), filepath.Base(path)
		return nil
	}
	if len(cols) != len(f.cols) {
		return fmt.Errorf("it has %d columns, and %s has %d", len(cols), f.first, len(f.cols))
	}
	for i, c := range cols {
		switch at := slices.IndexFunc(f.cols, func(o engine.ColumnInfo) bool { return o.Name == c.Name }); {
		case at < 0:
			return fmt.Errorf("%s has no column %q", f.first, c.Name)
		case f.cols[at].Type != c.Type:
			return fmt.Errorf("its column %q is %s, and that of %s is %s", c.Name, c.Type, f.first, f.cols[at].Type)
		default:
			f.cols[at].Nullable = f.cols[at].Nullable || cols[i].Nullable
		}
	}
	return nil
}

func (f *filesAsOne) Columns(context.Context) ([]engine.ColumnInfo, error) { return f.cols, nil }

// Scan leaves filters, and with them the limit, to the engine.
func (f *filesAsOne) Scan(_ context.Context, req engine.ScanRequest) (engine.Batches, error) {
	if len(req.Filters) > 0 {
		req.Limit = -1
	}
	return &batchesAsOne{files: f.files, req: req}, nil
}

type batchesAsOne struct {
	files []engine.Scanner
	req   engine.ScanRequest
	open  engine.Batches
}

func (b *batchesAsOne) Next(ctx context.Context) ([][]any, error) {
	for {
		if b.open == nil {
			if len(b.files) == 0 {
				return nil, io.EOF
			}
			var err error
			if b.open, err = b.files[0].Scan(ctx, b.req); err != nil {
				return nil, err
			}
			b.files = b.files[1:]
		}
		rows, err := b.open.Next(ctx)
		if err == nil || !errors.Is(err, io.EOF) {
			return rows, err
		}
		err = b.open.Close()
		if b.open = nil; err != nil {
			return nil, err
		}
	}
}

func (b *batchesAsOne) Close() error {
	if b.open == nil {
		return nil
	}
	return b.open.Close()
}
