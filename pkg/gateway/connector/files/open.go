package files

import (
	"bufio"
	"context"
	"io"
	"os"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/parquetio"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Member is a member of an object: the characters of a string, else the text of the value. Value is valid until the
// next object is read.
type Member struct {
	Column int // index of its name among all names so far
	Value  []byte
	Kind   byte // s string, t another text, n number, b boolean, j object or list, 0 null
}

// Objects reads a JSON document of objects, in one list or consecutive, or the rows of a result as a gateway sends it.
type Objects struct {
	Names []string // of all members so far
	Count int64    // of objects so far

	r   records
	o   *object
	out []Member
}

// NewObjects reads from src, which stays open.
func NewObjects(ctx context.Context, src io.Reader) (*Objects, error) {
	b := bufio.NewReaderSize(src, 256<<10)
	rowfile.SkipMark(b)
	r, err := newJSONDocument(ctx, readers{Reader: b}, b)
	if err != nil {
		return nil, err
	}
	return &Objects{r: r, o: newObject(nil), Names: r.header()}, nil
}

// Next reads the next object and returns io.EOF after the last.
func (j *Objects) Next(ctx context.Context) ([]Member, error) {
	rec, err := j.r.next(ctx)
	if err == nil {
		err = j.o.record(rec)
	}
	if err != nil {
		return nil, err
	}
	j.Count++
	j.out = j.out[:0]
	for i, m := range rec.members {
		if at := j.o.at[i]; at == len(j.Names) {
			j.Names = append(j.Names, string(m.name))
		}
		j.out = append(j.out, Member{j.o.at[i], m.value, m.kind})
	}
	for i, s := range rec.fields {
		switch {
		case s == nil:
		case rec.kinds[i] == rowfile.Opaque || *s == "":
			j.out = append(j.out, Member{i, []byte(*s), 't'})
		default:
			j.out = append(j.out, Member{i, []byte(*s), 'n'})
		}
	}
	return j.out, nil
}

// Parquet reads an open Parquet file, which stays open. Values have the form of engine.Batches.
func Parquet(ctx context.Context, h *os.File) ([]engine.ColumnInfo, engine.Batches, error) {
	info, err := h.Stat()
	if err != nil {
		return nil, nil, err
	}
	p, err := parquetio.Open(h, info.Size())
	if err != nil {
		return nil, nil, err
	}
	cols, err := parquetColumns(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	b, err := newParquetBatches(p, cols)
	if err != nil {
		return nil, nil, err
	}
	b.file.path, b.limit = h.Name(), -1
	return connector.Infos(cols), b, nil
}
