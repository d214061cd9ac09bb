package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestRetries: what changes nothing is sent again after a passing failure, what changes something only after 429, and a
// body is sent whole each time.
func TestRetries(t *testing.T) {
	var answers atomic.Pointer[[]int] // a handler that cuts the connection may run on
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if r.Method == "POST" && !strings.Contains(string(raw), `"name":"x"`) &&
			!strings.Contains(string(raw), "SELECT 1") {
			t.Errorf("body %q", raw)
		}
		status := 200
		if n, all := int(asked.Add(1)), *answers.Load(); n <= len(all) {
			status = all[n-1]
		}
		if status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(status)
		io.WriteString(w, `{"id":"1","columns":[],"data":[]}`)
	}))
	defer srv.Close()
	ctx := context.Background()
	list := func(c *Client) error { _, err := c.Workspaces.List(ctx, "o"); return err }
	run := func(statement string) func(*Client) error {
		return func(c *Client) error {
			res, err := c.Queries.Execute(ctx, "p", ExecuteByStatement{Statement: statement},
				ExecuteOptions{Format: Compact})
			if err == nil {
				res.Close()
			}
			return err
		}
	}
	query, insert := run("SELECT 1"), run("INSERT INTO t SELECT 1")
	name := "x"
	create := func(c *Client) error {
		_, err := c.Workspaces.Create(ctx, "o", WorkspaceRequest{Name: &name})
		return err
	}
	for _, c := range []struct {
		name    string
		call    func(*Client) error
		answers []int
		retries int
		asked   int
		ok      bool
		unsure  bool
	}{
		{"503 twice", list, []int{503, 503}, 2, 3, true, false},
		{"503 too often", list, []int{503, 503, 503}, 2, 3, false, false},
		{"no retries", list, []int{503}, 0, 1, false, false},
		{"429, 502, 504", list, []int{429, 502, 504}, 3, 4, true, false},
		{"a 500 is final", list, []int{500}, 2, 1, false, false},
		{"a 404 is final", list, []int{404}, 2, 1, false, false},
		{"a query", query, []int{503}, 2, 2, true, false},
		{"a broken query", query, []int{503, 502}, 2, 3, true, false},
		{"a statement that writes", insert, []int{503}, 2, 1, false, true},
		{"a statement that writes, cut off", insert, []int{0}, 2, 1, false, true},
		{"a statement that writes, refused for the rate", insert, []int{429}, 2, 2, true, false},
		{"a change", create, []int{503}, 2, 1, false, true},
		{"a change of 504", create, []int{504}, 2, 1, false, true},
		{"a change refused for the rate", create, []int{429}, 2, 2, true, false},
		{"a change that is wrong", create, []int{400}, 2, 1, false, false},
		{"a change cut off", create, []int{0}, 2, 1, false, true},
	} {
		answers.Store(&c.answers)
		asked.Store(0)
		cl, err := New(Options{BaseURL: srv.URL, Retries: c.retries,
			Transport: &http.Transport{DisableKeepAlives: true}})
		if err != nil {
			t.Fatal(err)
		}
		err = c.call(cl)
		var e *Error
		if errors.As(err, &e); (err == nil) != c.ok || int(asked.Load()) != c.asked ||
			(e != nil && e.Unsure) != c.unsure {
			t.Errorf("%s: %v, asked %d times, want %d; unsure %v", c.name, err, asked.Load(), c.asked, e != nil &&
				e.Unsure)
		}
	}
}

// A 502 with a code is what the gateway says of a source, which is not asked again for the whole statement.
func TestFailedSourceIsFinal(t *testing.T) {
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(502)
		io.WriteString(w, `{"errorCode":100,"message":"connection c (rest): page 3: the answer is no JSON"}`)
	}))
	defer srv.Close()
	cl, err := New(Options{BaseURL: srv.URL, Retries: 2})
	if err != nil {
		t.Fatal(err)
	}
	_, err = cl.Queries.Execute(context.Background(), "p", ExecuteByStatement{Statement: "SELECT 1"},
		ExecuteOptions{Format: Compact})
	var e *Error
	if !errors.As(err, &e) || e.Status != 502 || asked != 1 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}

// TestRetryAfter: a gateway that asks for too much patience, or for more than the call has, is not asked again.
func TestRetryAfter(t *testing.T) {
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(503)
	}))
	defer srv.Close()
	cl, err := New(Options{BaseURL: srv.URL, Retries: 5, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = cl.Workspaces.List(context.Background(), "o"); err == nil || asked != 1 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}

// TestNumberIDs: ids that come as numbers keep their digits; other numbers in the place of texts stay an error.
func TestNumberIDs(t *testing.T) {
	var q struct{ ID, CatalogID, Name string }
	if err := decode([]byte(`{"id": 1210890979914023812,"catalogId":99999999999999999999, "name":"\"id\":5,"}`),
		&q); err != nil || q.ID != "1210890979914023812" || q.CatalogID != "99999999999999999999" ||
		q.Name != `"id":5,` {
		t.Errorf("%+v %v", q, err)
	}
	if err := decode([]byte(`{"id":1.5}`), &q); err == nil {
		t.Error("1.5 is an id")
	}
	if err := decode([]byte(`{"name":7}`), &q); err == nil {
		t.Error("7 is a name")
	}
}

// TestInsides: class names and paths of the secret store are left out of messages, names of tables are not.
func TestInsides(t *testing.T) {
	for text, want := range map[string]string{
		"io.trino.spi.TrinoException: line 1:8: no column":                                           "line 1:8: no column",
		"org.springframework.vault.VaultException: secret/data/connections/7d6f: no such connection": "no such connection",
		"400 Bad Request from PUT " +
			"http://vault-proxy:8080/internal/connection-secret/z8mo8AxO/6f1c7a9e-3f7b-4a56-9d57-0c6f0e3b6a11: no": "400 Bad Request from PUT no",
		"/internal/connection-secret/z8mo8AxO/6f1c7a9e-3f7b-4a56-9d57-0c6f0e3b6a11: no such token": "no such token",
		`cannot find table or properties: \"table0658acc15ada3cf44509bc74ff836866\" in schema: ` +
			`\"schemamapper9lbuaggx4128748030302570328\"`: "cannot find table or properties: an internal name in schema: an internal name",
		"No enum constant com.peaka.gateway.model.ColumnRequest.ColumnType.JSON": "No enum constant JSON",
		`org.postgresql.util.PSQLException: ERROR: duplicate key value violates unique constraint ` +
			`\"sm_column__name__table_name_key\"\n  Detail: Key (_name, _table_name)=(text, t) already exists.\n  ` +
			`Where: SQL statement \"INSERT INTO schema_mapper_9lbuaggx_4128748030302570328.sm_column (_id) ` +
			`VALUES ($1)\"`: "a column of this name exists",
		`org.postgresql.util.PSQLException: ERROR: column \"b\" does not exist\n  Where: PL/pgSQL function ` +
			`abstract_schema_mapper.f(text,jsonb) line 16 at EXECUTE`: `ERROR: column "b" does not exist`,
		"Table 'lake.internal.table20260101' does not exist":         "Table 'lake.internal.table20260101' does not exist",
		"GET https://api.example.com/internal/orders: 404 Not Found": "GET https://api.example.com/internal/orders: 404 Not Found",
		"Table 'lake.files.table1' does not exist":                   "Table 'lake.files.table1' does not exist",
		"Table 'lake.files.Orders' does not exist":                   "Table 'lake.files.Orders' does not exist",
		"lake.files.orders: Exception":                               "lake.files.orders: Exception",
	} {
		rep := &Reply{Status: 400, Body: io.NopCloser(strings.NewReader(`{"errorCode":100,"message":"` + text + `"}`))}
		if e := ReadError("GET", "u", rep); e.Message != want || !strings.Contains(string(e.Raw), text) {
			t.Errorf("%q: %q, want %q", text, e.Message, want)
		}
	}
}
