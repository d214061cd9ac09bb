//go:build cgo

package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"time"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
)

// ImportCSV stores the rows of a document, all or none; docs/import.md has the rules. A document that arrives is first
// copied to a temporary file next to the data, so that a slow sender blocks neither other writers nor other processes,
// and so that it can be read twice.
func (p Tables) ImportCSV(ctx context.Context, kind, name string, src io.Reader,
	m engine.Import) (engine.Imported, error) {
	c, err := p.conn(ctx)
	if err != nil {
		return engine.Imported{}, err
	}
	_, _, err = c.importTargets(ctx, kind, name, m)
	c.Close()
	if err != nil {
		return engine.Imported{}, err
	}
	doc := m.Document
	if doc == nil {
		spooled, err := p.files.Spool(ctx, src, m.MaxBytes)
		if err != nil {
			return engine.Imported{}, err
		}
		defer spooled.Remove()
		doc = spooled
	}
	if m.Timeout > 0 {
		var over context.CancelFunc
		ctx, over = context.WithTimeoutCause(ctx, m.Timeout, &engine.Error{Kind: engine.KindTimeout,
			Err:     context.DeadlineExceeded,
			Message: fmt.Sprintf("the document was not stored within %s; none of its rows is stored", m.Timeout)})
		defer over()
	}
	for types := map[string]string{}; ; {
		done, err := p.importDocument(ctx, kind, name, m, doc, types)
		if native := (*nativeError)(nil); errors.As(err, &native) && engine.Ended(ctx, nil) == nil {
			doc = byRecords{doc}
			continue
		}
		var wider *importer.WiderError
		if !errors.As(err, &wider) {
			return done, err
		}
		maps.Copy(types, wider.Types)
	}
}

// importDocument imports a document into columns that have at least the given types.
func (p Tables) importDocument(ctx context.Context, kind, name string, m engine.Import, doc csv.Document,
	types map[string]string) (engine.Imported, error) {
	for range stageTries {
		if doc.Size() < stagedFrom || m.Document != nil && p.files.Apart() {
			break
		}
		done, again, err := p.importStaged(ctx, kind, name, m, doc, types)
		if !again {
			return done, err
		}
	}
	return p.importDirect(ctx, kind, name, m, doc, types)
}

// stageTries is how often the rows of a document are prepared for a table whose columns change meanwhile.
const stageTries = 3

// importStaged prepares the rows before it excludes other writers. again is set if the table was changed meanwhile;
// nothing is stored then.
func (p Tables) importStaged(ctx context.Context, kind, name string, m engine.Import, doc csv.Document,
	types map[string]string) (done engine.Imported, again bool, err error) {
	c, err := p.conn(ctx)
	if err != nil {
		return done, false, err
	}
	t, targets, err := c.importTargets(ctx, kind, name, m)
	c.Close()
	if err != nil {
		return done, false, err
	}
	im := newImporting(t.widened(types), targets, m, doc)
	st, err := p.stageRows(ctx, t, im)
	if err != nil {
		return done, false, err
	}
	defer st.Done()
	err = p.change(ctx, func(c conn) error {
		now, err := c.findTable(ctx, kind, name)
		if err != nil {
			return err
		}
		if again = !st.fits(now); again {
			return nil
		}
		if rows, stored, err := c.findImport(ctx, m.ID); err != nil || stored { // sent again
			done = engine.Imported{Rows: rows, Again: true}
			return err
		}
		if err := c.widen(ctx, now, types); err != nil {
			return err
		}
		if done, err = st.move(ctx, commit{c, im}); err != nil {
			return err
		}
		return c.keepImport(ctx, m.ID, done.Rows)
	}, st.Stage)
	if err == nil {
		return done, again, nil
	}
	return engine.Imported{}, false, p.duplicates(ctx, im, err)
}

// importDirect reads the document while it excludes other writers.
func (p Tables) importDirect(ctx context.Context, kind, name string, m engine.Import, doc csv.Document,
	types map[string]string) (done engine.Imported, err error) {
	var im *importing
	err = p.change(ctx, func(c conn) error {
		rows, stored, err := c.findImport(ctx, m.ID)
		if err != nil || stored { // sent again
			done = engine.Imported{Rows: rows, Again: true}
			return err
		}
		// the table may have changed while the document arrived
		t, targets, err := c.importTargets(ctx, kind, name, m)
		if err != nil {
			return err
		}
		if err := c.widen(ctx, t, types); err != nil {
			return err
		}
		im = newImporting(t.widened(types), targets, m, doc)
		ids, err := c.nextIDs(ctx, time.Now())
		if err != nil {
			return err
		}
		im.ids = &ids
		into, err := commit{c, im}.begin(ctx)
		if err != nil {
			return err
		}
		if rows, err = c.importRows(ctx, im, into); err != nil {
			return err
		}
		if done, err = (commit{c, im}).end(ctx, into, rows); err != nil || rows == 0 {
			return err
		}
		if err := c.keepLastID(ctx, ids.Last()); err != nil {
			return err
		}
		return c.keepImport(ctx, m.ID, rows)
	})
	if err != nil {
		return engine.Imported{}, p.duplicates(ctx, im, err)
	}
	return done, nil
}

// duplicates explains the violation of a unique constraint, while other writers can work. It returns other errors
// unchanged.
func (p Tables) duplicates(ctx context.Context, im *importing, err error) error {
	var fault *engine.Error
	// DuckDB names the value, which is enough where the stored rows change as well
	if !errors.As(err, &fault) || fault.Kind != engine.KindConstraint || im.m.Mode == api.ImportUpsert {
		return err
	}
	c, cerr := p.conn(ctx)
	if cerr != nil {
		return err
	}
	defer c.Close()
	if dup := c.findDuplicates(ctx, im); dup != nil {
		return dup
	}
	return err
}

func (c conn) importTargets(ctx context.Context, kind, name string,
	m engine.Import) (*table, []importer.Target, error) {
	t, err := c.findTable(ctx, kind, name)
	if err != nil {
		return nil, nil, err
	}
	targets, err := importer.Map(t.name, t.cols, m)
	return t, targets, err
}

// importsKept is how many imports are known by their ids.
const importsKept = 1000

// keepImport records an import in the transaction that stores its rows: whether these are stored can then be told when
// the reply is lost.
func (c conn) keepImport(ctx context.Context, id string, rows int64) error {
	if id == "" || rows == 0 {
		return nil
	}
	if _, err := c.Exec(ctx, `CREATE TABLE IF NOT EXISTS `+digTable("imports")+
		` (id VARCHAR NOT NULL, stored BIGINT NOT NULL, micros BIGINT NOT NULL)`); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, `INSERT INTO `+digTable("imports")+` VALUES (?, ?, ?)`, id, rows,
		time.Now().UnixMicro()); err != nil {
		return err
	}
	_, err := c.Exec(ctx, `DELETE FROM `+digTable("imports")+` WHERE micros < (SELECT micros FROM `+digTable("imports")+
		` ORDER BY micros DESC LIMIT 1 OFFSET `+strconv.Itoa(importsKept-1)+`)`)
	return err
}

// FindImport implements engine.Tables.
func (p Tables) FindImport(ctx context.Context, id string) (rows int64, stored bool, err error) {
	c, err := p.conn(ctx)
	if err != nil {
		return 0, false, err
	}
	defer c.Close()
	return c.findImport(ctx, id)
}

func (c conn) findImport(ctx context.Context, id string) (rows int64, stored bool, err error) {
	if id == "" {
		return 0, false, nil
	}
	if has, err := c.HasStored(ctx, digSchema, "imports"); err != nil || !has {
		return 0, false, err
	}
	err = c.Query(ctx, `SELECT stored FROM `+digTable("imports")+` WHERE id = ?`, []any{id}, func(v []*string) error {
		stored = true
		rows, err = strconv.ParseInt(*v[0], 10, 64)
		return err
	})
	return rows, stored, err
}
