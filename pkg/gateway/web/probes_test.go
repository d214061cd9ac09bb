package web_test

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// TestProbes: whether the gateway lives and is ready is told without a key; the metrics need a partner key, except on
// their own address.
func TestProbes(t *testing.T) {
	g, s, cl, log := gatewaytest.Serve(t, gateway.Options{Metrics: http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		io.WriteString(w, "some 1\n")
	})})
	own, err := cl.APIKeys.Create(t.Context(), gatewaytest.Local, api.ApiKeyRequest{Name: gatewaytest.Ptr("own")})
	if err != nil {
		t.Fatal(err)
	}
	get := func(host, path, key string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+path, nil)
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
		raw, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(raw)
	}
	tcp := s.Addr.String()
	for _, c := range []struct {
		path, key string
		want      int
		text      string
	}{
		{web.HealthPath, "", 200, "ok"}, {web.ReadyPath, "", 200, "ok"}, {web.MetricsPath, "", 401, "missing"},
		{web.MetricsPath, *own.ApiKey, 403, "partner key"}, {web.MetricsPath, cl.Key, 200, "some 1"},
	} {
		if status, text := get(tcp, c.path, c.key); status != c.want || !strings.Contains(text, c.text) {
			t.Errorf("%s: %d %s", c.path, status, text)
		}
	}
	if got := log.String(); strings.Contains(got, "path="+web.ReadyPath) ||
		!strings.Contains(got, "path="+web.MetricsPath) ||
		!strings.Contains(got, "key=serve") || strings.Contains(got, cl.Key) || strings.Contains(got, *own.ApiKey) {
		t.Errorf("the log: %s", got)
	}
	for _, path := range []string{web.HealthPath, web.ReadyPath, web.MetricsPath} {
		if status, text := get(s.Metrics.String(), path, ""); status != 200 {
			t.Errorf("%s on its own address: %d %s", path, status, text)
		}
	}
	if status, _ := get(s.Metrics.String(), web.BasePath+"/organizations", cl.Key); status != 404 {
		t.Errorf("a call on the address of the metrics: %d", status)
	}
	g.Web.Stop()
	if status, text := get(tcp, web.ReadyPath, ""); status != 503 || text != "stopping\n" {
		t.Errorf("while it stops: %d %s", status, text)
	}
	if status, _ := get(tcp, web.HealthPath, ""); status != 200 {
		t.Errorf("while it stops it does not live: %d", status)
	}
}

// TestNotReady: a gateway without its data is not ready.
func TestNotReady(t *testing.T) {
	g, s, _, _ := gatewaytest.Serve(t, gateway.Options{})
	get := func() int {
		t.Helper()
		res, err := http.Get("http://" + s.Addr.String() + web.ReadyPath)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	if got := get(); got != 200 {
		t.Errorf("before: %d", got)
	}
	if err := os.RemoveAll(g.Options.Dir); err != nil {
		t.Fatal(err)
	}
	if got := get(); got != 503 {
		t.Errorf("after its data were removed: %d", got)
	}
}

// TestCallLine: the line of a call has the operation, the project, the caller's key and the rows, and nothing of what
// is in the statement.
func TestCallLine(t *testing.T) {
	_, _, cl, log := gatewaytest.Serve(t, gateway.Options{})
	res, err := cl.Queries.Execute(t.Context(), gatewaytest.Local, api.ExecuteByStatement{
		Statement: "SELECT 'hidden' AS v FROM UNNEST(sequence(1, 3)) t(x)"}, api.ExecuteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for rows := res.Rows(); rows.Next(); {
	}
	res.Close()
	for end := time.Now().Add(time.Minute); !strings.Contains(log.String(), "op=executeQuery") &&
		time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	for _, want := range []string{"project=" + gatewaytest.Local, "key=serve", "rows=3", "source=tcp",
		"remote=127.0.0.1", "received=", "id="} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in %s", want, log)
		}
	}
	if strings.Contains(log.String(), "hidden") {
		t.Errorf("the statement is logged: %s", log)
	}
}
