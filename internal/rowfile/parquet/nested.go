package parquet

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dig-cli/dig/internal/jsontext"
	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// nestedNode is a node of a Parquet column that contains lists, maps or groups. Its values become JSON: a list is an
// array, a map an object, a group an object. Numbers keep their digits, bytes are base64, times are strings.
type nestedNode struct {
	name     string
	optional bool
	repeated bool
	def, rep int // definition level at which a value of the node exists
	kind     nodeKind
	typ      string  // of a leaf
	decode   decoder // of a leaf
	leaf     int     // index of a leaf among all leaves of the file
	first    int     // index of the first leaf below
	children []*nestedNode
}

type nodeKind int

const (
	leafNode  nodeKind = iota
	groupNode          // an object of its children
	listNode           // the value is that of its repeated child
	itemNode           // the value is that of its only child
	mapNode            // the children of its repeated child are key and value
)

// nodeOf derives the node of a column.
func nodeOf(c *parquet.Column, halves map[int]bool, def, rep int) (*nestedNode, error) {
	n := &nestedNode{name: c.Name(), optional: c.Optional(), repeated: c.Repeated(), def: def, rep: rep}
	if n.optional || n.repeated {
		n.def++
	}
	if n.repeated {
		n.rep++
	}
	if c.Leaf() {
		n.leaf, n.first = c.Index(), c.Index()
		n.typ, n.decode = leafDecoder(c, halves)
		return n, nil
	}
	n.kind = groupNode
	kids := c.Columns()
	if len(kids) == 0 {
		return nil, errors.New("it contains a group without members")
	}
	var logical any
	if l := c.Type().LogicalType(); l != nil {
		logical = l.Value
	}
	switch logical.(type) {
	case *format.ListType:
		if len(kids) == 1 && kids[0].Repeated() {
			n.kind = listNode
		}
	case *format.MapType:
		if len(kids) == 1 && kids[0].Repeated() && len(kids[0].Columns()) == 2 {
			n.kind = mapNode
		}
	case nil:
	default:
		return nil, fmt.Errorf("it contains a %v", c.Type().LogicalType())
	}
	for _, k := range kids {
		child, err := nodeOf(k, halves, n.def, n.rep)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
	}
	n.first = n.children[0].first
	if r := n.children[0]; n.kind == listNode && r.kind == groupNode && len(r.children) == 1 &&
		!r.children[0].repeated && r.name != "array" && r.name != n.name+"_tuple" {
		r.kind = itemNode // the group between a list and its element
	}
	return n, nil
}

// leaves collects the indexes of the leaves below a node.
func (n *nestedNode) leaves(into []int) []int {
	if n.kind == leafNode {
		return append(into, n.leaf)
	}
	for _, k := range n.children {
		into = k.leaves(into)
	}
	return into
}

// cursor reads the values of one leaf one by one.
type cursor struct {
	r     parquet.ColumnChunkValueReader
	buf   []parquet.Value
	at, n int
	end   bool
}

// peek returns the next value, false at the end of the row group.
func (c *cursor) peek() (parquet.Value, bool, error) {
	for c.at == c.n {
		if c.end {
			return parquet.Value{}, false, nil
		}
		k, err := c.r.ReadValues(c.buf)
		c.at, c.n = 0, k
		if err == io.EOF {
			c.end = true
		} else if err != nil {
			return parquet.Value{}, false, err
		}
	}
	return c.buf[c.at], true, nil
}

// assembler assembles the values of the leaves of one column, row by row.
type assembler struct {
	root    *nestedNode
	cursors map[int]*cursor
}

func newAssembler(root *nestedNode, values func(leaf int) (parquet.ColumnChunkValueReader, error)) (*assembler, error) {
	a := &assembler{root, map[int]*cursor{}}
	for _, l := range root.leaves(nil) {
		r, err := values(l)
		if err != nil {
			return nil, errors.Join(err, a.close())
		}
		a.cursors[l] = &cursor{r: r, buf: make([]parquet.Value, 256)}
	}
	return a, nil
}

func (a *assembler) close() (err error) {
	for _, c := range a.cursors {
		err = errors.Join(err, c.r.Close())
	}
	return err
}

// row returns the next row as JSON text, nil for NULL.
func (a *assembler) row() (any, error) {
	v, ok, err := a.cursors[a.root.first].peek()
	if err == nil && (!ok || v.RepetitionLevel() != 0) {
		err = errors.New("its values do not start a row where a row is expected")
	}
	if err != nil {
		return nil, err
	}
	out, err := a.value(a.root, nil)
	if err != nil || string(out) == "null" {
		return nil, err
	}
	return string(out), nil
}

// skip skips the single value that each leaf below an absent node has.
func (a *assembler) skip(n *nestedNode) error {
	for _, l := range n.leaves(nil) {
		c := a.cursors[l]
		if _, ok, err := c.peek(); err != nil || !ok {
			return errors.Join(err, io.ErrUnexpectedEOF)
		}
		c.at++
	}
	return nil
}

// value appends the next value of a node.
func (a *assembler) value(n *nestedNode, out []byte) ([]byte, error) {
	v, ok, err := a.cursors[n.first].peek()
	if err != nil || !ok {
		return out, errors.Join(err, io.ErrUnexpectedEOF)
	}
	if !n.repeated {
		if v.DefinitionLevel() < n.def {
			return append(out, "null"...), a.skip(n)
		}
		return a.inner(n, out)
	}
	out = append(out, '[')
	if v.DefinitionLevel() < n.def {
		return append(out, ']'), a.skip(n)
	}
	for more := true; more; {
		if out, err = a.inner(n, out); err != nil {
			return out, err
		}
		if v, ok, err = a.cursors[n.first].peek(); err != nil {
			return out, err
		}
		if more = ok && v.RepetitionLevel() == n.rep; more {
			out = append(out, ',')
		}
	}
	return append(out, ']'), nil
}

// inner appends a value that is present.
func (a *assembler) inner(n *nestedNode, out []byte) ([]byte, error) {
	var err error
	switch n.kind {
	case leafNode:
		c := a.cursors[n.leaf]
		v, ok, err := c.peek()
		if err != nil || !ok {
			return out, errors.Join(err, io.ErrUnexpectedEOF)
		}
		c.at++
		return appendLeaf(out, n, v)
	case listNode, itemNode:
		return a.value(n.children[0], out)
	case mapNode:
		return a.entries(n.children[0], out)
	}
	out = append(out, '{')
	for i, k := range n.children {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = appendText(out, k.name); err != nil {
			return out, err
		}
		out = append(out, ':')
		if out, err = a.value(k, out); err != nil {
			return out, err
		}
	}
	return append(out, '}'), nil
}

// entries appends a map as an object, with the keys converted to strings.
func (a *assembler) entries(n *nestedNode, out []byte) ([]byte, error) {
	out = append(out, '{')
	v, ok, err := a.cursors[n.first].peek()
	if err != nil || !ok {
		return out, errors.Join(err, io.ErrUnexpectedEOF)
	}
	if v.DefinitionLevel() < n.def {
		return append(out, '}'), a.skip(n)
	}
	seen := map[string]bool{}
	for more := true; more; {
		key, err := a.value(n.children[0], nil)
		if err != nil {
			return out, err
		}
		if key[0] != '"' {
			if key, err = appendText(nil, string(key)); err != nil {
				return out, err
			}
		}
		if seen[string(key)] {
			return out, fmt.Errorf("a map has the key %s twice", key)
		}
		seen[string(key)] = true
		out = append(append(out, key...), ':')
		if out, err = a.value(n.children[1], out); err != nil {
			return out, err
		}
		if v, ok, err = a.cursors[n.first].peek(); err != nil {
			return out, err
		}
		if more = ok && v.RepetitionLevel() == n.rep; more {
			out = append(out, ',')
		}
	}
	return append(out, '}'), nil
}

func appendText(out []byte, s string) ([]byte, error) {
	text := []byte(s)
	return jsontext.AppendString(out, text), infer.CheckText(text)
}

// appendLeaf writes one value as JSON.
func appendLeaf(out []byte, n *nestedNode, v parquet.Value) ([]byte, error) {
	x, err := n.decode(v)
	if err != nil {
		return out, err
	}
	switch x := x.(type) {
	case bool:
		return strconv.AppendBool(out, x), nil
	case int64:
		return strconv.AppendInt(out, x, 10), nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return out, fmt.Errorf("a nested value is %v, which JSON cannot represent", x)
		}
		bits := 64
		if n.typ == "real" {
			bits = 32
		}
		return strconv.AppendFloat(out, x, 'g', -1, bits), nil
	case []byte:
		return append(append(append(out, '"'), base64.StdEncoding.EncodeToString(x)...), '"'), nil
	case time.Time:
		layout := map[string]string{"date": time.DateOnly, "timestamp": "2006-01-02 15:04:05.999999999",
			"timestamp(9)": "2006-01-02 15:04:05.999999999"}[n.typ]
		if layout == "" {
			layout = time.RFC3339Nano
		}
		return append(append(append(out, '"'), x.UTC().Format(layout)...), '"'), nil
	case string:
		switch {
		case strings.HasPrefix(n.typ, "decimal("):
			return append(out, x...), nil
		case n.typ == "json" && json.Valid([]byte(x)):
			return append(out, x...), nil
		}
		return appendText(out, x)
	}
	return out, fmt.Errorf("a nested value of type %s is not supported", n.typ)
}
