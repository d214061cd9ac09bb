package intake

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/connector/files"
)

// jsonRows reads the objects of a document as rows. Nested objects and lists become JSON text, without white space.
type jsonRows struct {
	ctx context.Context
	io.Closer
	in  *files.Objects
	row []rowfile.Value
	buf bytes.Buffer
}

func (d *Document) jsonRows(ctx context.Context) (rowSource, error) {
	t, err := d.text()
	if err != nil {
		return nil, err
	}
	in, err := files.NewObjects(ctx, t)
	if err != nil {
		t.Close()
		return nil, err
	}
	return &jsonRows{ctx: ctx, Closer: t, in: in}, nil
}

func (r *jsonRows) at() int64 { return r.in.Count }

func (r *jsonRows) names() []string {
	if r.in.Names == nil {
		return []string{}
	}
	return r.in.Names
}

func (r *jsonRows) next() ([]rowfile.Value, error) {
	members, err := r.in.Next(r.ctx)
	if err != nil {
		return nil, err
	}
	for len(r.row) < len(r.in.Names) {
		r.row = append(r.row, rowfile.Value{})
	}
	clear(r.row)
	r.buf.Reset()
	for _, m := range members {
		v := &r.row[m.Column]
		v.Text = m.Value
		switch m.Kind {
		case 0:
			*v = rowfile.Value{}
		case 't':
			v.Kind = rowfile.Opaque
		case 's':
			v.Kind = rowfile.String
		case 'j':
			var b bytes.Buffer
			if err := json.Compact(&b, m.Value); err != nil {
				return nil, err
			}
			v.Text, v.Kind = b.Bytes(), rowfile.Opaque
		default:
			v.Kind = rowfile.Field
		}
	}
	return r.row, nil
}
