package rowset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/api"
)

// Readable lists the extensions of the files that Open reads. All except parquet and xlsx may be packed, and those of
// packed files may follow.
func Readable() []string { return append(rowfile.Extensions(), "txt") }

// Open reads a result from a file, by its extension: csv and tsv as written by pkg/output, with a header; ndjson
// with the columns of its first line; json as an array of objects, or a document of the gateway; parquet; xlsx; txt as
// csv. Values of csv, tsv and xlsx have no type, those of ndjson and json get one from the first row.
//
// Open returns an error if the file cannot be opened or has an unknown format; errors in its content come from the
// RowReader, with the line.
//
// Errors begin with shown, the name of the file for the user, except those of opening it.
func Open(path, shown string) (api.RowReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err != nil || st.IsDir() {
		f.Close()
		return nil, errors.Join(err, fmt.Errorf("%s is a directory", shown))
	}
	r, err := openRows(f, path)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	return &named{r, shown}, nil
}

func openRows(f *os.File, path string) (api.RowReader, error) {
	name := rowfile.Unpacked(path)
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	switch {
	case ending == "parquet" && name == path:
		return openParquetRows(f)
	case ending == "xlsx" && name == path:
		return openSheetRows(f)
	}
	return readAs(ending, f, name != path)
}

// named names the file in errors.
type named struct {
	api.RowReader
	path string
}

func (n *named) of(err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", n.path, err)
	}
	return err
}

func (n *named) Columns() ([]api.ResultColumn, error) {
	cols, err := n.RowReader.Columns()
	return cols, n.of(err)
}

func (n *named) Err() error { return n.of(n.RowReader.Err()) }

type fileSource struct {
	*bufio.Reader
	file *os.File
}

func (s *fileSource) Close() error { return s.file.Close() }

func readAs(ending string, f *os.File, packed bool) (api.RowReader, error) {
	if ending == "parquet" || ending == "xlsx" || !slices.Contains(Readable(), ending) {
		return nil, cell.Usagef("results are read from files ending in "+strings.Join(Readable(), ", "),
			"unknown kind of file %q", ending)
	}
	text, err := rowfile.OpenText(f, packed, rowfile.Window)
	if err != nil {
		return nil, err
	}
	src := &fileSource{Reader: text, file: f}
	switch ending {
	case "csv", "txt":
		return &fieldRows{src: src, split: newCSVRecords(src.Reader)}, nil
	case "tsv", "tab":
		return &fieldRows{src: src, split: &tsvRecords{src: src}}, nil
	case "ndjson", "jsonl":
		return typedByFirst(api.NewRows(&lines{src: src}, api.Simple)), nil
	}
	for { // json
		b, err := src.Peek(1)
		if errors.Is(err, io.EOF) {
			err = errors.New("the file is empty")
		}
		if err != nil {
			return nil, err
		}
		switch b[0] {
		case ' ', '\t', '\r', '\n':
			_, _ = src.Discard(1)
		case '[':
			doc := io.MultiReader(strings.NewReader(`{"data":`), src, strings.NewReader("}"))
			return typedByFirst(api.NewRows(&joined{doc, src}, api.Simple)), nil
		default:
			return api.NewRows(src, ""), nil
		}
	}
}

type joined struct {
	io.Reader
	io.Closer
}

// lines converts a file with an object on each line to one document. JSON strings contain no raw line feed, so a line
// feed always ends a token.
type lines struct {
	src   *fileSource
	out   []byte
	at    int
	some  bool
	begun bool
	ended bool
}

func (l *lines) Read(p []byte) (int, error) {
	for l.at == len(l.out) {
		if l.ended {
			return 0, io.EOF
		}
		l.out, l.at = l.out[:0], 0
		if !l.begun {
			l.begun = true
			l.out = append(l.out, `{"data":[`...)
		}
		if err := l.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, l.out[l.at:])
	l.at += n
	return n, nil
}

// fill reads the next part of a line.
func (l *lines) fill() error {
	piece, err := l.src.ReadSlice('\n')
	if len(bytes.TrimSpace(piece)) > 0 && l.some {
		l.out = append(l.out, ',')
		l.some = false
	}
	l.out = append(l.out, piece...)
	switch {
	case err == nil:
		l.some = l.some || len(bytes.TrimSpace(l.out)) > 0 && l.hasRow()
	case errors.Is(err, io.EOF):
		l.ended = true
		l.out = append(l.out, "]}"...)
	case !errors.Is(err, bufio.ErrBufferFull):
		return err
	}
	return nil
}

// hasRow reports whether the line just read contains a value.
func (l *lines) hasRow() bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(l.out, []byte(`{"data":[`)))) > 0
}

func (l *lines) Close() error { return l.src.Close() }

// typedByFirst gives the columns of a source without types those of the values in the first row: a number is a decimal.
func typedByFirst(r *api.Rows) api.RowReader { return &firstTyped{Rows: r} }

type firstTyped struct {
	*api.Rows
	cols    []api.ResultColumn
	pending bool
	known   bool
}

func (f *firstTyped) Columns() ([]api.ResultColumn, error) {
	if f.known {
		return f.cols, nil
	}
	cols, err := f.Rows.Columns()
	if err != nil {
		return nil, err
	}
	f.known, f.cols = true, append([]api.ResultColumn(nil), cols...)
	if f.pending = f.Rows.Next(); f.pending {
		for i, c := range f.Rows.Row() {
			switch c.Kind() {
			case api.CellNumber:
				f.cols[i].DataType = "decimal"
			case api.CellBool:
				f.cols[i].DataType = "boolean"
			case api.CellString:
				f.cols[i].DataType = "varchar"
			case api.CellObject, api.CellArray:
				f.cols[i].DataType = "json"
			}
		}
	}
	return f.cols, f.Rows.Err()
}

func (f *firstTyped) Next() bool {
	if f.pending {
		f.pending = false
		return true
	}
	return f.Rows.Next()
}
