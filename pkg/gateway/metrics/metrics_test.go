package metrics_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/metrics"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// TestMetrics: what a gateway does is counted, and what is stored is described, in a form of which each line is valid.
func TestMetrics(t *testing.T) {
	m := metrics.New(slog.New(slog.DiscardHandler), time.Now)
	g, _, cl, _ := gatewaytest.Serve(t, gateway.Options{Metrics: m, Observe: m.Call, Version: `1"\x`})
	m.Gateway = g
	g.Jobs.OnEnd = append(g.Jobs.OnEnd, m.Run)
	made := gatewaytest.Materialized{T: t, G: g, Cl: cl.Client}
	made.Create("good", "SELECT 1 AS n", nil)
	bad := made.Create("bad", "SELECT CAST(v AS integer) AS n FROM (VALUES 'x') t(v)", nil)
	gatewaytest.MakeCache(t, g, cl.Client, "products")
	g.Jobs.Running.Wait()
	run := func(statement string) {
		t.Helper()
		res, err := cl.Queries.Execute(t.Context(), gatewaytest.Local, api.ExecuteByStatement{Statement: statement},
			api.ExecuteOptions{})
		if err != nil {
			return
		}
		for rows := res.Rows(); rows.Next(); {
		}
		res.Close()
	}
	run("SELECT * FROM UNNEST(sequence(1, 7)) t(x)")
	run("SELECT nothing")
	text := ""
	scrape := func() {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(cl.BaseURL(),
			web.BasePath)+web.MetricsPath, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+cl.Key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		raw, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != 200 || !strings.Contains(res.Header.Get("Content-Type"), "version=0.0.4") {
			t.Fatalf("%s %v %v", res.Status, res.Header, err)
		}
		text = string(raw)
	}
	for end := time.Now().Add(time.Minute); !strings.Contains(text, `outcome="refused"`) &&
		time.Now().Before(end); time.Sleep(10 * time.Millisecond) { // a call is counted after its reply
		scrape()
	}
	for _, want := range []string{
		`dig_statements_total{outcome="succeeded"} 1`, `dig_statements_total{outcome="refused"} 1`,
		`dig_rows_total{of="results"} 7`, `dig_requests_total{operation="executeQuery",code="200"} 1`,
		`dig_statement_duration_seconds_count 2`,
		`dig_request_duration_seconds_bucket{operation="executeQuery",le="+Inf"} 2`,
		`dig_runs_total{kind="materialized",status="failed"} 1`, `dig_runs_total{kind="cache",status="completed"} 1`,
		`dig_jobs{kind="materialized",state="completed"} 1`, `dig_jobs{kind="materialized",state="failed"} 1`,
		`dig_jobs{kind="cache",state="completed"} 1`, `dig_runs_late{kind="cache"} 0`,
		`dig_run_failing{kind="materialized",project="` + gatewaytest.Local + `",id="` + bad + `",name="bad"} 1`,
		`name="sample.shop.products"`, `dig_state_up 1`, `dig_requests_active 0`, `dig_data_bytes{part="projects"}`,
		`dig_build_info{version="1\"\\x",go=`, `go_goroutines `, `dig_process_replacements_total 0`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	line := regexp.MustCompile(`^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="([^"\\]|\\.)*",?)+\})? [-+0-9.e]+)$`)
	seen := map[string]bool{}
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if !line.MatchString(l) {
			t.Errorf("not valid: %s", l)
		}
		if strings.HasPrefix(l, "# TYPE ") {
			if seen[l] {
				t.Errorf("twice: %s", l)
			}
			seen[l] = true
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// TestStateDown: without the state the other metrics are still there.
func TestStateDown(t *testing.T) {
	m := metrics.New(slog.New(slog.DiscardHandler), time.Now)
	m.Gateway = gatewaytest.Open(t)
	m.Run(jobs.End{Kind: jobs.JobCache, Status: "COMPLETED", Took: 2 * time.Second, Rows: 5})
	if err := m.Gateway.Store.Close(); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, web.MetricsPath, nil))
	for _, want := range []string{"dig_state_up 0", `dig_run_duration_seconds_bucket{kind="cache",le="2.5"} 1`,
		`dig_run_duration_seconds_bucket{kind="cache",le="1"} 0`, `dig_run_duration_seconds_sum{kind="cache"} 2`,
		`dig_rows_total{of="cache"} 5`, "go_goroutines"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %s in %s", want, w.Body)
		}
	}
}
