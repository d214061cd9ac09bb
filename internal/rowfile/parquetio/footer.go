package parquetio

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/format"
)

// The limits of metadata. The library has a limit of 65,535 columns.
const (
	mostGroups = math.MaxInt16
	mostChunks = 2 << 20
	mostSchema = 200_000
	longestRow = 16 << 20 // bytes of a value with a fixed length
	deepColumn = 200
)

// chunk is where the values of a column in a row group are.
type chunk struct {
	codec  format.CompressionCodec
	first  int64 // offset of the first page
	size   int64 // bytes of the pages
	values int64 // their number, with NULLs
	bounds bounds
}

// element is an entry of the schema.
type element struct {
	name     string
	kind     int64 // physical type, -1 for a group
	children int64
}

// footer is the metadata of a file.
type footer struct {
	chunks [][]chunk // by row group and leaf
	schema []element
	rows   int64
	text   []byte // for the library: without what is not needed, and with pages that follow each other uncompressed
}

// virtual is where the pages of each column begin, and their size, for the library.
const (
	virtualStart = 4
	virtualSize  = 1 << 50
)

var magic = []byte("PAR1")

// readFooter reads and checks the metadata.
func readFooter(in io.ReaderAt, size int64) (*footer, error) {
	var tail [8]byte
	if size < 12 {
		return nil, errors.New("it is too short for a Parquet file")
	}
	if _, err := in.ReadAt(tail[:], size-8); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch string(tail[4:]) {
	case "PARE":
		return nil, errEncrypted
	case string(magic):
	default:
		return nil, errors.New("it does not end as a Parquet file does: it is another file, or was cut off")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:4]))
	if n > size-12 {
		return nil, errors.New("its metadata would be larger than the file")
	}
	f := &footer{}
	c := &compact{in: bufio.NewReader(io.NewSectionReader(in, size-8-n, n)), left: n, out: slices.Clone(magic)}
	if err := c.structure(f.rules(), 0); err != nil {
		if errors.Is(err, errThrift) || errors.Is(err, errTooBig) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("its metadata is damaged")
		}
		return nil, err
	}
	if c.left > 0 && c.left != 28 { // the length of a signature
		return nil, errors.New("its metadata is damaged: something follows it")
	} else if c.left > 0 {
		return nil, errEncrypted
	}
	text := binary.LittleEndian.AppendUint32(c.out, uint32(len(c.out)-len(magic)))
	f.text = append(text, magic...)
	if err := f.checkSchema(); err != nil {
		return nil, err
	}
	for _, g := range f.chunks {
		for _, k := range g {
			if k.first < 4 || k.size < 0 || k.first > size || k.size > size-k.first {
				return nil, errors.New("its metadata is damaged: the pages of a column are not within the file")
			}
		}
	}
	return f, nil
}

var errEncrypted = errors.New("it is encrypted, or has a signature for encrypted files, which is not supported")

// rules checks the fields of the metadata by their numbers in parquet.thrift, and replaces those of columns.
func (f *footer) rules() *rule {
	var e element
	schema := &rule{
		integer: func(id int16, v int64) (int64, error) {
			switch id {
			case 1:
				e.kind = v
			case 2:
				if v < 0 || v > longestRow {
					return v, fmt.Errorf("malformed schema: an element has values of %d bytes", v)
				}
			case 3:
				if v < 0 || v > 2 {
					return v, fmt.Errorf("malformed schema: an element has the repetition %d", v)
				}
			case 5:
				e.children = v
			}
			return v, nil
		},
		text: func(id int16, v []byte) error {
			if id == 4 {
				e.name = string(v)
			}
			return nil
		},
		end: func() error {
			f.schema = append(f.schema, e)
			e = element{kind: -1}
			return nil
		},
	}
	e.kind = -1
	var k chunk
	var first, dictionary int64
	codecs := 0
	about := &rule{
		drop:   []int16{8, 10, 13, 15, 16, 17},
		read:   []int16{12, 14},
		within: map[int16]*rule{12: k.bounds.rule()},
		integer: func(id int16, v int64) (int64, error) {
			switch id {
			case 4:
				k.codec, codecs = format.CompressionCodec(v), codecs+1
				return int64(format.Uncompressed), nil
			case 5:
				k.values = v
			case 7:
				k.size = v
				return virtualSize, nil
			case 9:
				first = v
				return virtualStart, nil
			case 11:
				dictionary = v
				return 0, nil
			case 14:
				k.bounds.bloom = true
			}
			return v, nil
		},
	}
	begin := func() { k, first, dictionary, codecs = chunk{bounds: noBounds}, 0, 0, 0 }
	begin()
	chunks := 0
	column := &rule{
		drop:   []int16{4, 5, 6, 7},
		within: map[int16]*rule{3: about, 8: {end: func() error { return errEncrypted }}},
		text: func(id int16, v []byte) error {
			switch {
			case id == 1 && len(v) > 0:
				return errors.New("its values are in other files, which are not read")
			case id == 9:
				return errEncrypted
			}
			return nil
		},
		end: func() error {
			if codecs != 1 {
				return errThrift
			}
			k.first = first
			if dictionary > 0 && dictionary < first {
				k.first = dictionary
			}
			if k.values == 0 { // writers disagree on where pages without values are
				k.first, k.size = virtualStart, 0
			}
			g := len(f.chunks) - 1
			f.chunks[g] = append(f.chunks[g], k)
			begin()
			return nil
		},
	}
	group := &rule{
		drop:   []int16{4},
		within: map[int16]*rule{1: column},
		integer: func(id int16, v int64) (int64, error) {
			if id == 3 {
				if v < 0 || f.rows > math.MaxInt64-v {
					return v, fmt.Errorf("its metadata is damaged: a row group has %d rows", v)
				}
				f.rows += v
			}
			return v, nil
		},
		list: func(id int16, n int) error {
			if id == 1 {
				if chunks += n; chunks > mostChunks {
					return fmt.Errorf("it has more than %d parts of columns", mostChunks)
				}
				f.chunks = append(f.chunks, nil)
			}
			return nil
		},
	}
	return &rule{
		drop:   []int16{5, 6, 7},
		within: map[int16]*rule{2: schema, 4: group, 8: {end: func() error { return errEncrypted }}},
		list: func(id int16, n int) error {
			switch {
			case id == 2 && n > mostSchema:
				return fmt.Errorf("its schema has %d elements; at most %d are read", n, mostSchema)
			case id == 4 && n > mostGroups:
				return fmt.Errorf("it has %d row groups; at most %d are read", n, mostGroups)
			}
			return nil
		},
	}
}

// checkSchema checks that the elements of the schema are a tree of columns of known types.
func (f *footer) checkSchema() error {
	if len(f.schema) == 0 {
		return errors.New("malformed schema: it has no elements")
	}
	at := 1
	var tree func(n int64, depth int) error
	tree = func(n int64, depth int) error {
		for range n {
			if at == len(f.schema) {
				return errors.New("malformed schema: it has fewer elements than the groups have members")
			}
			e := f.schema[at]
			at++
			switch {
			case e.children < 0:
				return fmt.Errorf("malformed schema: column %q has %d members", e.name, e.children)
			case e.children > int64(len(f.schema)):
				return fmt.Errorf("malformed schema: column %q has %d members, and the schema has %d elements", e.name,
					e.children, len(f.schema))
			case e.kind < -1 || e.kind > int64(format.FixedLenByteArray):
				return fmt.Errorf("column %q has the unknown physical type %d", e.name, e.kind)
			case e.kind >= 0 && e.children > 0:
				return fmt.Errorf("malformed schema: column %q has a type and members", e.name)
			case depth > deepColumn:
				return fmt.Errorf("column %q is nested deeper than %d levels", e.name, deepColumn)
			}
			if err := tree(e.children, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if n := f.schema[0].children; n < 0 || n > int64(len(f.schema)) || f.schema[0].kind >= 0 {
		return errors.New("malformed schema: its first element is not a group of columns")
	} else if err := tree(n, 1); err != nil {
		return err
	}
	if at < len(f.schema) {
		return errors.New("malformed schema: it has more elements than the groups have members")
	}
	leaves := 0
	for _, e := range f.schema {
		if e.kind >= 0 {
			leaves++
		}
	}
	for _, g := range f.chunks {
		if len(g) != leaves {
			return fmt.Errorf("its metadata is damaged: a row group has %d columns, and the schema %d", len(g), leaves)
		}
	}
	return nil
}
