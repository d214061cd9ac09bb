//go:build cgo

package tables

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// rebuiltName is the name of a table while it is rebuilt. Names given by users contain no control characters.
const rebuiltName = "\x01rebuilt"

// rebuild creates a table again within the transaction, for changes that ALTER does not support. t is its new
// definition; values are the expressions over the existing rows, one per column.
func (c conn) rebuild(ctx context.Context, t *table, values []string) error {
	return c.rebuildFrom(ctx, t, `SELECT `+strings.Join(values, ", ")+` FROM `+t.sql())
}

// rebuildFrom creates a table again with the rows of a query.
func (c conn) rebuildFrom(ctx context.Context, t *table, rows string) error {
	as := naming.StoredTable(t.kind, rebuiltName)
	if _, err := c.Exec(ctx, t.create(as)); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, `INSERT INTO `+as+` `+rows); err != nil {
		return err
	}
	return c.replaceRebuilt(ctx, t)
}

func (c conn) replaceRebuilt(ctx context.Context, t *table) error {
	if _, err := c.Exec(ctx, `DROP TABLE `+t.sql()); err != nil {
		return err
	}
	_, err := c.Exec(ctx, `ALTER TABLE `+naming.StoredTable(t.kind, rebuiltName)+` RENAME TO `+sqltext.Quote(t.name))
	return err
}

// asText renders the stored values of a column so that the rules of imports read them without loss where the new type
// can hold them: 12.0000000000 is 12 and midnight is its date.
func asText(col engine.Column, to string) string {
	name := sqltext.Quote(col.Name)
	text := `CAST(` + name + ` AS VARCHAR)`
	switch {
	case strings.HasPrefix(col.Type, "decimal") && to == "bigint" && !strings.HasSuffix(col.Type, ",0)"):
		return `rtrim(rtrim(` + text + `, '0'), '.')`
	case col.Type == "timestamp" && to == "date":
		return `CASE WHEN CAST(` + name + ` AS TIME) = TIME '00:00:00' THEN CAST(CAST(` + name +
			` AS DATE) AS VARCHAR) ELSE ` + text + ` END`
	}
	return text
}

// retype rebuilds a table with column i of another type. The values are read like imported ones, so that one
// set of rules decides which fit. They are read on a second connection, which sees the state before the transaction;
// there is no other writer.
func (c conn) retype(ctx context.Context, p Tables, was, now *table, i int) error {
	if _, err := c.Exec(ctx, now.create(naming.StoredTable(now.kind, rebuiltName))); err != nil {
		return err
	}
	reader, err := p.conn(ctx)
	if err != nil {
		return err
	}
	defer reader.Close()
	out := openBatch(now)
	defer out.Destroy()
	ap, err := c.openAppender(now.kind, rebuiltName)
	if err != nil {
		return err
	}
	defer ap.destroy()

	exprs := was.names()
	exprs[i] = asText(was.cols[i], now.cols[i].Type)
	typ := now.cols[i].Type
	parse := cells.ParserOf(typ)
	var rows, bad int64
	var first string
	id, _ := was.column("_id")
	err = reader.Stream(ctx, `SELECT `+strings.Join(exprs, ", ")+` FROM `+was.sql(), func(in bindings.DataChunk) error {
		n := int(bindings.DataChunkGetSize(in))
		rows += int64(n)
		out.Reset()
		for k := range out.Cols {
			if k != i || parse == nil {
				out.Cols[k].Reference(bindings.DataChunkGetVector(in, bindings.IdxT(k)))
			}
		}
		out.N = n
		if parse != nil {
			vec := bindings.DataChunkGetVector(in, bindings.IdxT(i))
			data, mask := bindings.VectorGetData(vec), bindings.VectorGetValidity(vec)
			for r := range n {
				if mask != nil && !bindings.ValidityRowIsValid(mask, bindings.IdxT(r)) {
					out.Cols[i].SetNull(r)
					continue
				}
				text, err := values.PlainText(bindings.TypeVarchar, data, r)
				if err != nil {
					return err
				}
				v, f := parse([]byte(text))
				if f != cells.None {
					if bad++; bad == 1 {
						ids := bindings.VectorGetData(bindings.DataChunkGetVector(in, bindings.IdxT(id)))
						first = fmt.Sprintf("in the row with _id %d: %s", unsafe.Slice((*int64)(ids), n)[r],
							f.Reason(typ, text))
					}
					continue
				}
				out.Cols[i].Set(r, v)
			}
		}
		if bad > 0 {
			return nil // go on counting
		}
		return ap.append(out)
	})
	if err == nil && bad > 0 {
		return &engine.Error{Kind: engine.KindValue,
			Message: fmt.Sprintf("column %q cannot become %s: %d of %d rows do not fit; the first %s", was.cols[i].Name,
				typ, bad, rows, first)}
	}
	if err == nil {
		err = ap.finish()
	}
	if err != nil {
		var d *faults.Error
		if errors.As(err, &d) && d.Type == "Constraint" {
			return tabledef.Constraint("column %q cannot become %s: %s", was.cols[i].Name, typ, d.Message)
		}
		return err
	}
	return c.replaceRebuilt(ctx, now)
}
