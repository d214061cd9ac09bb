package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/cell"
)

const listDoc = `[
 {"id":"123456789012345678","name":"Ada","n":12345678901234567890.10,"schedule":{"type":"cron","on":true},"tags":["a","b"]},
 {"id":"2","name":null,"n":2,"a.b":"dotted","schedule":{"type":"hourly"}}]`

const objectDoc = `{"id":"7","name":"x\ny \u001b[1m","n":1e400,"schedule":{"type":"cron","on":true,"none":{}},` +
	`"tags":["a",{"k":1}],"gone":null}`

func doc(t *testing.T, d string, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteDoc(&b, json.RawMessage(d), o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDocFormats(t *testing.T) {
	for _, tt := range []struct {
		name, doc string
		o         Options
		want      string
	}{
		{"json is the server's own", listDoc, Options{Format: JSON}, listDoc + "\n"},
		{"json indented", `{"a":1.50,"b":[1e2]}`, Options{Format: JSON, Terminal: true},
			"{\n  \"a\": 1.50,\n  \"b\": [\n    1e2\n  ]\n}\n"},
		{"json columns", listDoc, Options{Format: JSON, Columns: []string{"id", "schedule.type"}},
			"[\n{\"id\":\"123456789012345678\",\"schedule.type\":\"cron\"},\n{\"id\":\"2\",\"schedule.type\":\"hourly\"}\n]\n"},
		{"json object columns", objectDoc, Options{Format: JSON, Columns: []string{"n"}}, "{\"n\":1e400}\n"},
		{"ndjson", `[ {"a": 1.50}, 2 ]`, Options{Format: NDJSON}, "{\"a\":1.50}\n2\n"},
		{"csv union", listDoc, Options{Format: CSV},
			"id,name,n,a.b\n123456789012345678,Ada,12345678901234567890.10,\n2,,2,dotted\n"},
		{"csv defaults", listDoc, Options{Format: CSV, DefaultColumns: []string{"id", "nope"}},
			"id,nope\n123456789012345678,\n2,\n"},
		{"tsv columns", listDoc, Options{Format: TSV, Columns: []string{"NAME", "schedule.type", "tags.1", "a.b"}},
			"name\tschedule.type\ttags.1\ta.b\nAda\tcron\tb\t\\N\n\\N\thourly\t\\N\tdotted\n"},
		{"csv object", objectDoc, Options{Format: CSV},
			"id,name,n,schedule.type,schedule.on,schedule.none,tags,gone\n" +
				"7,\"x\ny \x1b[1m\",1e400,cron,true,{},\"[\"\"a\"\",{\"\"k\"\":1}]\",\n"},
		{"empty list csv", `[]`, Options{Format: CSV, DefaultColumns: []string{"id"}}, "id\n"},
		{"empty list table", `[]`, Options{DefaultColumns: []string{"id", "name"}}, " id │ name\n────┼──────\n"},
		{"empty list json", `[]`, Options{Format: JSON}, "[]\n"},
		{"empty list, any column", `[]`, Options{Format: CSV, Columns: []string{"x"}}, "x\n"},
		{"scalars", `["a",1,null]`, Options{Format: CSV}, "value\na\n1\n\\N\n"},
		{"scalar", `"done\u001b"`, Options{}, "done␛\n"},
		{"nothing", ``, Options{}, ""},
		{"jq", listDoc, Options{JQ: ".[].n"}, "12345678901234567890.10\n2\n"},
		{"jq raw strings", listDoc, Options{JQ: ".[0].id, .[0].tags"}, "123456789012345678\n[\"a\",\"b\"]\n"},
		{"jq by element", listDoc, Options{Format: NDJSON, JQ: ".schedule.type"}, "cron\nhourly\n"},
		{"yaml", `{"z":1.50,"a":"yes","l":[],"o":{},"s":"two\nlines","x":[{"k":null}]}`, Options{Format: YAML},
			"z: 1.50\na: \"yes\"\nl: []\no: {}\ns: |-\n  two\n  lines\nx:\n  - k: null\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := doc(t, tt.doc, tt.o); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestDocTables(t *testing.T) {
	long := strings.Replace(listDoc, `"Ada"`, `"Ada `+strings.Repeat("Lovelace ", 12)+`😀\u001b[31m"`, 1)
	golden(t, "doc-list", doc(t, listDoc, Options{}))
	golden(t, "doc-list-noheader", doc(t, listDoc, Options{NoHeader: true, Columns: []string{"id", "n"}}))
	golden(t, "doc-list-color", doc(t, listDoc, Options{Color: true}))
	golden(t, "doc-list-80", doc(t, long, Options{Terminal: true, Width: 80}))
	golden(t, "doc-list-30", doc(t, long, Options{Terminal: true, Width: 30}))
	golden(t, "doc-object", doc(t, objectDoc, Options{}))
	golden(t, "doc-json-color", doc(t, objectDoc, Options{Format: JSON, Terminal: true, Color: true}))
	checkLines(t, doc(t, long, Options{Terminal: true, Width: 80}), Options{Terminal: true, Width: 80})
}

func TestDocErrors(t *testing.T) {
	for _, tt := range []struct {
		doc  string
		o    Options
		want string
	}{
		{listDoc, Options{Columns: []string{"nmae"}}, `no column "nmae" in the result`},
		{listDoc, Options{Columns: []string{"schedule.typ"}}, `no column "schedule.typ" in the result`},
		{`"x"`, Options{Columns: []string{"a"}}, "the reply is a single value and has no columns"},
		{`{"a":`, Options{}, "the reply is not valid json: unexpected end of JSON input"},
		{listDoc, Options{JQ: ".id"}, "--jq: expected an object but got: array"},
	} {
		err := WriteDoc(&bytes.Buffer{}, json.RawMessage(tt.doc), tt.o)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
	var ue *cell.UsageError
	err := WriteDoc(&bytes.Buffer{}, json.RawMessage(listDoc), Options{Columns: []string{"nmae"}})
	if !errors.As(err, &ue) ||
		ue.Hint != "did you mean name? Columns: id, name, n, schedule.type, schedule.on, tags, a.b" {
		t.Errorf("hint of %#v", err)
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		o             Options
		want, hintHas string
	}{
		{Options{}, "", ""},
		{Options{Format: "tabel"}, `unknown output format "tabel"`, "did you mean table?"},
		{Options{Format: "js"}, `unknown output format "js"`, "did you mean json?"},
		{Options{Format: "quux"}, `unknown output format "quux"`, "use one of table, json"},
		{Options{Format: CSV, JQ: "."}, "--jq requires json and cannot be used with -o csv", "-o json"},
		{Options{JQ: ".a | }"}, `invalid --jq program at line 1, column 6: unexpected token "}"`, ".a | }\n     ^"},
		{Options{JQ: ".a\n| foo("}, "invalid --jq program at line 2, column 7: unexpected EOF", "| foo(\n      ^"},
		{Options{JQ: "nosuch(1)"}, "invalid --jq program: function not defined: nosuch/1", ""},
		{Options{JQ: ".", Columns: []string{"a"}}, "--columns cannot be used with --jq", ""},
		{Options{Raw: true, Typed: true}, "--raw and --typed are mutually exclusive", ""},
		{Options{Format: JSON, NoHeader: true}, "--no-header cannot be used with -o json", ""},
		{Options{Format: JSON, Null: "x"}, "--null cannot be used with -o json, which has its own null", ""},
		{Options{Format: CSV, Null: "a,b"}, "--null must not contain a separator, quote or line break", ""},
		{Options{Format: CSV, Vertical: true}, "--vertical is a form of the table and cannot be used with -o csv", ""},
		{Options{Format: CSV, MaxRows: 5}, "a limit on rows to show cannot be used with -o csv", ""},
		{Options{Columns: []string{"a", ""}}, "--columns contains an empty name", ""},
		{Options{Format: CSV, NoHeader: true, Null: "NA", Columns: []string{"a"}}, "", ""},
	} {
		err := Check(tt.o)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%+v: %v", tt.o, err)
			}
			continue
		}
		var ue *cell.UsageError
		if !errors.As(err, &ue) || ue.Message != tt.want || !strings.Contains(ue.Hint, tt.hintHas) {
			t.Errorf("%+v: got %#v, want %s", tt.o, err, tt.want)
		}
	}
	for in, want := range map[string]Format{"MD": Markdown, "jsonl": NDJSON, "yml": YAML, "CSV": CSV, "nope": "nope"} {
		if got := FormatOf(in); got != want {
			t.Errorf("%s became %s", in, got)
		}
	}
}
