package trino

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
	"github.com/dig-cli/dig/pkg/gateway/engine/wiretext"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// parquetFile is a file of the rows of an internal table. The cluster finds its columns by their names.
type parquetFile struct {
	f     *os.File
	w     *parquet.GenericWriter[any]
	place []int           // of each column of the table, in the file
	blind map[string]bool // columns whose bounds the library compares wrongly
	rows  []parquet.Row
}

// batchRows is how many rows are written at once.
const batchRows = 1024

func newParquet(name string, columns []engine.Column) (*parquetFile, error) {
	group := parquet.Group{}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = strings.ToLower(c.Name)
		group[names[i]] = parquet.Optional(nodeOf(c.Type))
	}
	schema := parquet.NewSchema("rows", group)
	p := &parquetFile{place: make([]int, len(columns)), blind: map[string]bool{}}
	for i := range columns {
		leaf, ok := schema.Lookup(names[i])
		if !ok {
			return nil, fmt.Errorf("the file has no column %q", names[i])
		}
		p.place[i] = leaf.ColumnIndex
		p.blind[names[i]] = leaf.Node.Type().Kind() == parquet.FixedLenByteArray
	}
	var err error
	if p.f, err = os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o644); err != nil {
		return nil, err
	}
	p.w = parquet.NewGenericWriter[any](p.f, schema, parquet.Compression(&parquet.Snappy),
		parquet.MaxRowsPerRowGroup(500_000))
	return p, nil
}

// nodeOf is how the file has the values of a type of internal tables.
func nodeOf(typ string) parquet.Node {
	if precision, scale, ok := api.DecimalOf(typ); ok {
		switch {
		case precision <= 9:
			return parquet.Decimal(scale, precision, parquet.Int32Type)
		case precision <= 18:
			return parquet.Decimal(scale, precision, parquet.Int64Type)
		}
		return parquet.Decimal(scale, precision, parquet.FixedLenByteArrayType(16))
	}
	switch typ {
	case "bigint":
		return parquet.Leaf(parquet.Int64Type)
	case "boolean":
		return parquet.Leaf(parquet.BooleanType)
	case "date":
		return parquet.Date()
	case "time":
		return parquet.TimeAdjusted(parquet.Microsecond, false)
	case "timestamp":
		return parquet.TimestampAdjusted(parquet.Microsecond, false)
	case tabledef.Instant:
		return parquet.Timestamp(parquet.Microsecond)
	case "uuid":
		return parquet.UUID()
	}
	return parquet.String()
}

// valueOf is a value of a type, whose text is only that of a varchar.
func valueOf(typ string, v cells.Cell, text []byte) parquet.Value {
	precision, _, decimal := api.DecimalOf(typ)
	switch {
	case decimal && precision <= 9:
		return parquet.Int32Value(int32(v.Lo))
	case decimal && precision > 18, typ == "uuid":
		hi := uint64(v.Hi)
		if typ == "uuid" {
			hi ^= 1 << 63 // see cells.Cell
		}
		b := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, hi), v.Lo)
		return parquet.FixedLenByteArrayValue(b)
	case typ == "boolean":
		return parquet.BooleanValue(v.Lo != 0)
	case typ == "date":
		return parquet.Int32Value(int32(v.Lo))
	case typ == "varchar":
		return parquet.ByteArrayValue(text)
	}
	return parquet.Int64Value(int64(v.Lo))
}

// plainText is the text of a value as the cluster casts it to varchar.
func plainText(typ string, text []byte) string {
	parse := cells.ParserOf(typ)
	if parse == nil {
		return string(text)
	}
	v, _ := parse(text)
	if _, scale, ok := api.DecimalOf(typ); ok {
		return string(wiretext.AppendHuge(nil, wiretext.Huge{Lo: v.Lo, Hi: v.Hi}, scale))
	}
	switch typ {
	case "boolean":
		return strconv.FormatBool(v.Lo != 0)
	case "date":
		return string(wiretext.AppendDate(nil, int64(v.Lo)))
	case "time":
		return string(wiretext.AppendClock(nil, int64(v.Lo), 6))
	case "timestamp":
		return string(wiretext.AppendTimestamp(nil, int64(v.Lo), 6))
	case "uuid":
		return string(wiretext.AppendUUID(nil, wiretext.Huge{Lo: v.Lo, Hi: v.Hi}))
	}
	return strconv.FormatInt(int64(v.Lo), 10)
}

// fill writes the rows of a document, and returns their number. After the first bad cell no more are written, but the
// rest is checked.
func (p *parquetFile) fill(ctx context.Context, in *importer.Reader, t *tabledef.Table,
	ids *importer.RowIDs) (int64, error) {
	fixed := p.fixed(t, in.Targets, time.Now())
	parsers := make([]cells.Parser, len(in.Targets))
	for i, tg := range in.Targets {
		parsers[i] = cells.ParserOf(t.Columns[tg.Col].Type)
	}
	rows := int64(0)
	for {
		err := in.Next()
		switch {
		case err == io.EOF:
			if err := in.Fault(); err != nil {
				return 0, err
			}
			return rows, p.flush()
		case err != nil:
			return 0, in.FormFault(err)
		}
		row := slices.Clone(fixed)
		for i, tg := range in.Targets {
			f, col := in.Field(tg.Field), &t.Columns[tg.Col]
			at := p.place[tg.Col]
			switch {
			case in.Null(f):
				in.NoValue(col, f)
				row[at] = parquet.NullValue().Level(0, 0, at)
			case parsers[i] == nil:
				row[at] = valueOf("varchar", cells.Cell{}, slices.Clone(f.Text)).Level(0, 1, at)
			default:
				v, fault := parsers[i](f.Text)
				if fault != cells.None {
					in.Misfit(col, f, fault)
				}
				row[at] = valueOf(col.Type, v, nil).Level(0, 1, at)
			}
		}
		if in.Fault() != nil {
			continue
		}
		row[p.place[0]] = parquet.Int64Value(ids.Next()).Level(0, 1, p.place[0])
		rows++
		if err := errors.Join(p.append(row), engine.Ended(ctx, nil)); err != nil {
			return 0, err
		}
	}
}

// fixed are the values of a row that are not in the document: system columns and defaults [C].
func (p *parquetFile) fixed(t *tabledef.Table, targets []importer.Target, now time.Time) parquet.Row {
	row := make(parquet.Row, len(t.Columns))
	for _, at := range p.place {
		row[at] = parquet.NullValue().Level(0, 0, at)
	}
	for _, f := range importer.FilledBy(now, t.Columns, targets) {
		if at := p.place[f.Column]; !f.Null {
			row[at] = valueOf(t.Columns[f.Column].Type, f.Value, f.Text).Level(0, 1, at)
		}
	}
	return row
}

// integers writes a row of integers.
func (p *parquetFile) integers(values ...int64) error {
	row := make(parquet.Row, len(values))
	for i, v := range values {
		row[p.place[i]] = parquet.Int64Value(v).Level(0, 1, p.place[i])
	}
	return p.append(row)
}

func (p *parquetFile) append(row parquet.Row) error {
	if p.rows = append(p.rows, row); len(p.rows) < batchRows {
		return nil
	}
	return p.flush()
}

func (p *parquetFile) flush() error {
	_, err := p.w.WriteRows(p.rows)
	p.rows = p.rows[:0]
	return err
}

func (p *parquetFile) close() error {
	err := p.w.Close()
	if err == nil {
		err = p.blur()
	}
	return errors.Join(err, p.f.Sync(), p.f.Close())
}

// blur removes the least and the greatest value of columns from the metadata, by which the cluster would leave out
// rows: the library compares decimals of more than 18 digits as bytes, so that a negative one is greater than all
// others.
func (p *parquetFile) blur() error {
	st, err := p.f.Stat()
	if err != nil {
		return err
	}
	in, err := parquet.OpenFile(p.f, st.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	meta := in.Metadata()
	for i := range meta.RowGroups {
		for j := range meta.RowGroups[i].Columns {
			c := &meta.RowGroups[i].Columns[j]
			if len(c.MetaData.PathInSchema) == 1 && p.blind[c.MetaData.PathInSchema[0]] {
				c.MetaData.Statistics = format.Statistics{NullCount: c.MetaData.Statistics.NullCount}
				c.ColumnIndexOffset, c.ColumnIndexLength = 0, 0
			}
		}
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
	if err != nil {
		return err
	}
	var size [4]byte
	if _, err := p.f.ReadAt(size[:], st.Size()-8); err != nil {
		return err
	}
	at := st.Size() - 8 - int64(binary.LittleEndian.Uint32(size[:]))
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	footer = append(footer, "PAR1"...)
	if _, err := p.f.WriteAt(footer, at); err != nil {
		return err
	}
	return p.f.Truncate(at + int64(len(footer)))
}

func (p *parquetFile) abandon() error { return p.f.Close() }

// lastIDFile is the file, in the folder of a project's imports, with the last id that was generated for a table.
func (p *project) lastIDFile(table string) string {
	sum := sha256.Sum256([]byte(table))
	return filepath.Join(p.folder(), "last-id-"+hex.EncodeToString(sum[:16]))
}

// nextIDs continues after the last id that was generated for a table.
func (p *project) nextIDs(now time.Time, table string) (importer.RowIDs, error) {
	last, err := p.lastID(table)
	return importer.IDsAfter(last, now), err
}

// lastID is the last id that was generated for one of some tables that has, or has had, these names.
func (p *project) lastID(tables ...string) (last int64, err error) {
	for _, t := range tables {
		b, err := os.ReadFile(p.lastIDFile(t))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		var n int64
		if err == nil {
			n, err = strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
		}
		if err != nil {
			return 0, err
		}
		last = max(last, n)
	}
	return last, nil
}

func (p *project) keepLastID(table string, last int64) error {
	if p.e.Stage == "" { // nothing is imported
		return nil
	}
	if err := os.MkdirAll(p.folder(), 0o755); err != nil {
		return err
	}
	return tempfile.Write(p.lastIDFile(table), strconv.AppendInt(nil, last, 10))
}
