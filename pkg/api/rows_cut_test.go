package api

import (
	"errors"
	"io"
	"testing"
)

var samples = map[Format]string{
	Compact: ` {"took":1.5e1,"columns":[{"columnName":"a"},{"columnName":"b"}],"data":[["1","x\u00e9"],[null,"日本"], ` +
		`[true,{"k":[1,-0.5]}],["4","\ud83d\ude00"]],"more":{"x":[]}} `,
	Simple: `{"columns":[{"columnName":"a"},{"columnName":"b"}],"data":[{"a":"1","b":"x\n"},{"a":null,"b":"日本"},` +
		`{"b":12, "a":[]},{"a":"4","b":""}],"n":null}`,
	CellTyped: `{"columns":[{"columnName":"a"},{"columnName":"b"}],"data":[` +
		`[{"name":"a","displayName":"A","dataType":"bigint","order":0,"value":"1"},{"name":"b","displayName":"B",` +
		`"dataType":"varchar","order":1,"value":"é\\"}],` +
		`[{"name":"a","displayName":"A","dataType":"bigint","order":0,"value":null},{"name":"b","displayName":"B",` +
		`"dataType":"varchar","order":1,"value":"日本"}],` +
		`[{"value":"4","order":0,"name":"a"},{"name":"b","order":1}]]}`,
}

// A document cut at any byte is an error that says so and counts the rows; it never ends quietly.
func TestRowsCutAnywhere(t *testing.T) {
	reset := errors.New("connection reset")
	for format, doc := range samples {
		_, all, err := drain(newRows(newCrumbs([]byte(doc), 64, 1), format, 64, maxWindow))
		if err != nil || len(all) < 3 {
			t.Fatalf("%s: %d rows, %v", format, len(all), err)
		}
		last := len(doc)
		for doc[last-1] == ' ' {
			last--
		}
		for cut := range last {
			for seed := range uint64(6) {
				for _, end := range []error{nil, io.ErrUnexpectedEOF, reset} {
					body := newCrumbs([]byte(doc[:cut]), 1+int(seed)*11, seed)
					body.err = end
					asked := format
					if seed == 5 {
						asked = ""
					}
					r := newRows(body, asked, 1+int(seed)*40, maxWindow)
					_, rows, err := drain(r)
					var re *RowsError
					if !errors.As(err, &re) {
						t.Fatalf("%s cut at %d: error %v", format, cut, err)
					}
					if want := end; want == reset && !errors.Is(err, reset) || want != reset &&
						!errors.Is(err, ErrTruncated) {
						t.Fatalf("%s cut at %d: error %v", format, cut, err)
					}
					if re.Rows != int64(len(rows)) || re.Offset != int64(cut) || r.Count() != re.Rows {
						t.Fatalf("%s cut at %d: %d rows read, error %v", format, cut, len(rows), err)
					}
					for i, row := range rows {
						for k := range row {
							if row[k] != all[i][k] {
								t.Fatalf("%s cut at %d: row %d is %q", format, cut, i+1, row)
							}
						}
					}
				}
			}
		}
	}
}
