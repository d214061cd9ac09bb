package api

import (
	"encoding/json"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

var fuzzSeeds = []string{
	`{"columns":[{"columnName":"a"},{"columnName":"b"}],"data":[["1","x"],[null,"y\né"],["3",{"k":[1,2.5e-3]}]]}`,
	`{"columns":[{"columnName":"a"},{"columnName":"b"}],"data":[{"a":"1","b":"x"},{"b":null,"a":"2"},{"a":true}]}`,
	`{"columns":[{"columnName":"a"},{"columnName":"b"}],"data":[` +
		`[{"name":"a","displayName":"A","dataType":"bigint","order":0,"value":"1"},{"name":"b","displayName":"B",` +
		`"dataType":"varchar","order":1,"value":null}],` +
		`[{"name":"a","displayName":"A","dataType":"bigint","order":0,"value":"2"},{"name":"b","displayName":"B",` +
		`"dataType":"varchar","order":1,"value":"\ud83d\ude00"}],` +
		`[{"value":"4","order":1,"name":"b"},{"name":"a","order":0}]]}`,
	` { "extra" : [ { } , 1e5 ] , "data" : [ [ "\ud800" , 1 ] , [ "日本" , -0.5E+7 ] ] , "columns" : [ { "columnName" ` +
		`: "p" } , { "columnName" : "p" } ] } `,
	`{"data":[{"x":1,"y":2,"x":3},{"y":1,"x":false}]}`,
	`{"data":[[{"name":"a","dataType":"t","order":2,"value":1},{"name":"a","dataType":"t","order":1,"value":2}]],` +
		`"columns":[{"columnName":"a"},{"columnName":"a"}]}`,
	`{"errorCode":100,"message":"no"}`, `{"data":null}`, `{"data":[]}`, `{}`, `[]`, `{"data":[[]],"columns":[]}`,
	`{"data":[{}]}`,
	`{"columns":[{"columnName":"a"}],"data":[[01]]}`, `{"data":[["` + "\xff" + `"]]}`, `{"data":[[1],[2]]}x`,
	`{"columns":[{"columnName":"b"},{"columnName":"a"}],"data":[[{"name":"a","order":0,"dataType":"x","value":"1"},` +
		`{"name":"b","order":1,"dataType":"x","value":"2"}]]}`,
}

func fuzzFormat(b byte) Format {
	return []Format{CellTyped, Simple, Compact, ""}[b%4]
}

// agree fails unless the decoder and the reference say the same of doc, cut up by seed.
func agree(t *testing.T, doc []byte, format Format, seed uint64) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 2))
	size := 1 + rnd.IntN(96)
	r := newRows(newCrumbs(doc, 1+rnd.IntN(64), seed), format, size, 1<<20)
	if rnd.IntN(2) == 0 {
		_, _ = r.Columns()
	}
	names, rows, err := drain(r)
	wantNames, wantRows, wantErr := reference(doc, format)
	if wantErr == nil && err != nil && strings.Contains(err.Error(), "nested deeper") {
		return // a documented difference
	}
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%s %q:\n got error %v\nwant error %v", format, doc, err, wantErr)
	}
	if err != nil {
		return
	}
	if len(rows) != len(wantRows) || len(rows) > 0 && !reflect.DeepEqual(rows, wantRows) {
		t.Fatalf("%s %q:\n got %q\nwant %q", format, doc, rows, wantRows)
	}
	if strings.Join(names, "\x00") != strings.Join(wantNames, "\x00") || len(names) != len(wantNames) {
		t.Fatalf("%s %q:\n got columns %q\nwant columns %q", format, doc, names, wantNames)
	}
}

func FuzzRows(f *testing.F) {
	for _, s := range fuzzSeeds {
		for k := range byte(4) {
			f.Add([]byte(s), k, uint64(k)*7+1)
		}
	}
	f.Fuzz(func(t *testing.T, doc []byte, format byte, seed uint64) {
		agree(t, doc, fuzzFormat(format), seed)
	})
}

// FuzzRowsValues puts arbitrary tokens into a sound document, so that values, not brackets, are what gets mutated.
func FuzzRowsValues(f *testing.F) {
	f.Add(`"a"`, `1`, `null`, byte(0), uint64(1))
	f.Add(`"\u00e9\ud83d\ude00"`, `-1.5e+10`, `{"a":[true,false]}`, byte(1), uint64(2))
	f.Add(`"\ud800x"`, `0.1`, `[ ]`, byte(2), uint64(3))
	f.Add("\"日本語\"", `01`, `nul`, byte(2), uint64(3))
	f.Fuzz(func(t *testing.T, a, b, c string, format byte, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		var doc strings.Builder
		doc.WriteString(`{"columns":[{"columnName":"x"},{"columnName":"y"},{"columnName":"z"}],"data":[`)
		for i := range 2 + rnd.IntN(8) {
			if i > 0 {
				doc.WriteByte(',')
			}
			v := []string{a, b, c}
			rnd.Shuffle(3, func(i, j int) { v[i], v[j] = v[j], v[i] })
			switch fuzzFormat(format) {
			case Simple:
				doc.WriteString(`{"x":` + v[0] + `,"y":` + v[1] + `,"z":` + v[2] + `}`)
			case CellTyped, "":
				doc.WriteString(`[{"name":"x","dataType":"t","order":0,"value":` + v[0] +
					`},{"name":"y","dataType":"t","order":1,"value":` +
					v[1] + `},{"name":"z","dataType":"t","order":2,"value":` + v[2] + `}]`)
			default:
				doc.WriteString(`[` + v[0] + `,` + v[1] + `,` + v[2] + `]`)
			}
		}
		doc.WriteString(`]}`)
		agree(t, []byte(doc.String()), fuzzFormat(format), seed)
	})
}

func FuzzCellText(f *testing.F) {
	for _, s := range []string{`""`, `"a\nb"`, `"\ud83d\ude00"`, `"\ud800\ud800\udc00"`, `"\udc00x"`, `12`, `null`,
		`"é\/\\\""`, `"\u12"`, `"" `} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, token []byte) {
		for _, but := range []byte{',', '\t', 'a'} {
			whole, err := Cell(token).AppendText(nil)
			plain, ok := Cell(token).AppendPlain(nil, but)
			if ok && (err != nil || string(plain) != string(whole) || strings.IndexByte(string(plain), but) >= 0) &&
				json.Valid(token) {
				t.Fatalf("%q: plain text %q, text %q, %v", token, plain, whole, err)
			}
		}
		var want any
		if json.Unmarshal(token, &want) != nil || token[0] == ' ' || token[0] == '\n' || token[0] == '\t' ||
			token[0] == '\r' {
			_, _ = Cell(token).AppendText(nil) // must not panic
			return
		}
		got, err := Cell(token).AppendText([]byte("x"))
		if err != nil {
			if token[0] == '"' && strings.TrimRight(string(token), " \n\r\t") == string(token) {
				t.Fatalf("%q: %v", token, err)
			}
			return
		}
		if s, ok := want.(string); !ok {
			s = string(token)
			if string(got) != "x"+s {
				t.Fatalf("%q: got %q", token, got)
			}
		} else if strings.ToValidUTF8(string(got), "\uFFFD") != strings.ToValidUTF8("x"+s, "\uFFFD") &&
			json.Valid(token) && validText(token) {
			t.Fatalf("%q: got %q, want %q", token, got, "x"+s)
		}
	})
}

// validText: only for tokens in valid UTF-8 is encoding/json's text the same, and only those come out of Rows.
func validText(token []byte) bool { return strings.ToValidUTF8(string(token), "") == string(token) }

// The eight-bytes-at-once test marks what a test byte by byte would, for every byte at every place.
func TestMarks(t *testing.T) {
	for at := range 8 {
		for c := range 256 {
			for _, around := range []uint64{'a' * lows, 0x7f * lows, 0x20 * lows, '#' * lows, ']' * lows, '[' * lows} {
				x := around&^(0xff<<(8*at)) | uint64(c)<<(8*at)
				want := 64
				if c < 0x20 || c >= 0x80 || c == '"' || c == '\\' {
					want = 8*at + 7
				}
				if got := bits.TrailingZeros64(marks(x)); got != want {
					t.Fatalf("%016x: lowest mark at bit %d, want %d", x, got, want)
				}
			}
		}
	}
}
