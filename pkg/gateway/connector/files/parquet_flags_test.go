package files

import (
	"bufio"
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// TestRunsOfFlags reads files of pyarrow whose booleans are encoded as runs, in pages of both forms, alone, with NULL, in lists and in groups. The values
// are those of the loops that wrote them.
func TestRunsOfFlags(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"flags1", "flags2"} {
		rows, err := readAll(t, dir, table, "b", "l", "s", "r")
		if err != nil || len(rows) != 300 {
			t.Fatalf("%s: %d rows, %v", table, len(rows), err)
		}
		for i, row := range rows {
			want := []any{i/29%2 == 0, nil, fmt.Sprintf(`{"x":%v}`, i > 100), i >= 20}
			if i%11 == 5 && i%2 == 1 {
				want[0] = nil
			}
			if i%50 != 3 {
				want[1] = "[" + strings.Join(slices.Repeat([]string{fmt.Sprint(i/27%2 == 0)}, i%3), ",") + "]"
			}
			if got := fmt.Sprint(row...); got != fmt.Sprint(want...) {
				t.Errorf("%s, row %d: %v, want %v", table, i, got, want)
			}
		}
	}
}

// TestHalfPrecision reads a file of pyarrow with numbers of two bytes, alone and in lists.
func TestHalfPrecision(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readAll(t, dir, "half", "h", "l")
	want := "[[0 [1.5]] [-0 <nil>] [1 []] [-2.5 [-0.25,null]] [65504 <nil>] [6.103515625e-05 <nil>] [5.960464477539063e-08 <nil>] [+Inf <nil>] [-Inf <nil>] [NaN <nil>] [<nil> <nil>] [0.333251953125 <nil>]]"
	if got := fmt.Sprint(rows); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
}

// TestLZ4IsRefused: it was read as zeros.
func TestLZ4IsRefused(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connect(t, dir).Table(t.Context(), rootSchema, "lz4"); err == nil || !strings.Contains(err.Error(), "lz4.parquet: it is compressed with LZ4") {
		t.Errorf("%v", err)
	}
}

// TestPagesThatLie: sizes and numbers of a header that cannot be are errors.
func TestPagesThatLie(t *testing.T) {
	for name, h := range map[string]format.PageHeader{
		"more NULLs than values":     {CompressedPageSize: 1, UncompressedPageSize: 1, DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{NumValues: 1, NumNulls: 9, Encoding: format.Plain})},
		"levels longer than a page":  {CompressedPageSize: 9, UncompressedPageSize: 1, DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{NumValues: 1, DefinitionLevelsByteLength: 8})},
		"a page longer than a chunk": {CompressedPageSize: 1 << 30, UncompressedPageSize: 1, DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{NumValues: 1})},
	} {
		h.Type = format.DataPageV2
		var compact thrift.CompactProtocol
		raw, err := thrift.Marshal(&compact, &h)
		if err != nil {
			t.Fatal(err)
		}
		f := &flags{in: bufio.NewReader(bytes.NewReader(append(raw, make([]byte, 9)...))), about: &format.ColumnMetaData{Codec: format.Snappy, TotalCompressedSize: 99}}
		if _, err := f.next(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
