package trino

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/wiretext"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// inlineBytes is the size of the rows that are sent with a statement. A cluster accepts a text of 1,000,000 characters.
const inlineBytes = 600_000

// errTooMany is the error of rows that do not fit.
var errTooMany = errors.New("more rows than are sent with a statement")

// rows writes the rows of a source, or of another project, into the statement: the cluster cannot ask the gateway for
// them.
func (w *writer) rows(r *engine.Relation, columns []int) (string, error) {
	v := &values{r: r, columns: columns}
	err := v.read(w.ctx)
	if errors.Is(err, errTooMany) && w.stages && w.p.e.Stage != "" {
		var f *scanFile
		if f, err = w.p.newScanFile(len(columns)); err == nil {
			w.ends = append(w.ends, f.remove)
			v = &values{r: r, columns: columns, file: f}
			if err = v.read(w.ctx); err == nil {
				err = f.publish(w.ctx)
			}
		}
	}
	switch {
	case errors.Is(err, errTooMany):
		return "", &engine.Error{Kind: engine.KindUnsupported, Err: errors.Join(err, engine.ErrNotSupported),
			Message: fmt.Sprintf("%s has more rows than the gateway sends to the cluster with a statement (%d bytes)",
				r.Shown, inlineBytes),
			Hint: "the cluster itself reads a cache: `dig cache create`, for a database in a catalog made with " +
				"--cache-anything; and the connections of databases that the gateway was given by --trino-catalog"}
	case err != nil:
		if end := engine.Ended(w.ctx, nil); end != nil {
			return "", end
		}
		return "", engine.SourceError(r.Shown, err)
	}
	return v.text()
}

// values are rows as texts. Those of a table of which no column is named are NULL.
type values struct {
	r       *engine.Relation
	columns []int // those that the statement names
	b       strings.Builder
	rows    int
	file    *scanFile // has the rows, nil if the statement has
}

func (v *values) read(ctx context.Context) error {
	switch {
	case v.r.Scan != nil:
		return v.scan(ctx)
	case v.r.Relay != nil:
		return v.relay(ctx)
	}
	return engine.Defect("a table has no rows that can be read")
}

// row begins a row, cell adds a value to it.
func (v *values) row() {
	if v.rows > 0 && v.file == nil {
		v.b.WriteString("), (")
	}
	v.rows++
}

func (v *values) cell(i int, text string, null bool) {
	if v.file != nil {
		v.file.cell(i, text, null)
		return
	}
	if i > 0 {
		v.b.WriteString(", ")
	}
	if null {
		v.b.WriteString("NULL")
		return
	}
	switch v.r.Table.Columns[v.columns[i]].Type.Kind { // no text can be cast to these
	case types.IntervalYM:
		v.b.WriteString("INTERVAL " + sqltext.Literal(text) + " YEAR TO MONTH")
	case types.IntervalDS:
		v.b.WriteString("INTERVAL " + sqltext.Literal(text) + " DAY TO SECOND")
	default:
		v.b.WriteString(sqltext.Literal(text))
	}
}

func (v *values) check() error {
	if v.file != nil {
		return v.file.end()
	}
	if v.b.Len() > inlineBytes {
		return errTooMany
	}
	return nil
}

// text is a query for the rows.
func (v *values) text() (string, error) {
	names := make([]string, len(v.columns))
	list := make([]string, len(v.columns))
	for i, k := range v.columns {
		names[i] = "c" + strconv.Itoa(i)
		t := v.r.Table.Columns[k].Type
		list[i] = cast(names[i], t, v.rows == 0)
		if zone := v.r.Infos[k].Zone; zone != "" && t.Kind == types.TimestampTZ {
			list[i] = "at_timezone(" + list[i] + ", " + sqltext.Literal(zone) + ")"
		}
	}
	switch {
	case len(list) == 0:
		return "", engine.Defect("a table has no columns")
	case v.rows == 0:
		return "SELECT " + strings.Join(list, ", ") + " WHERE false", nil
	case v.file != nil:
		return "SELECT " + strings.Join(list, ", ") + " FROM " + v.file.table(), nil
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM (VALUES (" + v.b.String() + ")) v(" + strings.Join(names,
		", ") + ")", nil
}

// cast converts a text to a type.
func cast(text string, t *types.Type, null bool) string {
	switch {
	case null:
		return "CAST(NULL AS " + t.Signature() + ")"
	case t.Kind == types.Varbinary:
		return "from_hex(CAST(" + text + " AS varchar))"
	case t.Kind == types.JSON:
		return "json_parse(CAST(" + text + " AS varchar))"
	case t.Kind == types.Array, t.Kind == types.Map, t.Kind == types.Row:
		return "CAST(json_parse(CAST(" + text + " AS varchar)) AS " + t.Signature() + ")"
	}
	return "CAST(" + text + " AS " + t.Signature() + ")"
}

// names are the names of the columns at the source.
func (v *values) names() []string {
	names := make([]string, len(v.columns))
	for i, k := range v.columns {
		names[i] = v.r.Infos[k].Name
	}
	return names
}

func (v *values) scan(ctx context.Context) (err error) {
	req := engine.ScanRequest{Columns: []string{}, Filters: v.r.Filters, Limit: v.r.Limit}
	if !v.r.Count {
		req.Columns = v.names()
	}
	src, err := v.r.Scan.Scan(ctx, req)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	for {
		rows, err := src.Next(ctx)
		for _, row := range rows {
			v.row()
			for i, k := range v.columns {
				if v.r.Count || row[i] == nil {
					v.cell(i, "", true)
					continue
				}
				text, err := goText(row[i], v.r.Table.Columns[k].Type)
				if err != nil {
					return &engine.ColumnError{Table: v.r.Shown, Column: v.r.Infos[k].Name, Err: err}
				}
				v.cell(i, text, false)
			}
			if err := v.check(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// goText is the text of a value of a scanner, in a form that a cast of the cluster reads.
func goText(v any, t *types.Type) (string, error) {
	switch v := v.(type) {
	case string:
		if t.Kind == types.Decimal && !fitsDecimal(v, t.Scale) { // a cast would round
			return "", fmt.Errorf("%q is not a value of %s", v, t)
		}
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case []byte:
		return fmt.Sprintf("%X", v), nil
	case time.Time:
		switch t.Kind {
		case types.Date:
			return string(wiretext.AppendDate(nil, v.Unix()/86400)), nil
		case types.TimestampTZ:
			return string(wiretext.AppendTimestamp(nil, v.UnixMicro(), 6)) + " UTC", nil
		}
		return string(wiretext.AppendTimestamp(nil, v.UnixMicro(), 6)), nil
	}
	return "", fmt.Errorf("a %T is not a value", v)
}

func fitsDecimal(text string, scale int) bool {
	_, fraction, _ := strings.Cut(text, ".")
	return len(strings.TrimRight(fraction, "0")) <= scale
}

func (v *values) relay(ctx context.Context) error {
	columns := []string{}
	if !v.r.Count {
		columns = v.names()
	}
	rows, err := v.r.Relay.Run(ctx, columns)
	if err != nil {
		return err
	}
	defer rows.Close()
	var text []byte
	for {
		b, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for n := range b.Len {
			v.row()
			for i := range v.columns {
				if v.r.Count || b.Columns[i].Null(n) {
					v.cell(i, "", true)
					continue
				}
				if text = b.Columns[i].AppendText(text[:0], n); b.Columns[i].Type.Layout == batch.Bytes {
					text = []byte(strings.ReplaceAll(string(text), " ", ""))
				}
				v.cell(i, string(text), false)
			}
			if err := v.check(); err != nil {
				return err
			}
		}
	}
}
