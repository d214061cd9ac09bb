package projects_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// TestKeyExpiresAndIsDeleted holds a key to its time and its deletion, over a real connection.
func TestKeyExpiresAndIsDeleted(t *testing.T) {
	var ahead atomic.Int64
	g, err := gateway.Open(gateway.Options{Dir: t.TempDir(), OpenEngine: duckdb.Open,
		Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	if err != nil {
		t.Skipf("no local engine in this build: %v", err)
	}
	defer g.Close()
	partner := g.ServeKey()
	srv := httptest.NewServer(g.Web.Handler)
	defer srv.Close()
	call := func(key, method, path, body string) (int, api.ApiKey) {
		t.Helper()
		req, err := http.NewRequest(method, srv.URL+web.BasePath+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var k api.ApiKey
		_ = json.NewDecoder(res.Body).Decode(&k)
		return res.StatusCode, k
	}
	want := func(key string, status int) {
		t.Helper()
		if got, _ := call(key, "GET", "/data/projects/"+gateway.DefaultProject+"/catalogs", ""); got != status {
			t.Errorf("status %d, want %d", got, status)
		}
	}
	keys := "/projects/" + gateway.DefaultProject + "/apiKeys"
	soon := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	_, short := call(partner, "POST", keys, `{"name":"short","expiresAt":"`+soon+`"}`)
	_, long := call(partner, "POST", keys, `{"name":"long"}`)
	if short.ApiKey == nil || long.ApiKey == nil {
		t.Fatal("no key text in the reply that creates it")
	}
	want(*short.ApiKey, 200)
	want(*long.ApiKey, 200)
	want("", 401)
	want((*long.ApiKey)[:40]+"?", 401)
	if got, _ := call(*long.ApiKey, "POST", keys, `{"name":"more"}`); got != 403 {
		t.Errorf("a project key makes keys: status %d", got)
	}
	ahead.Store(int64(2 * time.Hour))
	want(*short.ApiKey, 401)
	want(*long.ApiKey, 200)
	if got, _ := call(partner, "DELETE", keys+"/"+long.ApiKeyID, ""); got != 200 {
		t.Errorf("delete: status %d", got)
	}
	want(*long.ApiKey, 401)
}
