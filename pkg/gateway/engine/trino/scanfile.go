package trino

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"
)

// scanFile is a file of the rows of a source, as texts, which the cluster reads while a statement stores them: a
// refresh of a cache.
type scanFile struct {
	p     *project
	name  string
	f     *os.File
	w     *parquet.GenericWriter[any]
	place []int // of each column, in the file
	row   parquet.Row
	rows  []parquet.Row
	known bool // the cluster has a table for it
}

func (p *project) newScanFile(columns int) (*scanFile, error) {
	s := &scanFile{p: p, name: "scan" + strings.ReplaceAll(uuid.NewString(), "-", ""), place: make([]int, columns),
		row: make(parquet.Row, columns)}
	if err := os.MkdirAll(s.dir(), 0o755); err != nil {
		return nil, err
	}
	group := parquet.Group{}
	for i := range columns {
		group["c"+strconv.Itoa(i)] = parquet.Optional(parquet.String())
	}
	schema := parquet.NewSchema("rows", group)
	for i := range columns {
		leaf, _ := schema.Lookup("c" + strconv.Itoa(i))
		s.place[i] = leaf.ColumnIndex
	}
	var err error
	if s.f, err = os.OpenFile(filepath.Join(s.dir(), rowsFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644); err != nil {
		return nil, err
	}
	s.w = parquet.NewGenericWriter[any](s.f, schema, parquet.Compression(&parquet.Snappy),
		parquet.MaxRowsPerRowGroup(200_000))
	return s, nil
}

func (s *scanFile) dir() string { return filepath.Join(s.p.folder(), s.name) }

// table is the name of the file as a table, for a statement.
func (s *scanFile) table() string { return s.p.table("scratch", s.name) }

// cell sets a value of the row, and end adds the row.
func (s *scanFile) cell(i int, text string, null bool) {
	at := s.place[i]
	if null {
		s.row[at] = parquet.NullValue().Level(0, 0, at)
		return
	}
	s.row[at] = parquet.ByteArrayValue([]byte(text)).Level(0, 1, at)
}

func (s *scanFile) end() error {
	s.rows = append(s.rows, append(parquet.Row(nil), s.row...))
	if len(s.rows) < batchRows {
		return nil
	}
	return s.flush()
}

func (s *scanFile) flush() error {
	_, err := s.w.WriteRows(s.rows)
	s.rows = s.rows[:0]
	return err
}

// publish ends the file and makes it a table.
func (s *scanFile) publish(ctx context.Context) error {
	if err := errors.Join(s.flush(), s.w.Close(), s.f.Sync(), s.f.Close()); err != nil {
		return err
	}
	s.f = nil
	if err := s.p.ready(ctx, "scratch"); err != nil {
		return err
	}
	list := make([]string, len(s.place))
	for i := range list {
		list[i] = "c" + strconv.Itoa(i) + " varchar"
	}
	if _, err := s.p.exec(ctx, "CREATE TABLE "+s.table()+" ("+strings.Join(list, ", ")+")", true, nil); err != nil {
		return err
	}
	s.known = true
	_, err := s.p.exec(ctx, "ALTER TABLE "+s.table()+" EXECUTE add_files(location => "+sqltext.Literal(
		s.p.address(s.name, ""))+", format => 'PARQUET')", true, nil)
	return err
}

// remove removes the file and its table.
func (s *scanFile) remove() error {
	var err error
	if s.f != nil {
		err = s.f.Close()
	}
	if s.known {
		_, derr := s.p.exec(context.Background(), "DROP TABLE IF EXISTS "+s.table(), true, nil)
		err = errors.Join(err, derr)
	}
	return errors.Join(err, os.RemoveAll(s.dir()))
}
