//go:build cgo

package tables

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// importing is an import into a table.
type importing struct {
	*importer.Reader
	t    *table
	m    engine.Import
	doc  csv.Document
	ids  *importer.RowIDs // the last one, nil where rows are numbered from 0
	rows int64
}

func newImporting(t *table, targets []importer.Target, m engine.Import, doc csv.Document) *importing {
	return &importing{Reader: &importer.Reader{Columns: t.cols, Targets: targets, Header: m.Header,
		Key: m.Key}, t: t, m: m, doc: doc}
}

// importRows appends all rows of the document to a table within the transaction. One goroutine reads and checks,
// this one inserts, unless the engine reads the document itself.
func (c conn) importRows(ctx context.Context, im *importing, into string) (int64, error) {
	for _, way := range []func(context.Context, *importing, string) (bool, error){c.importNative, c.importParts} {
		if read, err := way(ctx, im, into); read || err != nil {
			return im.rows, err
		}
	}
	const inFlight = 3
	free, ready := make(chan *values.Chunk, inFlight), make(chan *values.Chunk, inFlight)
	for range inFlight {
		b := openBatch(im.t)
		defer b.Destroy()
		free <- b
	}
	f := c.newFeed(naming.StoredTable(im.t.kind, into), im.t.cols, ready, free)
	defer f.close()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	readErr := make(chan error, 1)
	safely.Go(func() {
		defer close(ready)
		readErr <- safely.Try(func() error {
			return im.With(ctx, im.doc, func() error { return im.fillAll(ctx, free, ready) })
		})
	})
	failed := f.insert(ctx)
	if failed != nil {
		cancel()
	}
	for b := range ready {
		free <- b
	}
	err := <-readErr
	switch {
	case failed != nil:
		return 0, failed
	case err != nil:
		if end := c.Ended(ctx); end != nil {
			err = end
		}
		return 0, err
	}
	return im.rows, nil
}

// fillAll fills batches until the document ends. After the first bad cell no more rows are appended, but the rest is
// checked.
func (im *importing) fillAll(ctx context.Context, free, ready chan *values.Chunk) error {
	fill := importer.FilledBy(time.Now(), im.t.cols, im.Targets)
	for {
		var b *values.Chunk
		select {
		case b = <-free:
		case <-ctx.Done():
			return engine.Ended(ctx, nil)
		}
		b.Reset()
		err := im.fillBatch(b, fill)
		if err != nil && err != io.EOF {
			return im.FormFault(err)
		}
		if im.Fault() != nil {
			if err == io.EOF {
				return im.Fault()
			}
			free <- b
			continue
		}
		if b.N > 0 {
			im.rows += int64(b.N)
			ready <- b
		}
		if err == io.EOF {
			return nil
		}
	}
}

// fillBatch reads rows until the batch is full; io.EOF is the end of the document.
func (im *importing) fillBatch(b *values.Chunk, fill []importer.Filled) error {
	type sink struct {
		col   *values.ChunkColumn
		meta  *engine.Column
		field int
		parse cells.Parser
	}
	sinks := make([]sink, len(im.Targets))
	for i, tg := range im.Targets {
		meta := &im.t.cols[tg.Col]
		sinks[i] = sink{&b.Cols[tg.Col], meta, tg.Field, cells.ParserOf(meta.Type)}
	}
	var end error
	for !b.Full() {
		if end = im.Next(); end != nil {
			break
		}
		for i := range sinks {
			s := &sinks[i]
			f := im.Field(s.field)
			switch {
			case im.Null(f):
				im.NoValue(s.meta, f)
				s.col.SetNull(b.N)
			case s.parse == nil:
				s.col.SetText(b.N, f.Text)
			default:
				v, fault := s.parse(f.Text)
				if fault != cells.None {
					im.Misfit(s.meta, f, fault)
				}
				s.col.Set(b.N, v)
			}
		}
		b.N++
	}
	for r := range b.N {
		id := im.rows + int64(r)
		if im.ids != nil {
			id = im.ids.Next()
		}
		b.Cols[0].Set(r, cells.Cell{Lo: uint64(id)})
	}
	for _, f := range fill {
		col := &b.Cols[f.Column]
		for r := range b.N {
			switch {
			case f.Null:
				col.SetNull(r)
			case im.t.cols[f.Column].Type == "varchar":
				col.SetText(r, f.Text)
			default:
				col.Set(r, f.Value)
			}
		}
	}
	return end
}

// nextIDs continues after the last id that was generated.
func (c conn) nextIDs(ctx context.Context, now time.Time) (importer.RowIDs, error) {
	last := int64(0)
	err := c.Query(ctx, `SELECT max(last) FROM `+digTable("counter"), nil, func(v []*string) (err error) {
		if v[0] != nil {
			last, err = strconv.ParseInt(*v[0], 10, 64)
		}
		return err
	})
	return importer.IDsAfter(last, now), err
}

func (c conn) keepLastID(ctx context.Context, last int64) error {
	n, err := c.Exec(ctx, `UPDATE `+digTable("counter")+` SET last = ?`, last)
	if err == nil && n == 0 {
		_, err = c.Exec(ctx, `INSERT INTO `+digTable("counter")+` VALUES (?)`, last)
	}
	return err
}

// findDuplicates explains the violation of a unique constraint: which lines of the document have a value twice, or one
// that is stored. It reads the document again and compares in the engine, which can spill to disk.
func (c conn) findDuplicates(ctx context.Context, im *importing) error {
	faults := &engine.ImportError{}
	for _, i := range importer.UniqueColumns(im.t.cols) {
		of, ok, err := importer.UniqueTarget(im.t.cols, im.Targets, i)
		if ok {
			err = c.duplicatesOf(ctx, im, of, faults)
		}
		if err != nil {
			return err
		}
	}
	if faults.Total == 0 {
		return nil
	}
	return faults
}

func (c conn) duplicatesOf(ctx context.Context, in *importing, of importer.Target,
	faults *engine.ImportError) error {
	t := in.t
	col := t.cols[of.Col]
	old := t.sql() + ` WHERE `
	if in.m.Mode == api.ImportReplace { // those rows are not stored any more
		old += `false AND `
	}
	if _, err := c.Exec(ctx, `CREATE OR REPLACE TEMP TABLE given (v `+sqlType(col.Type)+`, line BIGINT)`); err != nil {
		return err
	}
	defer func() { _, _ = c.Exec(context.WithoutCancel(ctx), `DROP TABLE IF EXISTS temp.main.given`) }()
	im := newImporting(t, []importer.Target{of}, in.m, in.doc)
	if err := im.With(ctx, in.doc, func() error { return c.loadGiven(ctx, im) }); err != nil {
		return err
	}
	name := sqltext.Quote(col.Name)
	counted := false
	return c.Query(ctx,
		`WITH twice AS (SELECT v, min(line) AS f FROM temp.main.given WHERE v IS NOT NULL GROUP BY v HAVING count(*) > 1),
			old AS (SELECT DISTINCT `+name+` AS v FROM `+old+name+` IS NOT NULL)
		SELECT CAST(g.v AS VARCHAR), g.line, twice.f, old.v IS NOT NULL, count(*) OVER () FROM temp.main.given g
			LEFT JOIN twice ON g.v = twice.v AND g.line > twice.f LEFT JOIN old ON g.v = old.v
		WHERE twice.f IS NOT NULL OR old.v IS NOT NULL ORDER BY g.line LIMIT `+strconv.Itoa(importer.MaxBadCells), nil,
		func(v []*string) error {
			line, err1 := strconv.ParseInt(*v[1], 10, 64)
			total, err2 := strconv.ParseInt(*v[4], 10, 64)
			first, err3 := int64(0), error(nil)
			if *v[3] != "true" {
				first, err3 = strconv.ParseInt(*v[2], 10, 64)
			}
			if !counted {
				counted = true
				faults.Total += total
			}
			if len(faults.Cells) < importer.MaxBadCells {
				faults.Cells = append(faults.Cells, importer.Duplicate(line, col.Name, []byte(*v[0]), first))
			}
			return errors.Join(err1, err2, err3)
		})
}

// loadGiven fills the temporary table with one column's values and their lines.
func (c conn) loadGiven(ctx context.Context, im *importing) error {
	typ := im.t.cols[im.Targets[0].Col].Type
	ap, err := c.openAppenderIn("temp", "main", "given")
	if err != nil {
		return err
	}
	defer ap.destroy()
	b := values.NewChunk([]string{typ, "bigint"})
	defer b.Destroy()
	parse := cells.ParserOf(typ)
	for {
		end := im.Next()
		if end != nil && end != io.EOF {
			return im.FormFault(end)
		}
		if b.N > 0 && (end != nil || b.Full()) {
			if err := c.Ended(ctx); err != nil {
				return err
			}
			if err := ap.append(b); err != nil {
				return err
			}
			b.Reset()
		}
		if end != nil {
			return ap.finish()
		}
		f := im.Field(im.Targets[0].Field)
		switch {
		case im.Null(f):
			continue
		case parse == nil:
			b.Cols[0].SetText(b.N, f.Text)
		default:
			v, _ := parse(f.Text)
			b.Cols[0].Set(b.N, v)
		}
		b.Cols[1].Set(b.N, cells.Cell{Lo: uint64(im.Line())})
		b.N++
	}
}
