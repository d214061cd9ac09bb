package output

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/cell/celltest"
	"github.com/dig-cli/dig/pkg/api"
	"go.yaml.in/yaml/v3"
)

// wantJSON says what a value must be in typed JSON, from the declared type alone.
func checkJSON(t *testing.T, where string, typ string, want *string, got any) {
	t.Helper()
	fail := func() { t.Errorf("%s (%s): got %#v, want %s", where, typ, got, celltest.Show(want)) }
	if want == nil {
		if got != nil {
			fail()
		}
		return
	}
	switch {
	case typ == "bigint" || strings.HasPrefix(typ, "decimal"):
		n, ok := got.(json.Number)
		if !ok {
			fail()
			return
		}
		a, _ := new(big.Rat).SetString(n.String())
		b, _ := new(big.Rat).SetString(*want)
		if a == nil || a.Cmp(b) != 0 || len(n) != len(*want) {
			fail()
		}
	case typ == "double":
		if f, err := strconv.ParseFloat(*want, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			n, ok := got.(json.Number)
			if !ok {
				fail()
				return
			}
			g, err := n.Float64()
			b, _ := json.Marshal(f)
			if f == 0 && math.Signbit(f) {
				b = []byte("-0.0") // many readers take -0 for an integer
			}
			if err != nil || math.Float64bits(g) != math.Float64bits(f) || n.String() != string(b) {
				t.Errorf("%s: got %s, want %s", where, n, b)
			}
		} else if got != *want {
			fail()
		}
	case typ == "boolean":
		if got != (*want == "true") {
			fail()
		}
	default:
		if got != *want {
			fail()
		}
	}
}

var corpusKeys = []string{"txt", "big", "dec", "dbl", "ok", "ts", "tz", "day", "txt_2"}

func TestJSONReadBack(t *testing.T) {
	rows := celltest.Corpus()
	array := render(t, celltest.CorpusFields, rows, Options{Format: JSON})
	lines := render(t, celltest.CorpusFields, rows, Options{Format: NDJSON})
	dec := json.NewDecoder(strings.NewReader(array))
	dec.UseNumber()
	var objects []map[string]any
	if err := dec.Decode(&objects); err != nil {
		t.Fatal(err)
	}
	each := strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
	if len(objects) != len(rows) || len(each) != len(rows) {
		t.Fatalf("%d objects, %d lines for %d rows", len(objects), len(each), len(rows))
	}
	for i, want := range rows {
		d := json.NewDecoder(strings.NewReader(each[i]))
		d.UseNumber()
		var line map[string]any
		if err := d.Decode(&line); err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
		for j := range want {
			where := "row " + strconv.Itoa(i) + " " + corpusKeys[j]
			checkJSON(t, where, celltest.CorpusFields[j].Type, want[j], objects[i][corpusKeys[j]])
			checkJSON(t, where, celltest.CorpusFields[j].Type, want[j], line[corpusKeys[j]])
		}
	}
}

func TestJSONRawKeepsTheWire(t *testing.T) {
	rows := celltest.Corpus()
	var objects []map[string]*string
	if err := json.Unmarshal([]byte(render(t, celltest.CorpusFields, rows, Options{Format: JSON, Raw: true})),
		&objects); err != nil {
		t.Fatal(err)
	}
	for i, want := range rows {
		for j := range want {
			if got := objects[i][corpusKeys[j]]; !celltest.Same(got, want[j]) {
				t.Errorf("row %d, %s: got %s, want %s", i, corpusKeys[j], celltest.Show(got), celltest.Show(want[j]))
			}
		}
	}
}

func TestTypedNeedsValidText(t *testing.T) {
	fields := []celltest.Field{{"i", "bigint"}, {"b", "boolean"}, {"d", "double"}}
	got := render(t, fields, [][]*string{{celltest.Text("007"), celltest.Text("yes"), celltest.Text("+1.5")},
		{celltest.Text("+1"), celltest.Text("TRUE"), celltest.Text("1e5")}, {celltest.Text(""), celltest.Text(""),
			celltest.Text("")}},
		Options{Format: NDJSON})
	want := `{"i":"007","b":"yes","d":"+1.5"}` + "\n" + `{"i":"+1","b":true,"d":100000}` + "\n" +
		`{"i":"","b":"","d":""}` + "\n"
	if got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

func TestYAMLReadBack(t *testing.T) {
	rows := celltest.Corpus()
	doc := render(t, celltest.CorpusFields, rows, Options{Format: YAML})
	var list []map[string]yaml.Node
	if err := yaml.Unmarshal([]byte(doc), &list); err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	if len(list) != len(rows) {
		t.Fatalf("%d items for %d rows", len(list), len(rows))
	}
	for i, want := range rows {
		for j, key := range corpusKeys {
			n := list[i][key]
			typ := celltest.CorpusFields[j].Type
			bad := func() { t.Errorf("row %d, %s: got %s %q, want %s", i, key, n.Tag, n.Value, celltest.Show(want[j])) }
			switch {
			case want[j] == nil:
				if n.Tag != "!!null" {
					bad()
				}
			case typ == "double":
				var g float64
				f, _ := strconv.ParseFloat(*want[j], 64)
				if err := n.Decode(&g); err != nil || g != f && !(math.IsNaN(g) && math.IsNaN(f)) || n.Tag == "!!str" {
					bad()
				}
			case typ == "bigint" || strings.HasPrefix(typ, "decimal"):
				a, _ := new(big.Rat).SetString(n.Value)
				b, _ := new(big.Rat).SetString(*want[j])
				if n.Tag == "!!str" || a == nil || a.Cmp(b) != 0 {
					bad()
				}
			case typ == "boolean":
				if n.Tag != "!!bool" || n.Value != *want[j] {
					bad()
				}
			default:
				if n.Tag != "!!str" || n.Value != *want[j] {
					bad()
				}
			}
		}
	}
	if got := render(t, celltest.CorpusFields, nil, Options{Format: YAML}); got != "[]\n" {
		t.Errorf("no rows: %q", got)
	}
}

// TestYAMLSimpleValues compares what is written without the library with what it would write.
func TestYAMLSimpleValues(t *testing.T) {
	values := append([]string{"word", "two words", "a.b-c_d/e", "2020-06-10", "2020-06-10 15:55:23.383 +05:30",
		"2020-06-10T00:00:00Z", "True", "NULL",
		"nulls", "y", "Y", "yes", "Off", "Off.", "on", "NaN", "inf", "end ", "x: y", "x:y", "x:", "Word#", "a #b",
		"u1@example.com", "Zürich", "東京", "éa",
		"a\u00a0", "\ufffd", "a\ufffe", "a 😀", "a\u0085", "a\u2028b", "a\ufeff", "a\x7f",
		"a [b] {c} & * ! | > ' \" % @ `", "a\n\nb", "a\nb\n", "a\n  b",
		"a \nb", "a\n#b", "a\n- b: c", "a\n😀", "é\nb", "a\n---\nb", "say \"x\", then\nleft", "\\n", "a\\", "a\r\nb",
		"a\n\tb"}, celltest.Nasty...)
	simple := 0
	for _, v := range values {
		cells, cols := []api.Cell{nil, nil}, []cell.Column{{Key: "on", Index: 0}, {Key: "k 2", Index: 1}}
		cells[1], _ = json.Marshal(v)
		cells[0] = api.Cell("12.50")
		f := newYAML(cols, Options{})
		for range cells {
			if _, ok := f.appendSimple(nil, cells[1]); ok {
				simple++
			}
			fast, err1 := f.row(nil, 1, cells)
			slow, err2 := f.byLibrary(nil, 1, cells, cols)
			if err1 != nil || err2 != nil || string(fast) != string(slow) {
				t.Errorf("%q: %s, the library %s (%v, %v)", v, fast, slow, err1, err2)
			}
			cells[0], cells[1] = cells[1], cells[0]
		}
	}
	if simple < 60 {
		t.Errorf("only %d simple values", simple)
	}
}

func FuzzYAMLSimpleValues(f *testing.F) {
	for _, s := range celltest.Nasty {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		value, err := json.Marshal(s)
		if err != nil {
			t.Skip()
		}
		cells, cols := []api.Cell{value}, []cell.Column{{Key: "k", Index: 0}}
		y := newYAML(cols, Options{})
		fast, err1 := y.row(nil, 1, cells)
		slow, err2 := y.byLibrary(nil, 1, cells, cols)
		if err1 != nil || err2 != nil || string(fast) != string(slow) {
			t.Errorf("%q: %s, the library %s (%v, %v)", s, fast, slow, err1, err2)
		}
	})
}

func TestJQOnRows(t *testing.T) {
	fields := []celltest.Field{{"i", "bigint"}, {"d", "decimal(38,10)"}, {"s", "varchar"}}
	rows := [][]*string{{celltest.Text("9223372036854775807"), celltest.Text("9999999999999999999999999999.9999999999"),
		celltest.Text("x\ty")}, {celltest.Text("2"), nil, celltest.Text("z")}}
	for _, tt := range []struct {
		format        Format
		program, want string
	}{
		{"", ".[] | .i, .d, .s", "9223372036854775807\n9999999999999999999999999999.9999999999\nx\ty\n2\nnull\nz\n"},
		{JSON, "map(.i) | length", "2\n"},
		{NDJSON, ".i", "9223372036854775807\n2\n"},
		{NDJSON, "select(.i == 2) | {s}", "{\"s\":\"z\"}\n"},
	} {
		if got := render(t, fields, rows, Options{Format: tt.format, JQ: tt.program}); got != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.format, tt.program, got, tt.want)
		}
	}
	var b bytes.Buffer
	if _, err := WriteRows(&b, celltest.Result(t, fields, rows), Options{JQ: ".[] | .s + 1"}); err == nil ||
		!strings.Contains(err.Error(), "--jq") {
		t.Errorf("error %v", err)
	}
	if _, err := WriteRows(&b, celltest.CutShort(t), Options{JQ: "length"}); err == nil {
		t.Error("a cut result was passed to jq")
	}
}
