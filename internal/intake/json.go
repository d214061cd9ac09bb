package intake

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/dig-cli/dig/pkg/gateway/connector/files"
)

// jsonRows reads the objects of a document as rows. Objects and lists in them are their text, without white space.
type jsonRows struct {
	io.Closer
	in  *files.Objects
	row []value
	buf bytes.Buffer
}

func (d *Document) jsonRows() (rowSource, error) {
	t, err := d.text()
	if err != nil {
		return nil, err
	}
	in, err := files.NewObjects(t)
	if err != nil {
		t.Close()
		return nil, err
	}
	return &jsonRows{Closer: t, in: in}, nil
}

func (r *jsonRows) at() int64 { return r.in.Count }

func (r *jsonRows) names() []string {
	if r.in.Names == nil {
		return []string{}
	}
	return r.in.Names
}

func (r *jsonRows) next() ([]value, error) {
	members, err := r.in.Next()
	if err != nil {
		return nil, err
	}
	for len(r.row) < len(r.in.Names) {
		r.row = append(r.row, value{})
	}
	clear(r.row)
	r.buf.Reset()
	for _, m := range members {
		v := &r.row[m.Column]
		v.text = m.Value
		switch m.Kind {
		case 0:
			*v = value{}
		case 's':
			v.kind = str
		case 'j':
			var b bytes.Buffer
			if err := json.Compact(&b, m.Value); err != nil {
				return nil, err
			}
			v.text, v.kind = b.Bytes(), opaque
		default:
			v.kind = field
		}
	}
	return r.row, nil
}

// looksLikeJSON recognizes the beginning of objects, alone or in a list, which is no likely header of CSV.
func looksLikeJSON(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(mark)), " \t\r\n")
	if rest, ok := bytes.CutPrefix(head, []byte("[")); ok {
		head = bytes.TrimLeft(rest, " \t\r\n")
		if len(head) > 0 && head[0] == ']' {
			return true
		}
	}
	rest, ok := bytes.CutPrefix(head, []byte("{"))
	if !ok {
		return false
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && (rest[0] == '"' || rest[0] == '}')
}
