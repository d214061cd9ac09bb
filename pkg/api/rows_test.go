package api

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func rowsOf(doc string, format Format) *Rows {
	return NewRows(io.NopCloser(strings.NewReader(doc)), format)
}

const threeColumns = `"columns":[{"columnName":"a"},{"columnName":"b"},{"columnName":"c"}]`

func typedRow(cells ...string) string { return "[" + strings.Join(cells, ",") + "]" }

func TestRowsDecode(t *testing.T) {
	tests := []struct {
		name   string
		format Format
		doc    string
		cols   string // names, joined by |
		rows   string // cells joined by |, rows by newlines
	}{
		{"compact", Compact, `{` + threeColumns + `,"data":[["1","x",null],["2","",true]]}`, "a|b|c",
			"\"1\"|\"x\"|null\n\"2\"|\"\"|true"},
		{"simple", Simple, `{` + threeColumns + `,"data":[{"a":"1","b":"x","c":null},{"a":"2","b":"","c":-1.5e3}]}`,
			"a|b|c",
			"\"1\"|\"x\"|null\n\"2\"|\"\"|-1.5e3"},
		{"typed", CellTyped, `{"columns":[{"columnName":"a"},{"columnName":"b"}],"data":[` +
			typedRow(`{"name":"a","displayName":"A","dataType":"bigint","order":0,"value":"1"}`,
				`{"name":"b","displayName":"B","dataType":"varchar","order":1,"value":null}`) + `]}`,
			"a|b", `"1"|null`},
		{"white space", Compact, " \r\n{ \t\"columns\" : [ { \"columnName\" : \"a\" } ] , \"data\" : [ [ 1 ] ,\n [ [ " +
			"1 , 2 ] ] , [ { \"k\" : 1 } ] ] } \n", "a",
			"1\n[ 1 , 2 ]\n{ \"k\" : 1 }"},
		{"white space simple", Simple, `{ "data" : [ { "a" : 1 , "b" : 2 } , { "a" : 3 , "b" : 4 } ] }`,
			"a|b", "1|2\n3|4"},
		{"escapes stay raw", Compact,
			`{"data":[["\u00e9\n\"\\\/\b\f\r\t"],["\ud83d\ude00"],["\ud800"],["\udc00\ud800"]]}`, "column_1",
			`"\u00e9\n\"\\\/\b\f\r\t"` + "\n" + `"\ud83d\ude00"` + "\n" + `"\ud800"` + "\n" + `"\udc00\ud800"`},
		{"quote behind eight bytes", Compact,
			`{"data":[["1234567"],["12345678"],["123456789"],["1234567\""],["12345678\\"]]}`, "column_1",
			"\"1234567\"\n\"12345678\"\n\"123456789\"\n\"1234567\\\"\"\n\"12345678\\\\\""},
		{"nested", Compact, `{"data":[[{"a":[{"b":[]},{}]},[[],[1,"]}"]]]]}`, "column_1|column_2",
			`{"a":[{"b":[]},{}]}|[[],[1,"]}"]]`},
		{"numbers", Compact, `{"data":[[0,-0,1,12345678901234567890123456789012345678,0.10,1e5,1E+05,2.5e-3]]}`,
			"column_1|column_2|column_3|column_4|column_5|column_6|column_7|column_8",
			"0|-0|1|12345678901234567890123456789012345678|0.10|1e5|1E+05|2.5e-3"},
		{"extra keys", Compact,
			`{"x":{"data":[[9]]},"data":[[1]],"y":[null,"data"],"errorCode":null,"error":"","message":"fine"}`,
			"column_1", "1"},
		{"escaped key", Compact, `{"d\u0061ta":[[1]]}`, "column_1", "1"},
		{"empty", Compact, `{` + threeColumns + `,"data":[]}`, "a|b|c", ""},
		{"empty, columns last", CellTyped, `{"data":[ ],` + threeColumns + `}`, "a|b|c", ""},
		{"null data", Simple, `{` + threeColumns + `,"data":null}`, "a|b|c", ""},
		{"null columns", Simple, `{"columns":null,"data":[{"x":1}]}`, "x", "1"},
		{"no columns, no rows", Simple, `{"data":[]}`, "", ""},
		{"empty rows", Compact, `{"columns":[],"data":[[],[]]}`, "", "\n"},

		{"data first, compact", Compact, `{"data":[[1,2,3]],` + threeColumns + `}`, "a|b|c", "1|2|3"},
		{"data first, simple", Simple, `{"data":[{"c":3,"a":1,"b":2}],` + threeColumns + `}`, "c|a|b", "3|1|2"},
		{"data first, typed", CellTyped, `{"data":[[{"name":"x","value":1},{"name":"x","value":2}]]}`, "x|x", "1|2"},

		{"duplicates, compact", Compact, `{"columns":[{"columnName":"a"},{"columnName":"a"}],"data":[[1,2],[3,4]]}`,
			"a|a", "1|2\n3|4"},
		{"duplicates, typed", CellTyped, `{"columns":[{"columnName":"a"},{"columnName":"a"}],"data":[[{"name":"a",` +
			`"order":1,"value":1},{"name":"a","order":2,"value":2}]]}`, "a|a", "1|2"},
		{"duplicates, simple", Simple, `{"columns":[{"columnName":"a"},{"columnName":"b"},{"columnName":"a"}],` +
			`"data":[{"a":1,"b":2},{"a":3,"b":4},{"b":6,"a":5}]}`, "a|b|a", "1|2|1\n3|4|3\n5|6|5"},
		{"repeated key, simple", Simple, `{"data":[{"a":1,"b":2},{"a":1,"b":2,"a":3},{"a":1,"b":2}]}`, "a|b",
			"1|2\n3|2\n1|2"},
		{"missing key, simple", Simple, `{` + threeColumns +
			`,"data":[{"a":1,"b":2,"c":3},{"a":4,"c":6},{"a":7,"c":9},{"b":1},{},{"a":1,"b":2,"c":3}]}`, "a|b|c",
			"1|2|3\n4|null|6\n7|null|9\nnull|1|null\nnull|null|null\n1|2|3"},
		{"odd key order, simple", Simple, `{` + threeColumns +
			`,"data":[{"c":3,"a":1,"b":2},{"c":6,"a":4,"b":5},{"b":8,"c":9,"a":7}]}`, "a|b|c", "1|2|3\n4|5|6\n7|8|9"},
		{"odd key order, typed", CellTyped, `{"data":[[{"value":1,"order":0,"name":"a"},{"dataType":"x","value":"2",` +
			`"z":[1],"name":"b","order":1}],[{"value":3,"order":0,"name":"a"},{"dataType":"x","value":"4","z":[2],` +
			`"name":"b","order":1}]]}`, "a|b", "1|\"2\"\n3|\"4\""},
		{"missing value, typed", CellTyped, `{"data":[[{"name":"a","value":1}],[{"name":"a"}],[{"name":"a","value":2,` +
			`"value":3}],[{"name":"a","value":4}]]}`, "a", "1\nnull\n3\n4"},

		{"names alike at first, simple", Simple,
			`{"data":[{"abcdefg1":1,"abcdefg2":2},{"abcdefg1":3,"abcdefg2":4},{"abcdefg2":6,"abcdefg1":5}]}`,
			"abcdefg1|abcdefg2", "1|2\n3|4\n5|6"},
		{"long names alike at first, simple", Simple, `{"data":[{"abcdefghijklmnopq1":1,"abcdefghijklmnopq2":2},` +
			`{"abcdefghijklmnopq2":4,"abcdefghijklmnopq1":3}]}`,
			"abcdefghijklmnopq1|abcdefghijklmnopq2", "1|2\n3|4"},

		{"order from 0", CellTyped, `{"data":[[{"name":"b","order":1,"value":2},{"name":"a","order":0,"value":1}]]}`,
			"a|b", "1|2"},
		{"order from 1", CellTyped, `{"data":[[{"name":"b","order":2,"value":2},{"name":"a","order":1,"value":1}]]}`,
			"a|b", "1|2"},
		{"order all the same", CellTyped,
			`{"data":[[{"name":"b","order":0,"value":2},{"name":"a","order":0,"value":1}]]}`, "b|a", "2|1"},
		{"order with a gap", CellTyped,
			`{"data":[[{"name":"b","order":7,"value":2},{"name":"a","order":3,"value":1}]]}`, "b|a", "2|1"},
		{"order against names", CellTyped, `{"columns":[{"columnName":"b"},{"columnName":"a"}],"data":[[{"name":"b",` +
			`"order":1,"value":2},{"name":"a","order":0,"value":1}]]}`, "b|a", "2|1"},
		{"order of duplicates", CellTyped, `{"columns":[{"columnName":"a"},{"columnName":"a"}],"data":[[{"name":"a",` +
			`"order":1,"value":2},{"name":"a","order":0,"value":1}]]}`, "a|a", "1|2"},
		{"only names fit", CellTyped, `{"columns":[{"columnName":"b"},{"columnName":"a"}],"data":[[{"name":"a",` +
			`"value":1},{"name":"b","value":2}]]}`, "b|a", "2|1"},
		{"cells change places", CellTyped, `{"data":[[{"name":"a","value":1},{"name":"b","value":2}],[{"name":"b",` +
			`"value":4},{"name":"a","value":3}]]}`, "a|b", "1|2\n3|4"},
		{"cells name themselves otherwise", CellTyped,
			`{"columns":[{"columnName":"id"}],"data":[[{"name":"x","value":1}],[{"name":"x","value":2}]]}`, "x",
			"1\n2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, format := range []Format{tt.format, ""} {
				if format == "" && tt.format == CellTyped && !strings.Contains(tt.doc, "displayName") {
					continue // only complete cells can be told from JSON objects in COMPACT rows
				}
				for seed := range uint64(8) {
					r := newRows(newCrumbs([]byte(tt.doc), 1+int(seed)*5, seed), format, 1+int(seed)*16, maxWindow)
					names, rows, err := drain(r)
					if err != nil {
						t.Fatal(err)
					}
					var lines []string
					for _, row := range rows {
						lines = append(lines, strings.Join(row, "|"))
					}
					if got := strings.Join(names, "|"); got != tt.cols {
						t.Errorf("columns %q, want %q", got, tt.cols)
					}
					if got := strings.Join(lines, "\n"); got != tt.rows {
						t.Errorf("rows\n%s\nwant\n%s", got, tt.rows)
					}
					if r.Count() != int64(len(rows)) || r.Bytes() != int64(len(tt.doc)) {
						t.Errorf("count %d, bytes %d; want %d, %d", r.Count(), r.Bytes(), len(rows), len(tt.doc))
					}
				}
			}
		})
	}
}

func TestRowsColumns(t *testing.T) {
	cells := typedRow(`{"name":"a","displayName":"Ä","dataType":"bigint","order":0,"value":"1"}`,
		`{"name":"b","displayName":null,"dataType":"varchar","order":1,"value":"x"}`)
	columns := `[{"catalogId":"1","catalogName":"c","schemaName":"s","tableName":"t","columnName":"a"},` +
		`{"catalogId":null,"catalogName":"c","schemaName":"s","tableName":"u","columnName":"b"}]`
	want := []ResultColumn{
		{CatalogID: "1", CatalogName: "c", SchemaName: "s", TableName: "t", Name: "a", DisplayName: "Ä",
			DataType: "bigint"},
		{CatalogName: "c", SchemaName: "s", TableName: "u", Name: "b", DataType: "varchar"},
	}
	for _, doc := range []string{`{"columns":` + columns + `,"data":[` + cells + `]}`, `{"data":[` + cells +
		`],"columns":` + columns + `}`} {
		for _, format := range []Format{CellTyped, ""} {
			r := rowsOf(doc, format)
			cols, err := r.Columns()
			if err != nil || len(cols) != 2 || cols[0].DataType != "bigint" || cols[0].DisplayName != "Ä" {
				t.Fatalf("before the first row: %+v, %v", cols, err)
			}
			if r.Count() != 0 {
				t.Errorf("count %d before Next", r.Count())
			}
			if !r.Next() || string(r.Row()[1]) != `"x"` || r.Count() != 1 || r.Format() != CellTyped {
				t.Fatalf("row %q, count %d", r.Row(), r.Count())
			}
			if r.Next() || r.Err() != nil {
				t.Fatal(r.Err())
			}
			if cols, err = r.Columns(); err != nil || !reflect.DeepEqual(cols, want) {
				t.Errorf("got %+v, %v\nwant %+v", cols, err, want)
			}
		}
	}
	_, err := rowsOf(`{"data":[[1`, Compact).Columns()
	if !errors.Is(err, ErrTruncated) {
		t.Errorf("cut before the first row: %v", err)
	}
}

// A row is given as soon as its last byte is there, and so are the columns.
func TestRowsDoNotWait(t *testing.T) {
	pr, pw := io.Pipe()
	r := NewRows(pr, Compact)
	defer r.Close()
	steps := make(chan struct{}, 2)
	go func() {
		for _, s := range []string{`{"columns":[{"columnName":"a"}]`, `,"data":[["1"]`, `,["2"]`, `,["`, `3"]`} {
			<-steps
			_, _ = io.WriteString(pw, s)
		}
		<-steps
		_ = pw.CloseWithError(io.ErrUnexpectedEOF)
	}()
	steps <- struct{}{}
	if cols, err := r.Columns(); err != nil || len(cols) != 1 {
		t.Fatal(cols, err)
	}
	for i, want := range []string{`"1"`, `"2"`, `"3"`} {
		if steps <- struct{}{}; i == 2 {
			steps <- struct{}{}
		}
		if !r.Next() || string(r.Row()[0]) != want {
			t.Fatal(want, r.Err())
		}
	}
	steps <- struct{}{}
	if r.Next() || !errors.Is(r.Err(), ErrTruncated) || !errors.Is(r.Err(), io.ErrUnexpectedEOF) {
		t.Error(r.Err())
	}
}

func TestRowsLongCells(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789é\\n"), 4<<20)
	for name, tt := range map[string]struct {
		format      Format
		open, close string
	}{
		"compact": {Compact, `["1",`, `]`},
		"simple":  {Simple, `{"column_1":"1","column_2":`, `}`},
		"typed":   {CellTyped, `[{"name":"column_1","value":"1"},{"name":"column_2","value":`, `}]`},
	} {
		t.Run(name, func(t *testing.T) {
			small := tt.open + `"x"` + tt.close
			r := NewRows(io.NopCloser(io.MultiReader(strings.NewReader(`{"data":[`+small+`,`+small+`,`+tt.open+`"`),
				bytes.NewReader(long),
				strings.NewReader(`"`+tt.close+`,`+small+`]}`))), tt.format)
			for i, want := range []int{3, 3, len(long) + 2, 3} {
				if !r.Next() {
					t.Fatal(i, r.Err())
				}
				if got := r.Row()[1]; len(got) != want || i == 2 && !bytes.Equal(got[1:len(got)-1], long) {
					t.Fatalf("row %d: %d bytes, want %d", i+1, len(got), want)
				}
			}
			if r.Next() || r.Err() != nil {
				t.Fatal(r.Err())
			}
		})
	}
}

func TestRowsTooLong(t *testing.T) {
	doc := `{"data":[["1"],["` + strings.Repeat("x", 2<<20) + `"]]}`
	_, rows, err := drain(newRows(io.NopCloser(strings.NewReader(doc)), Compact, windowSize, 1<<20))
	if err == nil || !strings.Contains(err.Error(), "row 2 is longer than 1 MiB after 1 row") || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	doc = `{"x":"` + strings.Repeat("x", 2<<20) + `","data":[]}`
	_, _, err = drain(newRows(io.NopCloser(strings.NewReader(doc)), Compact, windowSize, 1<<20))
	if err == nil || !strings.Contains(err.Error(), "longer than 1 MiB") {
		t.Fatal(err)
	}
}

type closer struct {
	io.Reader
	closed int
}

func (c *closer) Close() error { c.closed++; return nil }

func TestRowsClose(t *testing.T) {
	body := &closer{Reader: strings.NewReader(`{"data":[[1],[2]]}`)}
	r := NewRows(body, Compact)
	if !r.Next() {
		t.Fatal(r.Err())
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if body.closed != 1 {
		t.Errorf("closed %d times", body.closed)
	}
	if r.Err() != nil {
		t.Errorf("closing early is no error by itself: %v", r.Err())
	}
	if r.Next() || r.Err() == nil {
		t.Error("a closed, unfinished result must not look complete")
	}
}

func TestRowsTransportError(t *testing.T) {
	broken := errors.New("connection reset")
	for _, doc := range []string{``, `{"data":[[1],`, `{"data":[[1],[2]]}`} {
		r := NewRows(io.NopCloser(io.MultiReader(strings.NewReader(doc), iotest.ErrReader(broken))), Compact)
		_, _, err := drain(r)
		var re *RowsError
		if !errors.As(err, &re) || !errors.Is(err, broken) || re.Offset != int64(len(doc)) {
			t.Errorf("%q: %v", doc, err)
		}
	}
	_, _, err := drain(NewRows(io.NopCloser(idle{}), Compact))
	if !errors.Is(err, errNoProgress) {
		t.Error(err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }
