//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/csv"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// ImportCSV appends the rows of a document, all or none; docs/import.md has the rules. The document is first copied to a temporary
// file next to the data, so that a slow sender blocks neither other writers nor other processes, and so that it can be read
// twice.
func (p *project) ImportCSV(ctx context.Context, kind, name string, src io.Reader, m engine.Import) (int64, error) {
	c, err := p.conn(ctx)
	if err != nil {
		return 0, err
	}
	_, _, err = c.importTargets(ctx, kind, name, m)
	c.close()
	if err != nil {
		return 0, err
	}
	doc, err := p.spool(ctx, src, m.MaxBytes)
	if err != nil {
		return 0, err
	}
	defer doc.remove()
	if m.Timeout > 0 {
		var over context.CancelFunc
		ctx, over = context.WithTimeoutCause(ctx, m.Timeout, &engine.Error{Kind: engine.KindTimeout, Err: context.DeadlineExceeded,
			Message: fmt.Sprintf("the document was not stored within %s; none of its rows is stored", m.Timeout)})
		defer over()
	}
	if c, err = p.writer(ctx); err != nil {
		return 0, err
	}
	defer c.close()
	done, err := p.startWrite(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	t, targets, err := c.importTargets(ctx, kind, name, m) // the table may have changed while the document arrived
	if err != nil {
		return 0, err
	}
	var rows int64
	err = c.change(ctx, func() error {
		im := &importing{Reader: &importer.Reader{Columns: t.cols, Targets: targets, Header: m.Header}, t: t}
		if err := im.Open(doc.f); err != nil {
			return err
		}
		if im.ids, err = c.nextIDs(ctx, time.Now()); err != nil {
			return err
		}
		if rows, err = c.importRows(ctx, im); err != nil || rows == 0 {
			return err
		}
		return c.keepLastID(ctx, im.ids.last())
	})
	var fault *engine.Error
	if errors.As(err, &fault) && fault.Kind == engine.KindConstraint {
		if dup := c.findDuplicates(ctx, t, targets, m.Header, doc); dup != nil {
			err = dup
		}
	}
	if err != nil {
		return 0, err
	}
	return rows, nil
}

func (c *conn) importTargets(ctx context.Context, kind, name string, m engine.Import) (*table, []importer.Target, error) {
	t, err := c.findTable(ctx, kind, name)
	if err != nil {
		return nil, nil, err
	}
	targets, err := importer.Map(t.name, t.cols, m)
	return t, targets, err
}

// document is the temporary copy of an imported document.
type document struct{ f *os.File }

func (d document) remove() {
	_ = d.f.Close()
	_ = os.Remove(d.f.Name())
}

// patience is how long an import holds the project's lock while its document is received.
const patience = time.Second

// spool copies the document to an unlinked file or, where open files cannot be unlinked, to one that is removed by
// the next opening of the project. While a sender is slow, other processes can use the project.
func (p *project) spool(ctx context.Context, src io.Reader, limit int64) (document, error) {
	dir := filepath.Join(p.dir, spoolDir)
	var f *os.File
	for range 3 { // another process that opens the project may remove the directory in between
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return document{}, err // the project was dropped
		}
		var err error
		if f, err = os.CreateTemp(dir, "import-*.csv"); err == nil {
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return document{}, err
		}
	}
	if f == nil {
		return document{}, engine.ErrDropped
	}
	_ = os.Remove(f.Name())
	d := document{f}
	slow := safely.AfterFunc(patience, p.closeIdle)
	defer slow.Stop()
	buf := make([]byte, csv.Window)
	var size int64
	for {
		n, err := src.Read(buf)
		size += int64(n)
		switch {
		case limit > 0 && size > limit:
			d.remove()
			return d, &engine.Error{Kind: engine.KindLimit, Message: fmt.Sprintf("the document is larger than %d bytes", limit)}
		case ctx.Err() != nil:
			d.remove()
			return d, faults.Ended(ctx, nil)
		}
		if _, werr := f.Write(buf[:n]); werr != nil {
			d.remove()
			if errors.Is(werr, syscall.ENOSPC) {
				return d, faults.DiskFull(werr)
			}
			return d, &engine.Error{Kind: engine.KindInternal, Message: "storing the document: " + werr.Error(), Err: werr}
		}
		if err == io.EOF {
			return d, nil
		}
		if err != nil {
			d.remove()
			return d, fmt.Errorf("reading the document: %w", err)
		}
	}
}

// ended returns why work on the connection must stop, or nil.
func (c *conn) ended(ctx context.Context) error {
	c.mu.Lock()
	killed := c.killed
	c.mu.Unlock()
	if killed != nil {
		return killed
	}
	return faults.Ended(ctx, nil)
}
