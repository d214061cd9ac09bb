package repl

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql/times"
)

// scanner reads a result as a table.
type scanner struct {
	open  func(context.Context, engine.ScanRequest) (*api.Result, error)
	last  *kept     // nil for a table of the gateway
	notes io.Writer // for notes about what is not preserved of the last result
	cols  []engine.ColumnInfo
}

// Columns implements engine.Scanner. Columns whose names SQL does not distinguish are numbered: id, id_2.
func (c *scanner) Columns(ctx context.Context) ([]engine.ColumnInfo, error) {
	if c.cols != nil {
		return c.cols, nil
	}
	res, err := c.open(ctx, engine.ScanRequest{})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	rows := res.Rows()
	found, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	out := columnsOfLast(found)
	var instants []int
	for i, col := range out {
		if _, note := typeOfLast(strings.ToLower(found[i].DataType)); note {
			c.note("column %s of %s is read as %s: the engine has no columns of type %s", col.Name, lastName, col.Type,
				strings.ToLower(found[i].DataType))
		}
		if strings.HasSuffix(col.Type, "with time zone") {
			instants = append(instants, i)
		}
	}
	if c.last != nil && len(instants) > 0 {
		mixed, err := zonesOf(rows, out, instants)
		if err != nil {
			return nil, err
		}
		for _, i := range mixed {
			c.note("column %s of %s has instants in several time zones, which are shown in UTC", out[i].Name, lastName)
		}
	}
	if c.last != nil {
		c.last.noted = true
	}
	c.cols = out
	return out, nil
}

// columnsOfLast returns the columns of a result as a statement over it reads them.
func columnsOfLast(found []api.ResultColumn) []engine.ColumnInfo {
	names := make([]string, len(found))
	for i, col := range found {
		names[i] = col.Name
	}
	out := make([]engine.ColumnInfo, len(found))
	for i, name := range cell.UniqueNames(names, strings.ToLower) {
		typ, _ := typeOfLast(strings.ToLower(found[i].DataType))
		out[i] = engine.ColumnInfo{Name: name, Type: typ, Nullable: true}
	}
	return out
}

// note prints, once, what is not preserved of the last result.
func (c *scanner) note(format string, args ...any) {
	if c.last != nil && !c.last.noted {
		fmt.Fprintf(c.notes, format+"\n", args...)
	}
}

// typeOfLast returns the engine's type for a column of the last result; other reports that it differs from the type of
// the column.
func typeOfLast(typ string) (as string, other bool) {
	base, args, _ := strings.Cut(typ, "(")
	switch base {
	case "", "unknown":
		return "varchar", false
	case "array", "map", "row":
		return "json", true
	case "interval day to second", "interval year to month", "ipaddress", "time with time zone":
		return "varchar", true
	case "time", "timestamp":
		digits, zone, _ := strings.Cut(args, ")")
		n, _ := strconv.Atoi(strings.TrimSpace(digits))
		zoned := strings.Contains(zone, "zone")
		if base == "time" && (n > 6 || zoned) || n > 9 || zoned && n > 6 {
			return "varchar", true
		}
	}
	return typ, false
}

// zonesOf sets the time zones of columns of type timestamp with time zone. It returns the columns whose values have
// several zones.
func zonesOf(rows *api.Rows, cols []engine.ColumnInfo, instants []int) (mixed []int, err error) {
	seen := map[int]string{}
	for rows.Next() {
		row := rows.Row()
		for _, i := range instants {
			if i >= len(row) || string(row[i]) == "null" {
				continue
			}
			text, err := cell.AppendText(nil, row[i])
			if err != nil {
				return nil, err
			}
			_, zone, ok := instantOf(string(text))
			if was, known := seen[i]; known && was != zone && !slices.Contains(mixed, i) {
				mixed = append(mixed, i)
			}
			if ok {
				seen[i] = zone
			}
		}
	}
	for i, zone := range seen {
		if !slices.Contains(mixed, i) && zone != "UTC" {
			cols[i].Zone = zone
		}
	}
	return mixed, rows.Err()
}

// instantOf parses a timestamp with or without a zone, in Trino's form or in that of ISO 8601.
func instantOf(text string) (t time.Time, zone string, ok bool) {
	if i := strings.IndexByte(text, 'T'); i > 0 && text[i-1] >= '0' && text[i-1] <= '9' {
		text = text[:i] + " " + text[i+1:]
	}
	c, ok := times.Timestamp(text)
	if !ok || len(c.Digits) > 9 {
		return t, "", false
	}
	if c.Zone == "" {
		nanos, _ := strconv.ParseInt((c.Digits + "000000000")[:9], 10, 64)
		return time.Unix(c.Seconds, nanos).UTC(), "UTC", true
	}
	if zone, err := times.ZoneName(c.Zone); err == nil && len(c.Digits) <= 6 {
		if micros, err := c.Instant(zone, 6); err == nil {
			return time.UnixMicro(micros).UTC(), zone, true
		}
	}
	return t, "", false
}

// valueOf converts the text of a value to the Go value that the engine reads for its type.
func valueOf(typ, text string) (any, error) {
	base, _, _ := strings.Cut(typ, "(")
	switch base {
	case "varbinary":
		return hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	case "char":
		return strings.TrimRight(text, " "), nil
	case "date":
		if days, ok := times.Date(text); ok {
			return time.Unix(days*86_400, 0).UTC(), nil
		}
	case "timestamp", "timestamp with time zone":
		if t, _, ok := instantOf(text); ok {
			return t, nil
		}
	}
	return text, nil
}

// Scan implements engine.Scanner. It ignores filters and the limit.
func (c *scanner) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	cols, err := c.Columns(ctx)
	if err != nil {
		return nil, err
	}
	req.Limit = -1
	res, err := c.open(ctx, req)
	if err != nil {
		return nil, err
	}
	b := &batches{res: res, rows: res.Rows()}
	for _, name := range req.Columns {
		i := slices.IndexFunc(cols, func(c engine.ColumnInfo) bool { return c.Name == name })
		if i < 0 {
			return nil, errors.Join(fmt.Errorf("the last result has no column %s", name), res.Close())
		}
		b.index = append(b.index, i)
		b.types = append(b.types, cols[i].Type)
	}
	return b, nil
}

// batches passes rows to the engine, which converts them by type.
type batches struct {
	res   *api.Result
	rows  *api.Rows
	index []int
	types []string
}

const batchRows = 2000

// Next implements engine.Batches.
func (b *batches) Next(ctx context.Context) ([][]any, error) {
	var out [][]any
	for len(out) < batchRows && b.rows.Next() {
		row := b.rows.Row()
		values := make([]any, len(b.index))
		for i, at := range b.index {
			if at >= len(row) || string(row[at]) == "null" {
				continue
			}
			text, err := cell.AppendText(nil, row[at])
			if err != nil {
				return nil, err
			}
			if values[i], err = valueOf(b.types[i], string(text)); err != nil {
				return nil, err
			}
		}
		out = append(out, values)
	}
	if err := b.rows.Err(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, io.EOF
	}
	return out, ctx.Err()
}

// Close implements engine.Batches.
func (b *batches) Close() error {
	_ = b.rows.Close()
	return b.res.Close()
}
