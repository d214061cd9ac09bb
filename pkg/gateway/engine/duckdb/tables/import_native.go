//go:build cgo

package tables

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
)

// nativeError is an error of an import whose document is not read by its records from the first to the last. They are
// read then: their errors name a row.
type nativeError struct{ err error }

func (e *nativeError) Error() string { return e.err.Error() }
func (e *nativeError) Unwrap() error { return e.err }

// byRecords is a document that is read by its records.
type byRecords struct{ csv.Document }

func (byRecords) Native() *csv.Native    { return nil }
func (byRecords) Parts(int64) []csv.Part { return nil }

// importNative has DuckDB read the rows of a document itself, in their order, if it stores the values that the records
// have. read is false for another document.
func (c conn) importNative(ctx context.Context, im *importing, into string) (read bool, err error) {
	if len(im.Key) > 0 { // which must not be NULL
		return false, nil
	}
	file := im.doc.Native()
	if file == nil {
		return false, nil
	}
	link, err := c.Instance.Link(file.File)
	if err != nil {
		return false, nil
	}
	defer os.Remove(link)
	var text string
	err = im.With(ctx, im.doc, func() (err error) { // the mapping is checked
		text, err = c.nativeRows(ctx, im, file, link)
		return err
	})
	if text == "" || err != nil {
		return false, c.Ended(ctx) // the records have the error
	}
	rows, err := c.Work(ctx, `INSERT INTO `+naming.StoredTable(im.t.kind, into)+` `+text)
	if err == nil {
		err = file.Still()
	}
	if err != nil {
		return false, &nativeError{err}
	}
	if im.rows = rows; im.ids != nil {
		*im.ids = im.ids.After(rows)
	}
	return true, nil
}

// nativeRows is a query of the rows of a file, with the columns of the table; "" if DuckDB does not read them as the
// types of these.
func (c conn) nativeRows(ctx context.Context, im *importing, file *csv.Native, link string) (string, error) {
	var fields []int
	for _, tg := range im.Targets {
		if file.Columns[tg.Field] == "" {
			return "", nil
		}
		fields = append(fields, tg.Field)
	}
	found, err := c.ParquetTypes(ctx, link)
	if err != nil || !file.Sound(fields) {
		return "", err
	}
	const number = `file_row_number`
	exprs := make([]string, len(im.t.cols))
	if exprs[0] = number; im.ids != nil {
		exprs[0] = im.ids.SQL(number)
	}
	var bad []string
	for _, tg := range im.Targets {
		name, typ := file.Columns[tg.Field], sqlType(im.t.cols[tg.Col].Type)
		read := instance.ReadColumn(name, found[name], typ)
		if read == "" {
			return "", nil
		}
		exprs[tg.Col] = read
		switch name = sqltext.Quote(name); typ {
		case "VARCHAR":
			bad = append(bad, `strlen(`+name+`) > `+strconv.Itoa(csv.MaxRecord/len(im.Targets)))
		case "DATE", "TIMESTAMP":
			bad = append(bad, name+` < '0001-01-01'`, name+` >= '10000-01-01'`)
		}
	}
	for _, f := range importer.FilledBy(time.Now(), im.t.cols, im.Targets) {
		exprs[f.Column] = inAllRows(&im.t.cols[f.Column], f)
	}
	where := ``
	if len(bad) > 0 {
		where = ` WHERE CASE WHEN ` + strings.Join(bad, ` OR `) + ` THEN error('a value') ELSE true END`
	}
	// The second part has no rows. With it DuckDB inserts by one thread: several, which keep the order of the rows by
	// merging what each has inserted, take twice the time of a processor and six times the memory.
	return `SELECT ` + strings.Join(exprs, `, `) + ` FROM (FROM ` +
		instance.ReadParquet([]string{link}, number+` = true`) + ` UNION ALL BY NAME SELECT 0 AS ` + number +
		` FROM range(0))` + where, nil
}
