package api

import (
	"errors"
	"strings"
	"testing"
)

func TestRowsReject(t *testing.T) {
	tests := []struct {
		name   string
		format Format
		doc    string
		want   string // part of the error
		rows   int64
	}{
		{"html", Compact, "<!DOCTYPE html><p>", `expected a JSON object, found "<`, 0},
		{"array", Compact, `[1]`, "found array", 0},
		{"string", Compact, `"no"`, "found string", 0},
		{"error reply", CellTyped, `{"errorCode":100,"message":"Table 'x' does not exist"}`,
			"error 100: Table 'x' does not exist", 0},
		{"error reply, framework", CellTyped,
			`{"timestamp":"t","path":"/p","status":404,"error":"Not Found","message":null}`, "Not Found", 0},
		{"message alone", CellTyped, `{"message":"nothing here"}`, "nothing here", 0},
		{"rows and an error", Compact, `{"data":[[1]],"errorCode":100,"message":"disk full"}`, "disk full", 1},
		{"empty object", Compact, `{}`, `without "data"`, 0},
		{"no data", Compact, `{"columns":[],"rows":[]}`, `no "data", found only "columns", "rows"`, 0},
		{"data is an object", Compact, `{"data":{}}`, `"data" is not an array but object`, 0},
		{"columns is an object", Compact, `{"columns":{},"data":[]}`, `"columns" is not an array but object`, 0},
		{"columns of strings", Compact, `{"columns":["a"],"data":[]}`, `"columns"`, 0},
		{"columns with null", Compact, `{"columns":[null],"data":[]}`, "number 1 is null", 0},
		{"data twice", Compact, `{"data":[[1]],"data":[[2]]}`, `duplicate "data"`, 1},
		{"columns twice", Compact, `{"columns":[],"columns":[],"data":[]}`, `duplicate "columns"`, 0},
		{"trailing garbage", Compact, `{"data":[[1]]} x`, `"x" after the end`, 1},
		{"second document", Compact, `{"data":[[1]]}{"data":[]}`, "object after the end", 1},
		{"trailing zero byte", Compact, "{\"data\":[[1]]}\x00", "after the end", 1},

		{"too few cells", Compact, `{` + threeColumns + `,"data":[[1,2,3],[1,2]]}`,
			"row 2 has 2 cells, the result has 3 columns", 1},
		{"too many cells", Compact, `{"data":[[1,2],[1,2,3]]}`, "row 2 has 3 cells", 1},
		{"too few typed cells", CellTyped, `{"data":[[{"name":"a","value":1}],[]]}`, "row 2 has 0 cells", 1},
		{"late columns, count", Compact, `{"data":[[1,2]],` + threeColumns + `}`, `"columns" has 3 entries`, 1},
		{"late columns, name", Simple, `{"data":[{"a":1}],"columns":[{"columnName":"b"}]}`, `does not name "a"`, 1},
		{"unknown key", Simple, `{` + threeColumns + `,"data":[{"a":1,"d":2}]}`, `row 1 has the key "d"`, 0},
		{"names change", CellTyped, `{"data":[[{"name":"a","value":1}],[{"name":"b","value":1}]]}`,
			"cell names of row 2", 1},
		{"cell without name", CellTyped, `{"data":[[{"value":1}]]}`, `has no "name"`, 0},

		{"simple, not compact", Compact, `{"data":[{"a":1}]}`, "SIMPLE), which is not a row of format COMPACT", 0},
		{"compact, not simple", Simple, `{"data":[["a"]]}`, "not a row of format SIMPLE", 0},
		{"compact, not typed", CellTyped, `{"data":[["a"]]}`,
			"is string, not an object: not a row of format CELL_TYPED", 0},
		{"typed, not compact", Compact,
			`{"data":[[{"name":"a","displayName":"a","dataType":"x","order":0,"value":1}]]}`,
			"format CELL_TYPED, not COMPACT", 0},
		{"a number for a row", "", `{"data":[1]}`, "row 1 is number", 0},
		{"null for a row", Compact, `{"data":[[1],null]}`, `row 2 is "null"`, 1},

		{"control character", Compact, "{\"data\":[[\"a\nb\"]]}", "control character 0x0a", 0},
		{"invalid UTF-8", Compact, "{\"data\":[[\"a\"],[\"\xff\"]]}", "UTF-8", 1},
		{"surrogate as UTF-8", Compact, "{\"data\":[[\"\xed\xa0\x80\"]]}", "UTF-8", 0},
		{"invalid escape", Compact, `{"data":[["a"],["\x"]]}`, "escape", 1},
		{"bad \\u", Compact, `{"data":[["\u12g4"]]}`, "escape", 0},
		{"leading zero", Compact, `{"data":[[1],[01]]}`, "number", 1},
		{"no digits", Compact, `{"data":[[1],[-]]}`, "number", 1},
		{"no fraction", Compact, `{"data":[[1.]]}`, "number", 0},
		{"no exponent", Compact, `{"data":[[1e+]]}`, "number", 0},
		{"plus", Compact, `{"data":[[+1]]}`, "unexpected", 0},
		{"NaN", Compact, `{"data":[[NaN]]}`, `unexpected "N`, 0},
		{"word", Compact, `{"data":[[nil]]}`, `unknown word "n`, 0},
		{"comma before ]", Compact, `{"data":[[1,]]}`, "unexpected", 0},
		{"comma after the last row", Compact, `{"data":[[1],]}`, "unexpected", 1},
		{"comma before the first row", Compact, `{"data":[,[1]]}`, "unexpected", 0},
		{"comma before }", Compact, `{"data":[],}`, "unexpected", 0},
		{"no comma", Compact, `{"data":[[1][2]]}`, "unexpected array", 1},
		{"no colon", Compact, `{"data" [[1]]}`, "unexpected array", 0},
		{"mixed brackets", Compact, `{"data":[[[1}]]}`, "unexpected", 0},
		{"bad extra", Compact, `{"data":[[1]],"x":[1 2]}`, "unexpected number", 1},
		{"too deep", Compact, `{"data":[[` + strings.Repeat("[", 1001) + strings.Repeat("]", 1001) + `]]}`,
			"deeper than 1000", 0},
		{"unknown format", "ARROW", `{"data":[]}`, `unknown format "ARROW"`, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range uint64(8) {
				r := newRows(newCrumbs([]byte(tt.doc), 1+int(seed)*9, seed), tt.format, 1+int(seed)*16, maxWindow)
				_, rows, err := drain(r)
				var re *RowsError
				if !errors.As(err, &re) || !strings.Contains(err.Error(), tt.want) {
					t.Fatalf("error %v, want one with %q", err, tt.want)
				}
				if errors.Is(err, ErrTruncated) {
					t.Errorf("%v: taken for truncated", err)
				}
				if re.Rows != tt.rows || int64(len(rows)) != tt.rows {
					t.Errorf("%v: %d rows read, want %d", err, len(rows), tt.rows)
				}
				if r.Next() || r.Err() != err {
					t.Error("the error does not last")
				}
			}
		})
	}
}

// A bad value is found in a row whose layout was learned, too, wherever it stands.
func TestRowsRejectLearned(t *testing.T) {
	for _, bad := range []string{"\"a\nb\"", "\"\x1f\"", "\"0123456789\x00\"", "\"0123456789abcdefghi\t\"", "\"\xff\"",
		"\"0123456789\xc3\"",
		"\"0123456789abcdefghi\xed\xa0\x80\"", `"\x"`, `"01234567\u12g4"`, `"0123456789abcdefghi\"`, `01`, `-`, `1.`,
		`1e`, `nul`, `nulL`, `tru`, `x`, `'a'`, ``,
		`"a" "b"`, `1 2`, `[1`, `[1}`, `{"a"}`, `{"a":1,}`, `[1,]`, `"a`, `a"`, `"a""`} {
		for format, layout := range map[Format]string{
			Compact: `[%,"x",%]`,
			Simple:  `{"a":%,"b":"x","a long column name":%}`,
			CellTyped: `[{"name":"a","order":0,"value":%},{"name":"b","order":1,"value":"x"},{"name":"c","order":2,` +
				`"value":%}]`,
		} {
			good := strings.ReplaceAll(layout, "%", `"good"`)
			for _, row := range []string{strings.Replace(good, `"good"`, bad, 1),
				good[:strings.LastIndex(good, `"good"`)] + bad + good[strings.LastIndex(good, `"good"`)+6:]} {
				doc := []byte(`{"data":[` + good + `,` + good + `,` + row + `,` + good + `]}`)
				if _, _, err := reference(doc, format); err == nil {
					t.Fatalf("%q is sound", doc)
				}
				for seed := range uint64(4) {
					r := newRows(newCrumbs(doc, 1+int(seed)*40, seed), format, 1+int(seed)*32, maxWindow)
					if _, rows, err := drain(r); err == nil || len(rows) != 2 {
						t.Errorf("%q: %d rows, error %v", doc, len(rows), err)
					}
				}
			}
		}
	}
}

func TestRowsErrorText(t *testing.T) {
	for doc, want := range map[string]string{
		"<!DOCTYPE html><p>": `not a result: expected a JSON object, found "<!DOCTYPE" after 0 rows ` +
			`(byte 0)`,
		`{"data":[["a"],[NaN]]}`:          `unexpected "NaN" after 1 row (byte 16)`,
		`{"data":[["a"],[nil]]}`:          `unknown word "nil" after 1 row (byte 16)`,
		`{"data":[["a"],["b"],["c"`:       `the result was truncated after 2 rows (byte 25)`,
		``:                                `the result was truncated: the reply is empty after 0 rows (byte 0)`,
		`{"errorCode":100,"message":"m"}`: `the gateway answered with error 100: m`,
	} {
		if _, _, err := drain(rowsOf(doc, Compact)); err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", doc, err, want)
		}
	}
}

func TestRowsErrorReply(t *testing.T) {
	_, _, err := drain(rowsOf(`{"message":"m\u00e9","errorCode":"cn004","error":"E"}`, CellTyped))
	var reply *ReplyError
	if !errors.As(err, &reply) || *reply != (ReplyError{Code: "cn004", Message: "mé"}) {
		t.Fatalf("got %v", err)
	}
}
