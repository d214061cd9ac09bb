package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// TestSizeLimits: a body of JSON and a header are bounded; an upload is bounded by its own limit only.
func TestSizeLimits(t *testing.T) {
	_, s, cl, _ := gatewaytest.Serve(t, gateway.Options{Limits: web.Limits{Upload: 40 << 20}})
	ctx, p := context.Background(), store.DefaultProject
	name := strings.Repeat("x", web.MaxBody)
	if _, err := cl.Queries.Create(ctx, p, api.QueryRequest{DisplayName: &name, InputQuery: &name},
		nil); gatewaytest.StatusOf(t, err) != 413 {
		t.Errorf("a body of 64 MiB: %v", err)
	}
	req, _ := http.NewRequest("GET", fmt.Sprintf("http://%s/api/v1/organizations", s.Addr), nil)
	req.Header.Set("X-Long", strings.Repeat("x", web.MaxHeader+8192))
	if rep, err := http.DefaultClient.Do(req); err == nil {
		rep.Body.Close()
		if rep.StatusCode != 431 {
			t.Errorf("a header of 72 KiB: %d", rep.StatusCode)
		}
		// closed before it was sent
	} else if !strings.Contains(err.Error(), "connection") && !strings.Contains(err.Error(), "pipe") {
		t.Error(err)
	}

	if _, err := cl.Tables.Create(ctx, p, "big"); err != nil {
		t.Fatal(err)
	}
	if _, err := cl.Tables.AddColumns(ctx, p, "big",
		[]api.ColumnRequest{{Name: "a", DataType: "VARCHAR"}}); err != nil {
		t.Fatal(err)
	}
	send := func(mib int) (api.ImportJob, error) {
		doc := io.MultiReader(strings.NewReader("a\n"), io.LimitReader(lines{}, int64(mib)<<20))
		return cl.Tables.Import(ctx, p, "big", api.ImportRequest{ContainsHeader: true,
			Mappings: []api.ImportMapping{{Name: "a", CSVColumnName: "a"}}}, "big.csv", doc)
	}
	if job, err := send(36); err != nil || job.Result.Processed != 36<<20/64 {
		t.Errorf("an upload larger than a JSON body may be: %v, %d rows", err, job.Result.Processed)
	}
	if _, err := send(41); gatewaytest.StatusOf(t, err) != 413 {
		t.Errorf("an upload over the limit: %v", err)
	}
	if n := countRows(t, cl, `SELECT count(*) FROM peaka."table".big`); n != fmt.Sprint(36<<20/64) {
		t.Errorf("%s rows are stored", n)
	}
}

// lines is an endless document of lines of 64 bytes.
type lines struct{}

func (lines) Read(p []byte) (int, error) {
	line := strings.Repeat("x", 63) + "\n"
	if len(p) < len(line) {
		return 0, io.ErrShortBuffer
	}
	n := 0
	for n+len(line) <= len(p) {
		n += copy(p[n:], line)
	}
	return n, nil
}

func countRows(t *testing.T, cl gatewaytest.KeyClient, sql string) string {
	t.Helper()
	res, err := cl.Queries.Execute(context.Background(), store.DefaultProject, api.ExecuteByStatement{Statement: sql},
		api.ExecuteOptions{Format: api.Compact})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	rows := res.Rows()
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	return strings.Trim(string(rows.Row()[0]), `"`)
}

// TestSilentSender: a body that stops coming ends with 408, and its import leaves nothing.
func TestSilentSender(t *testing.T) {
	_, s, cl, _ := gatewaytest.Serve(t, gateway.Options{Limits: web.Limits{Silence: time.Second}})
	ctx, p := context.Background(), store.DefaultProject
	if _, err := cl.Tables.Create(ctx, p, "people"); err != nil {
		t.Fatal(err)
	}
	if _, err := cl.Tables.AddColumns(ctx, p, "people",
		[]api.ColumnRequest{{Name: "name", DataType: "VARCHAR"}}); err != nil {
		t.Fatal(err)
	}
	pr, pw := io.Pipe()
	go func() { _, _ = io.WriteString(pw, "name\nAda\nGrace\n") }() // and then nothing
	_, err := cl.Tables.Import(ctx, p, "people", api.ImportRequest{ContainsHeader: true,
		Mappings: []api.ImportMapping{{Name: "name", CSVColumnName: "name"}}}, "p.csv", pr)
	var ae *api.Error
	// the answer may come while the client is still sending
	if !errors.As(err, &ae) || ae.Status != 408 && ae.Status != 0 {
		t.Errorf("an import that fell silent: %v", err)
	}
	pw.Close()
	if n := countRows(t, cl, `SELECT count(*) FROM peaka."table".people`); n != "0" {
		t.Errorf("%s rows are stored", n)
	}

	c, err := net.Dial("tcp", s.Addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	key := "Bearer " + cl.Key
	fmt.Fprintf(c, "POST /api/v1/data/projects/%s/queries/execute HTTP/1.1\r\nHost: x\r\nAuthorization: "+
		"%s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", p, key)
	raw, _ := io.ReadAll(c)
	if !strings.HasPrefix(string(raw), "HTTP/1.1 408 ") || !strings.Contains(string(raw), "no more data was received") {
		t.Errorf("a JSON body that fell silent: %.200s", raw)
	}

	// The time limit of a read does not outlive the body: what runs longer than that afterwards is not cut off.
	if n := countRows(t, cl,
		"SELECT count(*) FROM UNNEST(sequence(0, 8999)) a(x), UNNEST(sequence(0, 8999)) b(y) WHERE x + y = 8999"); n != "9000" {
		t.Errorf("%s rows", n)
	}
}

// TestPanic: a handler that panics answers 500 and the gateway goes on; once a reply has begun it is cut, not
// completed. The log has the place, not what users wrote.
func TestPanic(t *testing.T) {
	g, _, _, log := gatewaytest.Serve(t, gateway.Options{})
	begun := false
	srv := httptest.NewServer(g.Web.Middleware(http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		if begun {
			io.WriteString(w, `{"data":[`)
			_ = http.NewResponseController(w).Flush()
		}
		panic("cannot cast 'hunter2' to bigint")
	})))
	defer srv.Close()
	get := func() (*http.Response, []byte, error) {
		rep, err := http.Get(srv.URL + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		defer rep.Body.Close()
		raw, err := io.ReadAll(rep.Body)
		return rep, raw, err
	}
	rep, raw, err := get()
	var body struct{ Message string }
	if err != nil || rep.StatusCode != 500 || json.Unmarshal(raw, &body) != nil || body.Message != "internal error" {
		t.Errorf("%d %s %v", rep.StatusCode, raw, err)
	}
	begun = true
	if rep, raw, err = get(); rep.StatusCode != 200 || err == nil {
		t.Errorf("a reply that panicked half-way ended well: %s", raw)
	}
	text := log.String()
	if strings.Count(text, "msg=panic") != 2 || !strings.Contains(text, "protection_test.go") ||
		strings.Count(text, "msg=request") != 2 || strings.Contains(text, "hunter2") {
		t.Errorf("the log:\n%s", text)
	}
}

// TestLogWithoutSecrets: one line for each request, and nothing in it that only its sender should know.
func TestLogWithoutSecrets(t *testing.T) {
	_, s, cl, log := gatewaytest.Serve(t, gateway.Options{})
	ctx, p := context.Background(), store.DefaultProject
	dir := t.TempDir()
	made, err := cl.APIKeys.Create(ctx, p, api.ApiKeyRequest{Name: gatewaytest.Ptr("ci")})
	if err != nil || made.ApiKey == nil {
		t.Fatal(err)
	}
	secrets := []string{"hunter2", "pa55word", "s3cr3t-literal", "s3cr3t-binding", *made.ApiKey, cl.Key,
		"signature=", dir}
	requests := 1
	call := func(err error) { requests++ }
	_, err = cl.Connections.Create(ctx, p, api.ConnectionRequest{Name: "db", Type: "POSTGRES",
		Credential: map[string]any{"url": "127.0.0.1", "port": 1, "user": "u", "password": "pa55word",
			"databaseName": "d"}})
	call(err)
	_, err = cl.Connections.Create(ctx, p, api.ConnectionRequest{Name: "lake", Type: "files",
		Credential: map[string]any{"path": dir}})
	call(err)
	for _, sql := range []string{"SELECT 's3cr3t-literal' AS x", "SELECT 's3cr3t-literal",
		"SELECT CAST('s3cr3t-literal' AS bigint)", "SELECT 1/0 FROM \"s3cr3t-literal\"", "SELECT ? AS x, ? AS y"} {
		res, err := cl.Queries.Execute(ctx, p, api.ExecuteByStatement{Statement: sql,
			Bindings: []string{"s3cr3t-binding"}}, api.ExecuteOptions{Format: api.Compact})
		if call(err); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			res.Close()
		}
	}
	job, err := cl.Exports.StartTable(ctx, p, "3", "shop", "products", api.ExportRequest{})
	if call(err); err != nil {
		t.Fatal(err)
	}
	var done api.ExportJobResponse
	for done.Status != "SUCCEEDED" {
		if done, err = cl.Exports.Get(ctx, p, job.ID); err != nil {
			t.Fatal(err)
		}
		requests++
		time.Sleep(10 * time.Millisecond)
	}
	rep, err := cl.Exports.Open(ctx, done.Files[0], 0, "")
	if call(err); err != nil {
		t.Fatal(err)
	}
	rep.Body.Close()
	for _, path := range []string{*made.ApiKey + "/projects", "info/" + *made.ApiKey, "token=s3cr3t-literal"} {
		wrong, err := http.Get(fmt.Sprintf("http://%s/api/v1/%s", s.Addr, path))
		if call(err); err != nil || wrong.StatusCode != 401 {
			t.Fatalf("%v %v", wrong, err)
		}
		wrong.Body.Close()
	}
	for _, auth := range []string{"Bearer hunter2.hunter2hunter2", "Basic aHVudGVyMg=="} {
		req, _ := http.NewRequest("GET", fmt.Sprintf("http://%s/api/v1/organizations?key=hunter2", s.Addr), nil)
		req.Header.Set("Authorization", auth)
		rep, err := http.DefaultClient.Do(req)
		if call(err); err != nil || rep.StatusCode != 401 {
			t.Fatalf("%v %v", rep, err)
		}
		rep.Body.Close()
	}
	for deadline := time.Now().Add(10 * time.Second); strings.Count(log.String(), "msg=request") < requests &&
		time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	text := log.String()
	if n := strings.Count(text, "msg=request"); n != requests {
		t.Errorf("%d lines for %d requests", n, requests)
	}
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("the log holds %q:\n%s", secret, text)
		}
	}
	for _, want := range []string{"method=POST", "path=/api/v1/data/projects/" + p + "/queries/execute", "status=200",
		"status=400", "status=401", "bytes=", "ms=", "id="} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %q:\n%s", want, text)
		}
	}
}

// TestKeys: what is stored of a key does not tell it, keys of one prefix are told apart, and an expired or deleted one
// is refused.
func TestKeys(t *testing.T) {
	g, _, cl, _ := gatewaytest.Serve(t, gateway.Options{})
	ctx, p := context.Background(), store.DefaultProject
	made, err := cl.APIKeys.Create(ctx, p, api.ApiKeyRequest{Name: gatewaytest.Ptr("ci")})
	if err != nil {
		t.Fatal(err)
	}
	key := *made.ApiKey
	k, err := g.Store.FindKey(ctx, key)
	if err != nil || !k.Matches(key) {
		t.Fatalf("%+v %v", k, err)
	}
	all := fmt.Sprintf("%+v %q", k, store.HashKey(key))
	if strings.Contains(all, key[9:]) {
		t.Errorf("stored: %s", all)
	}
	last := key[:len(key)-1] + string('a'+(key[len(key)-1]-'a'+1)%26)
	for _, wrong := range []string{"", "x", key[:9], key[:40], key + "x", last, strings.ToUpper(key),
		key[:9] + strings.Repeat("a", 32)} {
		if wrong == key {
			continue
		}
		if _, err := g.Store.FindKey(ctx, wrong); !errors.Is(err, store.ErrNotFound) || k.Matches(wrong) {
			t.Errorf("%q opens", wrong)
		}
	}
	with := func(key string) int {
		c, err := api.New(api.Options{BaseURL: cl.BaseURL(), Key: key})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = c.Tables.List(ctx, p); err == nil {
			return 200
		}
		return gatewaytest.StatusOf(t, err)
	}
	if s := with(key); s != 200 {
		t.Errorf("the key: %d", s)
	}
	if err := cl.APIKeys.Delete(ctx, p, made.ApiKeyID); err != nil {
		t.Fatal(err)
	}
	if s := with(key); s != 401 {
		t.Errorf("the deleted key: %d", s)
	}
	if s := with(last); s != 401 {
		t.Errorf("a wrong key: %d", s)
	}
}
