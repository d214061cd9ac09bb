package exports_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// exportGateway is a gateway over a fresh directory whose clock is moved by the test.
// exportDir is where the files of exports are.
func exportDir(g *gateway.Gateway) string { return filepath.Join(g.Options.Dir, "exports") }

const someRows = `SELECT * FROM (VALUES (1, 'a,b', 1.50, true), (2, 'say "x"', NULL, false), (NULL, '', 0.10, NULL), ` +
	`(3, NULL, -2.25, true)) AS t(n, "text", d, ok)`

func TestExportFiles(t *testing.T) {
	no, yes, tab, null := false, true, `\t`, "NULL"
	two, one := int64(2), int64(1)
	_, cl, _ := gatewaytest.OpenClient(t)
	for _, c := range []struct {
		name, sql string
		body      api.ExportRequest
		rows      int64
		want      string
	}{
		{"csv", someRows, api.ExportRequest{}, 4,
			"n,text,d,ok\n1,\"a,b\",1.50,true\n2,\"say \"\"x\"\"\",,false\n,\"\",0.10,\n3,,-2.25,true\n"},
		{"columns", someRows, api.ExportRequest{Columns: []string{"ok", "n"}, Limit: &two}, 2,
			"ok,n\ntrue,1\nfalse,2\n"},
		{"dialect", someRows, api.ExportRequest{Format: "csv", Limit: &two,
			CSVOptions: &api.ExportCSVOptions{Delimiter: tab, QuoteChar: "'", RecordSeparator: `\r\n`,
				IncludeHeader: &no, NullValue: &null}}, 2,
			"1\ta,b\t1.50\ttrue\r\n2\tsay \"x\"\tNULL\tfalse\r\n"},
		{"jsonl", someRows, api.ExportRequest{Format: "JSONL"}, 4, `{"n":1,"text":"a,b","d":1.50,"ok":true}
{"n":2,"text":"say \"x\"","d":null,"ok":false}
{"n":null,"text":"","d":0.10,"ok":null}
{"n":3,"text":null,"d":-2.25,"ok":true}
`},
		{"empty", "SELECT 1 AS a, 'x' AS b WHERE false", api.ExportRequest{}, 0, "a,b\n"},
		{"one null", "SELECT CAST(NULL AS BIGINT) AS a", api.ExportRequest{}, 1, "a\n\\N\n"},
		{"hidden", "SELECT 1 AS a, 2 AS _q_x, 3 AS _cache_y", api.ExportRequest{}, 1, "a\n1\n"},
		{"system kept", "SELECT 1 AS _id, 'x' AS \"text\"", api.ExportRequest{IncludeSystemColumns: &yes}, 1,
			"_id,text\n1,x\n"},
		{"system dropped", "SELECT 1 AS _id, 'x' AS \"text\"", api.ExportRequest{IncludeSystemColumns: &no,
			Limit: &one}, 1, "text\nx\n"},
		{"digits", "SELECT 12345678901234567890.123456789 AS d, 9007199254740993 AS b",
			api.ExportRequest{Format: "JSONL"}, 1, `{"d":12345678901234567890.123456789,"b":9007199254740993}` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, err := gatewaytest.StartExport(t, cl, c.sql, c.body)
			if err != nil {
				t.Fatal(err)
			}
			job := gatewaytest.Ended(t, cl, id)
			if got := string(gatewaytest.FileOf(t, cl, job)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if *job.RowCount != c.rows {
				t.Errorf("rowCount %d, want %d", *job.RowCount, c.rows)
			}
		})
	}
}

// The same values must come back through a reader that is not ours.
func TestExportRoundTrip(t *testing.T) {
	_, cl, _ := gatewaytest.OpenClient(t)
	want := [][]string{{"s"}}
	var vals []string
	for _, s := range []string{"", "x", " lead", "a\nb", "a\r\nb", `"`, `""`, ",", "ü€🙂", "'", "NULL", "\t"} {
		want = append(want, []string{strings.ReplaceAll(s, "\r\n", "\n")}) // encoding/csv reads \r\n in quotes as \n
		vals = append(vals, "('"+strings.ReplaceAll(s, "'", "''")+"')")
	}
	for _, z := range []string{"NONE", "GZIP"} {
		id, err := gatewaytest.StartExport(t, cl, "SELECT * FROM (VALUES "+strings.Join(vals, ", ")+") AS t(s)",
			api.ExportRequest{Compression: z})
		if err != nil {
			t.Fatal(err)
		}
		job := gatewaytest.Ended(t, cl, id)
		raw := gatewaytest.FileOf(t, cl, job)
		var r io.Reader = bytes.NewReader(raw)
		if z == "GZIP" {
			if !strings.HasSuffix(job.Files[0].Name, ".csv.gz") {
				t.Errorf("name %s", job.Files[0].Name)
			}
			if r, err = gzip.NewReader(r); err != nil {
				t.Fatal(err)
			}
		}
		got, err := csv.NewReader(r).ReadAll()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n%q\n%q", z, err, got, want)
		}
	}
}

func TestExportRefusals(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	zero, many := int64(0), int64(1_000_001)
	for _, c := range []struct {
		sql  string
		body api.ExportRequest
		want string
	}{
		{"SELECT 1 AS a", api.ExportRequest{Format: "XLS"}, "format"},
		{"SELECT 1 AS a", api.ExportRequest{Compression: "ZIP"}, "compression"},
		{"SELECT 1 AS a", api.ExportRequest{Limit: &zero}, "limit"},
		{"SELECT 1 AS a", api.ExportRequest{Columns: []string{"b"}}, `no column "b"`},
		{"SELECT 1 AS a", api.ExportRequest{Columns: []string{"a", "a"}}, "twice"},
		{"SELECT 1 AS a", api.ExportRequest{CSVOptions: &api.ExportCSVOptions{Delimiter: ",,"}},
			"csvOptions.delimiter"},
		{"SELECT 1 AS a", api.ExportRequest{CSVOptions: &api.ExportCSVOptions{Delimiter: `"`}}, "both"},
		{"SELECT 1 AS a, 2 AS a", api.ExportRequest{Format: "JSONL"}, "two columns"},
		{"SELECT 1 AS a", api.ExportRequest{Format: "JSONL", CSVOptions: &api.ExportCSVOptions{}}, "csvOptions"},
		{"SELECT 1 AS a", api.ExportRequest{CSVOptions: &api.ExportCSVOptions{NullValue: new(strings.Repeat("x",
			1025))}}, "csvOptions.nullValue has 1025 bytes"},
	} {
		if _, err := gatewaytest.StartExport(t, cl, c.sql, c.body); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.body, err, c.want)
		}
	}
	id, err := gatewaytest.StartExport(t, cl, "SELECT 1 AS a", api.ExportRequest{Limit: &many})
	if err != nil {
		t.Fatal(err)
	}
	if job := gatewaytest.Ended(t, cl, id); job.Status != "FAILED" || !strings.Contains(*job.Error, "1000000") {
		t.Errorf("over the limit: %s %v", job.Status, job.Error)
	}
	id, err = gatewaytest.StartExport(t, cl,
		"SELECT CAST(CASE WHEN order_id = 9000 THEN 'x' ELSE '1' END AS BIGINT) AS a FROM sample.shop.order_items",
		api.ExportRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if job := gatewaytest.Ended(t, cl, id); job.Status != "FAILED" || !strings.Contains(*job.Error, "x") {
		t.Errorf("a statement that fails in the middle: %+v", job)
	}
	files, _ := os.ReadDir(exportDir(g))
	if len(files) != 0 {
		t.Errorf("%d files are left of failed exports", len(files))
	}
}

func TestExportLinks(t *testing.T) {
	g, cl, ahead := gatewaytest.OpenClient(t)
	ctx := context.Background()
	id, err := gatewaytest.StartExport(t, cl, someRows, api.ExportRequest{})
	if err != nil {
		t.Fatal(err)
	}
	job := gatewaytest.Ended(t, cl, id)
	whole := gatewaytest.FileOf(t, cl, job)
	rep, err := cl.Exports.Open(ctx, job.Files[0], 5, "")
	if err != nil || rep.Status != 206 {
		t.Fatalf("range: %v", err)
	}
	if rest, _ := io.ReadAll(rep.Body); !bytes.Equal(rest, whole[5:]) {
		t.Errorf("range gave %q", rest)
	}
	status := func(url string, header ...string) int {
		req, _ := http.NewRequest("GET", url, nil)
		if len(header) > 0 {
			req.Header.Set(header[0], header[1])
		}
		req = req.WithContext(context.WithValue(ctx, web.SourceKey{}, web.SourceTCP))
		res, err := (&http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response,
			error) {
			return g.Transport().RoundTrip(r)
		})}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	url := job.Files[0].URL
	if got := status(url); got != 200 {
		t.Errorf("the link without a key: %d", got)
	}
	// A unit of ranges that the server does not know is as no range (RFC 9110, 14.2); the name of a unit has no case.
	for unit, want := range map[string]int{"bytes=2-3": 206, "Bytes=2-3": 206, "lines=2-3": 200, "nonsense": 200,
		"bytes=9999-": 416} {
		if got := status(url, "Range", unit); got != want {
			t.Errorf("Range: %s: %d, want %d", unit, got, want)
		}
	}
	for _, bad := range []string{strings.Replace(url, "signature=", "signature=A", 1), strings.Replace(url, "expires=",
		"expires=9", 1),
		strings.Replace(url, ".csv?", ".xls?", 1), strings.Split(url, "?")[0]} {
		if got := status(bad); got != 403 {
			t.Errorf("%s: %d, want 403", bad, got)
		}
	}
	ahead.Store(int64(16 * time.Minute))
	if got := status(url); got != 403 {
		t.Errorf("an old link: %d, want 403", got)
	}
	gatewaytest.FileOf(t, cl, gatewaytest.Ended(t, cl, id)) // a fresh link works
	ahead.Store(int64(25 * time.Hour))
	if job := gatewaytest.Ended(t, cl, id); job.Status != "EXPIRED" || job.Downloadable || job.Files != nil {
		t.Errorf("after a day: %+v", job)
	}
	if _, err := os.Stat(filepath.Join(exportDir(g), id)); !os.IsNotExist(err) {
		t.Errorf("the file of an expired export: %v", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestExportOwnerListCancel(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	ctx := context.Background()
	var ids []string
	for range 5 {
		id, err := gatewaytest.StartExport(t, cl, "SELECT 1 AS a", api.ExportRequest{})
		if err != nil {
			t.Fatal(err)
		}
		gatewaytest.Ended(t, cl, id)
		ids = append(ids, id)
	}
	project := store.DefaultProject
	_, key, err := g.Store.CreateAPIKey(ctx, &project, "k", nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: g.Transport(), Key: key})
	if err != nil {
		t.Fatal(err)
	}
	if job, err := other.Exports.Get(ctx, project, ids[0]); err != nil || job.Downloadable || job.Files != nil {
		t.Errorf("another key sees files: %+v %v", job, err)
	}
	var seen []string
	before := ""
	for {
		page, err := cl.Exports.List(ctx, project, map[string][]string{"limit": {"2"}, "createdBefore": {before},
			"status": {"succeeded,FAILED"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range page {
			if j.Files != nil {
				t.Error("a list holds files")
			}
			seen = append([]string{j.ID}, seen...)
			before = j.CreatedAt
		}
		if len(page) < 2 {
			break
		}
	}
	if fmt.Sprint(seen) != fmt.Sprint(ids) {
		t.Errorf("pages gave %v, want %v", seen, ids)
	}
	for range 2 {
		if err := cl.Exports.Cancel(ctx, project, ids[0]); err != nil {
			t.Errorf("cancel of an ended job: %v", err)
		}
	}
	id, err := gatewaytest.StartExport(t, cl,
		"SELECT a.order_id FROM sample.shop.order_items a, sample.shop.order_items b", api.ExportRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if err := cl.Exports.Cancel(ctx, project, id); err != nil {
		t.Fatal(err)
	}
	if job := gatewaytest.Ended(t, cl, id); job.Status != "CANCELLED" {
		t.Errorf("cancelled job: %s", job.Status)
	}
	g.Jobs.Running.Wait()
	if left, _ := filepath.Glob(filepath.Join(exportDir(g), id) + "*"); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestExportCutOff(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	ctx := context.Background()
	x, err := g.Store.CreateExport(ctx, store.Export{ProjectID: store.DefaultProject, Runner: "a-process-that-died",
		Format: "CSV", Compression: "NONE", Source: "TABLE", FileName: "x.csv"})
	if err != nil {
		t.Fatal(err)
	}
	os.MkdirAll(exportDir(g), 0o700)
	for _, name := range []string{x.ID + ".partial", "nobodys"} {
		if err := os.WriteFile(filepath.Join(exportDir(g), name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if job := gatewaytest.Ended(t, cl, x.ID); job.Status != "FAILED" || *job.Error != jobs.CutOff {
		t.Errorf("%+v", job)
	}
	if err := g.Exports.SweepExports(ctx); err != nil { // which no look at a job does
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(exportDir(g)); len(files) != 0 {
		t.Errorf("orphans: %v", files)
	}
}

// TestExpiredFilesGo looks for the file of an export after its time, without a call that reads exports.
func TestExpiredFilesGo(t *testing.T) {
	g, cl, ahead := gatewaytest.OpenClient(t)
	export := func() string {
		id, err := gatewaytest.StartExport(t, cl, "SELECT 1 AS n", api.ExportRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if job := gatewaytest.Ended(t, cl, id); job.Status != store.ExportSucceeded {
			t.Fatalf("%+v", job)
		}
		return id
	}
	there := func(id string) bool {
		_, err := os.Stat(filepath.Join(exportDir(g), id))
		return err == nil
	}
	first := export()
	g.Jobs.RunDuties(context.Background())
	if !there(first) {
		t.Fatal("the file of a fresh export went")
	}
	ahead.Add(int64(24*time.Hour + time.Minute))
	g.Jobs.RunDuties(context.Background())
	if there(first) {
		t.Error("a gateway that serves keeps the file of an expired export")
	}
	second := export()
	ahead.Add(int64(24*time.Hour + time.Minute))
	if _, err := gatewaytest.StartExport(t, cl, "SELECT 1 AS n", api.ExportRequest{}); err != nil {
		t.Fatal(err)
	}
	if there(second) {
		t.Error("a new export leaves the file of an expired one")
	}
}
