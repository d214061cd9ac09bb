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
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// ImportCSV appends the rows of a document, all or none; docs/import.md has the rules. The document is first kept in a temporary
// file beside the data, so that a slow sender holds up neither other writers nor other processes, and so that it can be read
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
			Message: fmt.Sprintf("the document was not stored within %s; no row of it was", m.Timeout)})
		defer over()
	}
	if c, err = p.conn(ctx); err != nil {
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
		im := &importer{t: t, targets: targets, header: m.Header}
		if err := im.open(doc); err != nil {
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

func (c *conn) importTargets(ctx context.Context, kind, name string, m engine.Import) (*table, []target, error) {
	t, err := c.findTable(ctx, kind, name)
	if err != nil {
		return nil, nil, err
	}
	targets, err := mapTargets(t, m)
	return t, targets, err
}

// document is the temporary copy of what is imported.
type document struct{ f *os.File }

func (d document) remove() {
	_ = d.f.Close()
	_ = os.Remove(d.f.Name())
}

// patience is how long an import keeps the project's lock while its document arrives.
const patience = time.Second

// spool copies the document into a file without a name or, where a system keeps the names of open files, into one that goes with
// the next opening of the project. A sender that takes its time leaves the project to other processes meanwhile.
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
			return d, ctxError(ctx, nil)
		}
		if _, werr := f.Write(buf[:n]); werr != nil {
			d.remove()
			if errors.Is(werr, syscall.ENOSPC) {
				return d, diskFull(werr)
			}
			return d, &engine.Error{Kind: engine.KindInternal, Message: "keeping the document: " + werr.Error(), Err: werr}
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

// ended says why work on the connection must stop, or nil.
func (c *conn) ended(ctx context.Context) error {
	c.mu.Lock()
	killed := c.killed
	c.mu.Unlock()
	if killed != nil {
		return killed
	}
	return ctxError(ctx, nil)
}

const maxBadCells = 100

// importer turns the records of a document into rows of a table.
type importer struct {
	t       *table
	targets []target
	header  bool
	ids     rowIDs

	csv    *csv.Reader
	width  int      // fields of every record
	names  []string // of the fields, as the header has them
	empty  bool     // no record at all
	queued bool     // the first record is a row and was read
	faults engine.ImportError
	rows   int64
}

// open reads the first record and checks the mapping against it.
func (im *importer) open(doc document) error {
	if _, err := doc.f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	im.csv = csv.NewReader(doc.f, ',', csv.Window)
	err := im.csv.SkipBOM()
	for err == nil { // a blank line is no header
		if err = im.csv.Read(); !im.header || err != nil || len(im.csv.Fields) != 1 || len(im.csv.Fields[0].Text) > 0 || im.csv.Fields[0].Quoted {
			break
		}
	}
	if err == io.EOF {
		im.empty = true
		return nil
	}
	if err != nil {
		return im.formFault(err)
	}
	if im.csv.Broken && im.header {
		return mappingError("the header is not valid UTF-8")
	}
	im.width = len(im.csv.Fields)
	for i, f := range im.csv.Fields {
		if im.header {
			im.names = append(im.names, string(f.Text))
		} else {
			im.names = append(im.names, fmt.Sprintf("#%d", i))
		}
	}
	im.queued = !im.header
	return mapFields(im.targets, im.csv.Fields, im.header)
}

// formFault turns a fault of the document's form into an ImportError with what was found before it.
func (im *importer) formFault(err error) error {
	var form *csv.Error
	if !errors.As(err, &form) {
		return err
	}
	im.bad(engine.BadCell{Line: form.Line, Reason: form.Reason})
	return im.fault()
}

func (im *importer) fault() error {
	if im.faults.Total == 0 {
		return nil
	}
	e := im.faults
	return &e
}

func (im *importer) bad(b engine.BadCell) {
	im.faults.Total++
	if len(im.faults.Cells) < maxBadCells {
		im.faults.Cells = append(im.faults.Cells, b)
	}
}

func (im *importer) badCell(column string, f csv.Field, reason string) {
	im.bad(engine.BadCell{Line: im.csv.Line, Column: column, Value: csv.Clip(f.Text, 1000), Reason: reason})
}

// next reads the next record that is a row. It notes records of a wrong shape and passes over them, and returns io.EOF at the
// end.
func (im *importer) next() error {
	for {
		if im.empty {
			return io.EOF
		}
		if im.queued {
			im.queued = false
		} else if err := im.csv.Read(); err != nil {
			return err
		}
		fields := im.csv.Fields
		switch {
		case len(fields) == 1 && im.width > 1 && len(fields[0].Text) == 0 && !fields[0].Quoted:
			// a blank line holds nothing; in a document of one column it is a NULL
		case len(fields) != im.width:
			im.bad(engine.BadCell{Line: im.csv.Line, Reason: fmt.Sprintf("the record has %d fields, the first one has %d", len(fields), im.width)})
		case im.csv.Broken:
			for i, f := range fields {
				if fault := checkText(f.Text); fault != faultNone {
					im.badCell(im.columnOf(i), f, fault.reason("varchar", ""))
				}
			}
		default:
			return nil
		}
	}
}

// null tells a NULL. In a document of one column, where an empty field is a line that many programs leave out, \N is one too:
// results and exports of one column are written so.
func (im *importer) null(f csv.Field) bool {
	return !f.Quoted && (len(f.Text) == 0 || im.width == 1 && string(f.Text) == `\N`)
}

// columnOf names the table's column that field i fills, or the field when it fills none.
func (im *importer) columnOf(i int) string {
	for _, tg := range im.targets {
		if tg.field == i {
			return im.t.cols[tg.col].Name
		}
	}
	return csv.Clip([]byte(im.names[i]), 100)
}
