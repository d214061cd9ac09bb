//go:build cgo

package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
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
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// importing is an import into a table.
type importing struct {
	*importer.Reader
	t    *table
	m    engine.Import
	doc  csv.Document
	id   func() int64 // the next one
	rows int64
}

func newImporting(t *table, targets []importer.Target, m engine.Import, doc csv.Document) *importing {
	return &importing{Reader: &importer.Reader{Columns: t.cols, Targets: targets, Header: m.Header}, t: t, m: m,
		doc: doc}
}

// importRows appends all rows of the document to a table within the transaction. One goroutine reads and checks,
// this one inserts.
func (c conn) importRows(ctx context.Context, im *importing, into string) (int64, error) {
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
	fill := im.plan(time.Now())
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

// filler fills the columns that are not in the document.
type filler struct {
	col    int
	isNull bool
	value  cells.Cell
	text   []byte
}

// plan chooses the values of columns without a field: system columns and defaults [C].
func (im *importing) plan(now time.Time) []filler {
	mapped := map[int]bool{}
	for _, tg := range im.Targets {
		mapped[tg.Col] = true
	}
	var out []filler
	for i, col := range im.t.cols {
		f := filler{col: i}
		switch {
		case mapped[i] || col.Name == "_id":
			continue
		case col.Type == tabledef.Instant:
			f.value.Lo = uint64(now.UnixMicro())
		case col.System && col.Type == "bigint":
			f.value.Lo = 1
		case col.Name == "_operation":
			f.text = []byte("INSERT")
		case col.DefaultValue == nil:
			f.isNull = true
		case col.Type == "varchar":
			f.text = []byte(*col.DefaultValue)
		default:
			f.value, _ = cells.ParserOf(col.Type)([]byte(*col.DefaultValue))
		}
		out = append(out, f)
	}
	return out
}

// fillBatch reads rows until the batch is full; io.EOF is the end of the document.
func (im *importing) fillBatch(b *values.Chunk, fill []filler) error {
	type sink struct {
		col   *values.ChunkColumn
		meta  *engine.Column
		field int
		parse cells.Parser
		key   bool
	}
	sinks := make([]sink, len(im.Targets))
	for i, tg := range im.Targets {
		meta := &im.t.cols[tg.Col]
		sinks[i] = sink{&b.Cols[tg.Col], meta, tg.Field, cells.ParserOf(meta.Type),
			slices.ContainsFunc(im.m.Key, func(name string) bool { return tabledef.SameName(name, meta.Name) })}
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
				if s.key {
					im.BadCell(s.meta.Name, f, fmt.Sprintf(`null value in column "%s", which is part of the key`,
						s.meta.Name))
				} else if s.meta.NotNull {
					im.BadCell(s.meta.Name, f, fmt.Sprintf(`null value in column "%s" violates not-null constraint`,
						s.meta.Name))
				}
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
	id := &b.Cols[0]
	for r := range b.N {
		id.Set(r, cells.Cell{Lo: uint64(im.id())})
	}
	for _, f := range fill {
		col := &b.Cols[f.col]
		for r := range b.N {
			switch {
			case f.isNull:
				col.SetNull(r)
			case im.t.cols[f.col].Type == "varchar":
				col.SetText(r, f.text)
			default:
				col.Set(r, f.value)
			}
		}
	}
	return end
}

// rowIDs generates the _id of rows: (milliseconds since 2022-01-01 UTC) << 23 | shard << 10 | sequence, 18 to 19 digits
// in order of time as in the hosted service [C][I]. The last one is stored in the file, so that no id is generated
// twice although rows come faster than 1024 a millisecond, clocks go back and tables are dropped.
type rowIDs struct{ ms, seq int64 }

const (
	rowIDEpoch = 1640995200000 // 2022-01-01 UTC in Unix milliseconds
	rowIDShard = 1
)

func (r *rowIDs) next() int64 {
	if r.seq++; r.seq == 1<<10 {
		r.ms, r.seq = r.ms+1, 0
	}
	return r.last()
}

func (r *rowIDs) last() int64 { return r.ms<<23 | rowIDShard<<10 | r.seq }

// nextIDs continues after the last id that was generated.
func (c conn) nextIDs(ctx context.Context, now time.Time) (rowIDs, error) {
	ids := rowIDs{ms: now.UnixMilli() - rowIDEpoch, seq: -1}
	err := c.Query(ctx, `SELECT max(last) FROM `+digTable("counter"), nil, func(v []*string) error {
		if v[0] == nil {
			return nil
		}
		last, err := strconv.ParseInt(*v[0], 10, 64)
		if ms := last >> 23; err == nil && ms >= ids.ms {
			ids = rowIDs{ms: ms, seq: last & (1<<10 - 1)}
		}
		return err
	})
	return ids, err
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
	for i, col := range im.t.cols {
		if !col.Unique || col.System {
			continue
		}
		var of *importer.Target
		for k := range im.Targets {
			if im.Targets[k].Col == i {
				of = &im.Targets[k]
			}
		}
		if of == nil {
			if col.DefaultValue != nil {
				return importer.MappingError("column %q is unique and not mapped: more than one row would hold its "+
					"default value %q", col.Name, *col.DefaultValue)
			}
			continue
		}
		if err := c.duplicatesOf(ctx, im, *of, faults); err != nil {
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
			reason, first, err3 := `duplicate key value violates unique constraint: `, int64(0), error(nil)
			if *v[3] == "true" {
				reason += "a stored row holds it"
			} else {
				reason += "line " + *v[2] + " holds it"
				first, err3 = strconv.ParseInt(*v[2], 10, 64)
			}
			if !counted {
				counted = true
				faults.Total += total
			}
			if len(faults.Cells) < importer.MaxBadCells {
				faults.Cells = append(faults.Cells, engine.BadCell{Line: line, Column: col.Name,
					Value: csv.Clip([]byte(*v[0]), 1000), Reason: reason, First: first})
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
