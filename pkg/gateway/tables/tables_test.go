package tables_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
)

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.String()
}

// importTable is a gateway with a table of three columns, and a way to post to its import.
func importTable(t *testing.T) (post func(parts ...gatewaytest.Part) (int, string), count func() string) {
	t.Helper()
	g := gatewaytest.Open(t)
	must := func(method, path, body string) string {
		t.Helper()
		status, raw := gatewaytest.Exchange(g, method, "/data/projects/"+gateway.DefaultProject+path,
			"application/json", body)
		if status != 200 {
			t.Fatalf("%s %s: %d %s", method, path, status, raw)
		}
		return raw
	}
	must("POST", "/table/t", "")
	must("POST", "/table/t/columns", `[{"name":"n","dataType":"BIGINT"},{"name":"s","dataType":"VARCHAR"},`+
		`{"name":"d","dataType":"DATE","defaultValue":"2001-02-03"}]`)
	post = func(parts ...gatewaytest.Part) (int, string) {
		t.Helper()
		kind, body := gatewaytest.MultipartOf(parts...)
		return gatewaytest.Exchange(g, "POST", "/data/projects/"+gateway.DefaultProject+"/table/t/import", kind, body)
	}
	count = func() string {
		t.Helper()
		return must("POST", "/queries/execute?format=COMPACT",
			`{"statement":"SELECT n, s, d FROM peaka.\"table\".t ORDER BY n, s"}`)
	}
	return post, count
}

const bothByName = `{"containsHeader":true,"mappings":[{"name":"n","csvColumnName":"n"},{"name":"s",` +
	`"csvColumnName":"s"}]}`

// TestImportOverHTTP sends documents in every form the route takes.
func TestImportOverHTTP(t *testing.T) {
	post, rows := importTable(t)
	for _, c := range []struct{ name, request, file string }{
		{"plain", bothByName, "n,s\n1,a\n"},
		{"byte order mark and CRLF", bothByName, "\xef\xbb\xbfn,s\r\n2,b\r\n"},
		{"gzip", bothByName, zipped("s,n\nc,3\n")},
		{"gzip in two members", bothByName, zipped("n,s\n4,d") + zipped("d\n")},
		{"line ends, commas and quotes in quotes", bothByName, "n,s\n5,\"e,\n\"\"e\"\"\"\n"},
		{"by index without a header",
			`{"containsHeader":false,"mappings":[{"name":"s","csvColumnIndex":0},{"name":"n","csvColumnIndex":2}]}`,
			"f,unused,6\n"},
		{"by index with a header", `{"containsHeader":true,"mappings":[{"name":"n","csvColumnIndex":1}]}`,
			"x,y\ng,7\n"},
		{"no rows", bothByName, "n,s\n"},
		{"blank lines before the header", bothByName, "\n\r\nn,s\n9,i\n"},
		{"the file first", bothByName, zipped("n,s\n8,h\n")},
	} {
		parts := []gatewaytest.Part{{"request", c.request}, {"file", c.file}}
		if c.name == "the file first" { // the order in which the service documents the parts
			slices.Reverse(parts)
		}
		status, raw := post(parts...)
		var job api.ImportJob
		if err := json.Unmarshal([]byte(raw), &job); status != 200 || err != nil {
			t.Errorf("%s: %d %s", c.name, status, raw)
			continue
		}
		want := int64(1)
		if c.name == "no rows" {
			want = 0
		}
		if job.ID == "" || job.Status != "COMPLETED" || job.Progress != 100 || job.StartTime == 0 ||
			job.EndTime < job.StartTime || job.Result.Processed != want {
			t.Errorf("%s: %s", c.name, raw)
		}
	}
	got := rows()
	for _, want := range []string{`["1","a","2001-02-03"]`, `["2","b","2001-02-03"]`, `["3","c","2001-02-03"]`,
		`["4","dd","2001-02-03"]`, `["5","e,\n\"e\"","2001-02-03"]`,
		`["6","f","2001-02-03"]`, `["7",null,"2001-02-03"]`, `["8","h","2001-02-03"]`, `["9","i","2001-02-03"]`} {
		if !strings.Contains(got, want) {
			t.Errorf("no row %s in %s", want, got)
		}
	}
}

// TestImportRefusedOverHTTP sends what cannot be imported; no row of it is stored.
func TestImportRefusedOverHTTP(t *testing.T) {
	post, rows := importTable(t)
	before := rows()
	cut := zipped(strings.Repeat("1,a\n", 5000))
	for _, c := range []struct {
		name   string
		parts  []gatewaytest.Part
		status int
		want   string
	}{
		{"no file", []gatewaytest.Part{{"request", bothByName}}, 400, "file"},
		{"no request", []gatewaytest.Part{{"file", "n,s\n1,a\n"}}, 400, `\"request\" is missing`},
		{"two files", []gatewaytest.Part{{"file", "n,s\n1,a\n"}, {"file", "n,s\n1,a\n"}, {"request", bothByName}}, 400,
			`two parts \"file\"`},
		{"two requests", []gatewaytest.Part{{"request", bothByName}, {"request", bothByName}, {"file", "n,s\n1,a\n"}},
			400, `two parts \"request\"`},
		{"no word about the header", []gatewaytest.Part{{"request",
			`{"containsHeader":null,"mappings":[{"name":"n","csvColumnIndex":0}]}`}, {"file", "1\n"}}, 400,
			"containsHeader"},
		{"request is no JSON", []gatewaytest.Part{{"request", "{"}, {"file", "n,s\n"}}, 400,
			`part \"request\" is not valid JSON`},
		{"no mappings", []gatewaytest.Part{{"request", `{"containsHeader":true}`}, {"file", "n,s\n"}}, 400, "mappings"},
		{"a field misspelt", []gatewaytest.Part{{"request",
			`{"containsHeader":true,"mappings":[{"name":"n","csvColumn":"n"}]}`}, {"file", "n\n1\n"}},
			400, "csvColumn"},
		{"another part", []gatewaytest.Part{{"more", "x"}}, 400, "more"},
		{"unknown column", []gatewaytest.Part{{"request",
			`{"containsHeader":true,"mappings":[{"name":"nn","csvColumnName":"n"}]}`}, {"file", "n\n1\n"}}, 400, "nn"},
		{"unknown header, before any row is read",
			[]gatewaytest.Part{{"request", `{"containsHeader":true,"mappings":[{"name":"n","csvColumnName":"m"}]}`},
				{"file", "n\nx\n"}}, 400, `\"m\"`},
		{"header name without a header",
			[]gatewaytest.Part{{"request", `{"containsHeader":false,"mappings":[{"name":"n","csvColumnName":"n"}]}`},
				{"file", "1\n"}}, 400, "csvColumnIndex"},
		{"index past the end", []gatewaytest.Part{{"request",
			`{"containsHeader":false,"mappings":[{"name":"n","csvColumnIndex":9}]}`}, {"file", "1\n"}}, 400, "9"},
		{"gzip cut off", []gatewaytest.Part{{"request",
			`{"containsHeader":false,"mappings":[{"name":"n","csvColumnIndex":0}]}`}, {"file", cut[:len(cut)/2]}}, 400,
			""},
		{"not gzip after all", []gatewaytest.Part{{"request", bothByName}, {"file", "\x1f\x8bnonsense"}}, 400, "gzip"},
		{"the last of many rows is bad", []gatewaytest.Part{{"request", bothByName},
			{"file", "n,s\n" + strings.Repeat("1,a\n", 5000) + "x,a\n"}}, 400, `line 5002, column \"n\"`},
	} {
		status, raw := post(c.parts...)
		if status != c.status || !strings.Contains(raw, c.want) {
			t.Errorf("%s: %d %s", c.name, status, raw)
		}
	}
	if after := rows(); after != before {
		t.Errorf("rows were stored: %s", after)
	}
}

// TestEveryBadCellTravels counts what is wrong with a file and reads back the first hundred.
func TestEveryBadCellTravels(t *testing.T) {
	post, _ := importTable(t)
	long := strings.Repeat("\x01ż", 3000)
	var b strings.Builder
	b.WriteString("n,s\n")
	for i := range 300 {
		fmt.Fprintf(&b, "%s%d,\"two\nlines\"\n", long, i)
	}
	status, raw := post(gatewaytest.Part{"request", bothByName}, gatewaytest.Part{"file", b.String()})
	rep := &api.Reply{Status: status, Body: io.NopCloser(strings.NewReader(raw))}
	e := api.ReadError("POST", "/import", rep)
	if status != 400 || e.BadCellsTotal != 300 || len(e.BadCells) != 100 {
		t.Fatalf("%d, %d of %d: %.300s", status, len(e.BadCells), e.BadCellsTotal, raw)
	}
	for i, c := range e.BadCells {
		if c.Line != int64(2+2*i) || c.Column != "n" || !strings.HasPrefix(long, strings.TrimSuffix(c.Value, "…")) ||
			!strings.HasPrefix(c.Reason, "invalid input syntax for type bigint") {
			t.Errorf("%d: %+v", i, c)
		}
	}
	if !strings.Contains(e.Message, "and 299 more") {
		t.Errorf("message: %s", e.Message)
	}
}

// TestDefaultsAsTheyCome declares defaults as JSON values other than text, and takes one away.
func TestDefaultsAsTheyCome(t *testing.T) {
	g := gatewaytest.Open(t)
	call := func(method, path, body string) (int, string) {
		return gatewaytest.Exchange(g, method, "/data/projects/"+gateway.DefaultProject+"/table/t"+path,
			"application/json", body)
	}
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "", "", 200, `"tableName":"t"`},
		{"POST", "/columns", `[{"name":"n","dataType":"BIGINT","defaultValue":9007199254740993}]`, 200,
			`"defaultValue":"9007199254740993"`},
		{"POST", "/columns", `[{"name":"d","dataType":"DECIMAL","defaultValue":1.50}]`, 200, `"defaultValue":"1.50"`},
		{"POST", "/columns", `[{"name":"b","dataType":"BOOLEAN","defaultValue":true}]`, 200, `"defaultValue":"true"`},
		{"POST", "/columns", `[{"name":"s","dataType":"VARCHAR","defaultValue":"\u00e9\""}]`, 200,
			`"defaultValue":"é\""`},
		{"POST", "/columns", `[{"name":"z","dataType":"VARCHAR","defaultValue":null}]`, 200, `"defaultValue":null`},
		{"POST", "/columns", `[{"name":"o","dataType":"VARCHAR","defaultValue":{}}]`, 400,
			`\"defaultValue\" must be a string`},
		{"POST", "/columns", `[{"name":"o","dataType":"BIGINT","defaultValue":1.5}]`, 400,
			`invalid input syntax for type bigint: \"1.5\"`},
		{"POST", "/columns", `{"name":"o","dataType":"BIGINT"}`, 400, `the request body must be a list, not object`},
		{"POST", "/columns", `[{"name":"..","dataType":"BIGINT"}]`, 400, `the path of its URL`},
		{"PUT", "/columns/n", `{"dataType":"BIGINT","defaultValue":7}`, 200, `"defaultValue":"7"`},
		{"PUT", "/columns/n", `{"dataType":"BIGINT"}`, 200, `"defaultValue":"7"`},
		{"PUT", "/columns/n", `{"dataType":"BIGINT","defaultValue":null}`, 200, `"defaultValue":null`},
		{"PUT", "/columns/s", `{"dataType":"VARCHAR","defaultValue":null}`, 200, `"defaultValue":null`},
	} {
		status, raw := call(c.method, c.path, c.body)
		if status != c.status || !strings.Contains(raw, c.want) {
			t.Errorf("%s %s %s: %d %s", c.method, c.path, c.body, status, raw)
		}
	}
	_, raw := call("GET", "/columns", "")
	if strings.Contains(raw, `"name":"o"`) || !strings.Contains(raw,
		`"name":"n","dataType":"bigint","displayName":"n","defaultValue":null`) {
		t.Error(raw)
	}
}
