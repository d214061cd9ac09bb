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

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// ImportCSV appends the rows of a document, all or none; docs/import.md has the rules. The document is first copied to
// a temporary file next to the data, so that a slow sender blocks neither other writers nor other processes, and so
// that it can be read twice. Its rows are then prepared in a stage.
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
		ctx, over = context.WithTimeoutCause(ctx, m.Timeout, &engine.Error{Kind: engine.KindTimeout,
			Err:     context.DeadlineExceeded,
			Message: fmt.Sprintf("the document was not stored within %s; none of its rows is stored", m.Timeout)})
		defer over()
	}
	for range stageTries {
		if doc.size < stagedFrom {
			break
		}
		rows, again, err := p.importStaged(ctx, kind, name, m, doc)
		if !again {
			return rows, err
		}
	}
	return p.importDirect(ctx, kind, name, m, doc)
}

// stageTries is how often the rows of a document are prepared for a table whose columns change meanwhile.
const stageTries = 3

// importStaged prepares the rows before it excludes other writers. again is set if the table was changed meanwhile;
// nothing is stored then.
func (p *project) importStaged(ctx context.Context, kind, name string, m engine.Import,
	doc document) (rows int64, again bool, err error) {
	c, err := p.conn(ctx)
	if err != nil {
		return 0, false, err
	}
	t, targets, err := c.importTargets(ctx, kind, name, m)
	c.close()
	if err != nil {
		return 0, false, err
	}
	st, err := p.stageRows(ctx, t, targets, m, doc)
	if err != nil {
		return 0, false, err
	}
	defer st.done()
	err = p.change(ctx, func(c *conn) error {
		now, err := c.findTable(ctx, kind, name)
		if err != nil {
			return err
		}
		if again = !st.fits(now); again {
			return nil
		}
		if rows, stored, err := c.findImport(ctx, m.ID); err != nil || stored { // sent again
			st.rows = rows
			return err
		}
		if err := st.move(ctx, c); err != nil {
			return err
		}
		return c.keepImport(ctx, m.ID, st.rows)
	}, st.stage)
	if err == nil {
		return st.rows, again, nil
	}
	return 0, false, p.duplicates(ctx, t, targets, m, doc, err)
}

// importDirect reads the document while it excludes other writers.
func (p *project) importDirect(ctx context.Context, kind, name string, m engine.Import,
	doc document) (rows int64, err error) {
	var t *table
	var targets []importer.Target
	err = p.change(ctx, func(c *conn) error {
		var stored bool
		if rows, stored, err = c.findImport(ctx, m.ID); err != nil || stored { // sent again
			return err
		}
		// the table may have changed while the document arrived
		if t, targets, err = c.importTargets(ctx, kind, name, m); err != nil {
			return err
		}
		im := &importing{Reader: &importer.Reader{Columns: t.cols, Targets: targets, Header: m.Header}, t: t}
		if err := im.Open(doc.f); err != nil {
			return err
		}
		ids, err := c.nextIDs(ctx, time.Now())
		if err != nil {
			return err
		}
		im.id = ids.next
		if rows, err = c.importRows(ctx, im); err != nil || rows == 0 {
			return err
		}
		if err := c.keepLastID(ctx, ids.last()); err != nil {
			return err
		}
		return c.keepImport(ctx, m.ID, rows)
	})
	if err != nil {
		return 0, p.duplicates(ctx, t, targets, m, doc, err)
	}
	return rows, nil
}

// duplicates explains the violation of a unique constraint, while other writers can work. It returns other errors
// unchanged.
func (p *project) duplicates(ctx context.Context, t *table, targets []importer.Target, m engine.Import, doc document,
	err error) error {
	var fault *engine.Error
	if !errors.As(err, &fault) || fault.Kind != engine.KindConstraint {
		return err
	}
	c, cerr := p.conn(ctx)
	if cerr != nil {
		return err
	}
	defer c.close()
	if dup := c.findDuplicates(ctx, t, targets, m.Header, doc); dup != nil {
		return dup
	}
	return err
}

func (c *conn) importTargets(ctx context.Context, kind, name string,
	m engine.Import) (*table, []importer.Target, error) {
	t, err := c.findTable(ctx, kind, name)
	if err != nil {
		return nil, nil, err
	}
	targets, err := importer.Map(t.name, t.cols, m)
	return t, targets, err
}

// document is the temporary copy of an imported document.
type document struct {
	f    *tempfile.Unnamed
	size int64
}

func (d document) remove() { _ = d.f.Close() }

// patience is how long an import holds the project's lock while its document is received.
const patience = time.Second

// spool copies the document to an unnamed file or, where open files need a name, to one that the next opening of the
// project removes after a crash. While a sender is slow, other processes can use the project.
func (p *project) spool(ctx context.Context, src io.Reader, limit int64) (document, error) {
	dir := filepath.Join(p.dir, spoolDir)
	var f *tempfile.Unnamed
	for range 3 { // another process that opens the project may remove the directory in between
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return document{}, err // the project was dropped
		}
		var err error
		if f, err = tempfile.CreateUnnamed(dir, "import-*.csv"); err == nil {
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return document{}, err
		}
	}
	if f == nil {
		return document{}, engine.ErrDropped
	}
	d := document{f: f}
	slow := safely.AfterFunc(patience, p.closeIdle)
	defer slow.Stop()
	buf := make([]byte, csv.Window)
	for {
		n, err := src.Read(buf)
		d.size += int64(n)
		switch {
		case limit > 0 && d.size > limit:
			d.remove()
			return d, &engine.Error{Kind: engine.KindLimit, Message: fmt.Sprintf("the document is larger than %d bytes",
				limit)}
		case ctx.Err() != nil:
			d.remove()
			return d, engine.Ended(ctx, nil)
		}
		if _, werr := f.Write(buf[:n]); werr != nil {
			d.remove()
			if errors.Is(werr, syscall.ENOSPC) {
				return d, faults.DiskFull(werr)
			}
			return d, &engine.Error{Kind: engine.KindInternal, Message: "storing the document: " + werr.Error(),
				Err: werr}
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
	return engine.Ended(ctx, nil)
}
