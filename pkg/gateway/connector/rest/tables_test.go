package rest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Types come from the rows; what a type would change is text.
func TestInference(t *testing.T) {
	for name, c := range map[string]struct {
		rows string
		typ  string
		want [][]any
	}{
		"whole": {`{"a":1},{"a":-9223372036854775808},{"a":null},{}`, "bigint",
			[][]any{{int64(1)}, {int64(-9223372036854775808)}, {nil}, {nil}}},
		"beyond bigint": {`{"a":1},{"a":9223372036854775808}`, "varchar", [][]any{{"1"}, {"9223372036854775808"}}},
		"double": {`{"a":1},{"a":0.1},{"a":-2.5e-3},{"a":1E+300}`, "double",
			[][]any{{1.0}, {0.1}, {-0.0025}, {1e300}}},
		"long and double": {`{"a":9007199254740993},{"a":0.5}`, "varchar", [][]any{{"9007199254740993"}, {"0.5"}}},
		"many digits": {`{"a":3.141592653589793238462643383}`, "varchar",
			[][]any{{"3.141592653589793238462643383"}}},
		"too large":       {`{"a":1e999}`, "varchar", [][]any{{"1e999"}}},
		"too small":       {`{"a":1e-999}`, "varchar", [][]any{{"1e-999"}}},
		"minus zero":      {`{"a":-0.0}`, "double", [][]any{{math.Copysign(0, -1)}}},
		"boolean":         {`{"a":true},{"a":false}`, "boolean", [][]any{{true}, {false}}},
		"boolean, number": {`{"a":true},{"a":0}`, "varchar", [][]any{{"true"}, {"0"}}},
		"text": {`{"a":"1"},{"a":""},{"a":"\u00e4\u2603\ud83d\ude00\n"}`, "varchar",
			[][]any{{"1"}, {""}, {"ä☃😀\n"}}},
		"text, number": {`{"a":"x"},{"a":1.50}`, "varchar", [][]any{{"x"}, {"1.50"}}},
		"nested": {`{"a":{"b": 1.50, "c":[ ]}},{"a":[1, null]}`, "json", [][]any{{`{"b":1.50,"c":[]}`},
			{`[1,null]`}}},
		"nested, text": {`{"a":{"b": 1}},{"a":"x"}`, "varchar", [][]any{{`{"b":1}`}, {"x"}}},
		"nulls":        {`{"a":null}`, "varchar", [][]any{{nil}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := answers(t, `"rows":""`, func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprintf(w,
					"[%s]", c.rows)
			})
			table, err := r.Table(context.Background(), defaultSchema, "t")
			if err != nil {
				t.Fatal(err)
			}
			cols, _ := table.Columns(context.Background())
			if len(cols) != 1 || cols[0].Type != c.typ {
				t.Errorf("columns %v, want %s", cols, c.typ)
			}
			if rows, err := read(context.Background(), r, "t", nil, "a"); err != nil ||
				!reflect.DeepEqual(rows, c.want) {
				t.Errorf("%v, %v; want %v", rows, err, c.want)
			}
		})
	}
}

// A type learnt from a sample that a later value contradicts fails the reading; a type that holds the value takes it.
func TestAfterTheSample(t *testing.T) {
	for _, c := range []struct{ first, later, want string }{
		{"1", "1.5", "1.5 is not a valid bigint, the type of all 1 sampled rows"},
		{"1", `"x"`, "x is not a valid bigint"}, {"1", "true", "true is not a valid bigint"},
		{"1", `{"b":1}`, `{"b":1} is not a valid bigint`},
		{"0.5", "1.23456789012345678901", "is not a valid double"}, {"true", "0", "0 is not a valid boolean"},
		{`"x"`, "7", ""}, {`{"b":1}`, `"x"`, ""}, {"0.5", "7", ""}, {"1", "null", ""},
	} {
		r := answers(t, `"sample":1`, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w,
				`[{"a":%s},{"a":%s}]`, c.first, c.later)
		})
		rows, err := read(context.Background(), r, "t", nil, "a")
		if c.want == "" && (err != nil || len(rows) != 2) || c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s then %s: %v, %v", c.first, c.later, rows, err)
		}
	}
}

func TestDeclaredColumns(t *testing.T) {
	s := serve(t)
	c := connect(t, s.URL+"/v1", key, `{"tables":[{"name":"t","path":"/plain","columns":[
		{"name":"N","path":"id","type":"decimal(20,2)"}, {"name":"label","path":"/name","type":"varchar"}, {"name":"none","path":"name.inner","type":"varchar"}]}]}`)
	if rows, err := read(context.Background(), c, "t", nil, "N", "label"); err != nil || len(rows) != 5000 ||
		rows[4][0] != "5" || rows[4][1] != "name 5" {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if rows, err := read(context.Background(), c, "t", nil, "none"); err == nil || !strings.Contains(err.Error(),
		"is not an object") {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if n := len(s.log()); n != 2 {
		t.Errorf("%d requests: declared columns need no sample", n)
	}
}

func filter(column, op string, values ...any) engine.Filter {
	return engine.Filter{Column: column, Op: op, Values: values}
}

func TestParameters(t *testing.T) {
	s := serve(t)
	c := connect(t, s.URL+"/v1", key, `{"tables":[
		{"name":"weather","path":"/weather","query":{"fixed":"a&b"},"parameters":[{"name":"city","required":true,"sample":"Rome"},{"name":"unit"}]},
		{"name":"orders","path":"/users/{user}/orders","parameters":[{"name":"user","required":true,"sample":"ada"},{"name":"status","column":"status"},{"name":"n","type":"bigint"}]}]}`)
	ctx := context.Background()
	tables, err := c.Tables(ctx, "REST")
	if err != nil || !reflect.DeepEqual(tables, []connector.Table{{Name: "weather", Dynamic: true},
		{Name: "orders", Dynamic: true}}) {
		t.Errorf("%v, %v", tables, err)
	}
	cols := []string{"temp", "unit", "_q_city", "_q_unit"}
	for _, x := range []struct {
		table   string
		columns []string
		filters []engine.Filter
		want    string // rows, or an error
		asked   []string
	}{
		{"weather", cols, nil, "table rest.weather needs a value for its parameter _q_city (varchar)", nil},
		{"weather", cols, []engine.Filter{filter("_q_city", "<>", "x")}, "supports only = and IN", nil},
		{"weather", cols, []engine.Filter{filter("_q_city", "=", "Rome")}, "[[4.5  Rome <nil>]]",
			[]string{"/v1/weather?city=Rome&fixed=a%26b"}},
		{"weather", cols, []engine.Filter{filter("_q_city", "=", "a&b=c d/é"), filter("_q_unit", "=", "K")},
			"[[10.5 K a&b=c d/é K]]", []string{"/v1/weather?city=a%26b%3Dc+d%2F%C3%A9&fixed=a%26b&unit=K"}},
		{"weather", cols[2:3], []engine.Filter{filter("_q_city", "in", "Rome", "Oslo", "Rome")}, "[[Rome] [Oslo]]",
			[]string{"/v1/weather?city=Rome&fixed=a%26b", "/v1/weather?city=Oslo&fixed=a%26b"}},
		{"weather", cols[2:], []engine.Filter{filter("_q_city", "in", "Rome", "Oslo"), filter("_q_city", "=", "Oslo"),
			filter("_q_unit", "in", "K", "F")}, "[[Oslo K] [Oslo F]]",
			[]string{"/v1/weather?city=Oslo&fixed=a%26b&unit=K", "/v1/weather?city=Oslo&fixed=a%26b&unit=F"}},
		{"weather", cols[2:3], []engine.Filter{filter("_q_city", "=", "Rome"), filter("_q_city", "=", "Oslo")}, "[]",
			nil},
		{"orders", []string{"owner", "_q_user"}, []engine.Filter{filter("_q_user", "=", "a/../b c?%")},
			"[[a/../b c?% a/../b c?%]]", []string{"/v1/users/a%2F..%2Fb%20c%3F%25/orders"}},
		{"orders", []string{"owner"}, []engine.Filter{filter("_q_user", "=", "..")}, "is not a valid value for _q_user",
			nil},
		{"orders", []string{"owner"}, []engine.Filter{filter("_q_user", "=", "")}, "is not a valid value for _q_user",
			nil},
		{"orders", []string{"status"}, []engine.Filter{filter("_q_user", "=", "ada"), filter("status", "=", "open"),
			filter("_q_n", "=", int64(7))}, "[[open]]", []string{"/v1/users/ada/orders?n=7&status=open"}},
		{"orders", []string{"status"}, []engine.Filter{filter("_q_user", "=", "ada"), filter("status", "in", "open",
			"closed")}, "[[]]", []string{"/v1/users/ada/orders"}},
	} {
		if _, err := c.Table(ctx, defaultSchema, x.table); err != nil {
			t.Fatal(err) // the sample is taken before the requests are counted
		}
		before := len(s.log())
		rows, err := read(ctx, c, x.table, x.filters, x.columns...)
		got := fmt.Sprint(rows)
		if err != nil {
			got = err.Error()
		}
		if got != x.want && (err == nil || !strings.Contains(got, x.want)) {
			t.Errorf("%v: %s, want %s", x.filters, got, x.want)
		}
		if asked := s.log()[before:]; !slices.Equal(asked, x.asked) {
			t.Errorf("%v: asked %v, want %v", x.filters, asked, x.asked)
		}
	}
	// A limit holds where nothing but parameters was asked for, and over all their values.
	table, _ := c.Table(ctx, defaultSchema, "weather")
	for filters, want := range map[string]int{"_q_city": 1, "unit": 2} {
		b, err := table.Scan(ctx, engine.ScanRequest{Columns: cols, Limit: 1,
			Filters: []engine.Filter{filter("_q_city", "in", "Rome", "Oslo"), filter(filters, "in", "Rome", "Oslo")}})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := b.Next(ctx)
		if err != nil || len(rows) != want {
			t.Errorf("%s: %v, %v; want %d rows", filters, rows, err, want)
		}
		_ = b.Close()
	}
	var ee *engine.Error
	if _, err := read(ctx, c, "weather", nil, "temp"); !errors.As(err, &ee) || ee.Kind != engine.KindBinding {
		t.Errorf("a missing parameter is %v", err)
	}
}

// What is wrong with a credential is found when it is given, and named.
func TestDocument(t *testing.T) {
	one := func(members string) string { return `{"tables":[{"name":"t","path":"/t",` + members + `}]}` }
	for tables, want := range map[string]string{
		``: "ends early", `{`: "ends early", `[]`: "cannot unmarshal array", `{}`: "at least one",
		`{"tables":[]}`: "at least one", `{"tables":[{"path":"/x"}]}`: "name is required",
		`{"tables":[{"name":"t"}]}`: "path is required", `{"tables":[{"name":"t","path":"/x"}]} x`: "unexpected data",
		one(`"pth":1`): `unknown field "pth"`,
		`{"tables":[{"name":"t","path":"/x"},{"name":"T","path":"/y"}]}`:             "is defined twice",
		`{"tables":[{"name":"t","path":"https://other/x"}]}`:                         "without a host",
		`{"tables":[{"name":"t","path":"//other/x"}]}`:                               "without a host",
		`{"tables":[{"name":"t","path":"/../x"}]}`:                                   "must not contain",
		`{"tables":[{"name":"t","path":"/a/%2e%2e/x"}]}`:                             "must not contain",
		`{"tables":[{"name":"t","path":"/x?a=b"}]}`:                                  "as query",
		`{"tables":[{"name":"t","path":"/{u}/x"}]}`:                                  "which is not a parameter",
		one(`"method":"POST"`):                                                       "not supported",
		one(`"paging":{"type":"pages"}`):                                             "not one of none, page",
		one(`"paging":{"param":"x"}`):                                                "a type is required",
		one(`"paging":{"type":"cursor"}`):                                            "requires next",
		one(`"paging":{"type":"page","size":5}`):                                     "size requires sizeParam",
		one(`"paging":{"type":"page","sizeParam":"n"}`):                              "sizeParam requires size",
		one(`"paging":{"type":"link","param":"x"}`):                                  "does not allow param",
		one(`"columns":[{"name":"a","type":"text"}]`):                                `"text" is not a type`,
		one(`"columns":[{"name":"a","type":"bigint"},{"name":"A","type":"bigint"}]`): "twice",
		one(`"types":{"a":"int"}`):                                                   "is not a type",
		one(`"parameters":[{"name":"q","required":true}]`):                           "give it a sample value",
		one(`"parameters":[{"name":"q","type":"date"}]`):                             "not one of varchar",
		one(`"parameters":[{"name":"q"},{"name":"Q"}]`):                              "twice",
		one(`"parameters":[{"name":"page"}],"paging":{"type":"page"}`):               "already set",
		one(`"query":{"q":"1"},"parameters":[{"name":"q"}]`):                         "already set",
		one(`"single":true,"paging":{"type":"page"}`):                                "no pages",
		`{"requestsPerSecond":-1,"tables":[{"name":"t","path":"/t"}]}`:               "negative",
		`{"retries":99,"tables":[{"name":"t","path":"/t"}]}`:                         "0 to 20",
		one(`"schema":"information_schema"`):                                         "reserved",
	} {
		if _, err := Type().Open(connector.Credential{"baseUrl": "https://api.example.com", "tables": tables},
			connector.Reach{}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(),
			`credential field "tables"`) {
			t.Errorf("%s: %v, want %q", tables, err, want)
		}
	}
	for want, cred := range map[string]connector.Credential{
		"must be an address":                  {"baseUrl": "api.example.com"},
		"must be an address that":             {"baseUrl": "ftp://api.example.com"},
		"must not contain a user or password": {"baseUrl": "https://u:p@api.example.com"},
		"must not contain a query":            {"baseUrl": "https://api.example.com/?a=b"},
		"must start with https://":            {"baseUrl": "http://api.example.com", "secret": "k"},
		`requires field "secret"`:             {"baseUrl": "https://api.example.com", "header": "X-Key"},
		"is not allowed for a key":            {"baseUrl": "https://api.example.com", "header": "Host", "secret": "k"},
		"such as a line break":                {"baseUrl": "https://api.example.com", "secret": "k\r\nX: y"},
	} {
		cred["tables"] = one(`"rows":""`)
		if _, err := Type().Open(cred, connector.Reach{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	// The document may be sent as an object too.
	c, err := Type().Check(connector.Credential{"baseUrl": "https://x",
		"tables": map[string]any{"tables": []any{map[string]any{"name": "t", "path": "/t", "sample": 5.0}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Type().Open(c, connector.Reach{}); err != nil {
		t.Error(err)
	}
}

// Two members that differ in case only cannot both be columns.
func TestNamesThatClash(t *testing.T) {
	for rows, want := range map[string]string{`{"a":1,"A":2}`: "cannot distinguish", `{"":1}`: "without a name",
		`{"_q_x":1}`: "name of a parameter's column"} {
		r := answers(t, `"parameters":[{"name":"x"}]`, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w,
				"[%s]", rows)
		})
		if _, err := r.Table(context.Background(), defaultSchema, "t"); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", rows, err)
		}
	}
}
