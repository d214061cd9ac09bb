package gatewaytest

import (
	"context"
	"encoding/json"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/google/uuid"
)

// OpenClient opens a gateway over a new data directory, and returns it with a client and with the time by which its
// clock is ahead. change sets other options.
func OpenClient(t *testing.T, change ...func(*gateway.Options)) (*gateway.Gateway, *api.Client, *atomic.Int64) {
	t.Helper()
	var ahead atomic.Int64
	o := gateway.Options{Dir: t.TempDir(), OpenEngine: duckdb.Open,
		Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }}
	for _, set := range change {
		set(&o)
	}
	g, err := gateway.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: g.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	return g, cl, &ahead
}

// StartExport saves a query and exports it.
func StartExport(t *testing.T, cl *api.Client, sql string, body api.ExportRequest) (string, error) {
	t.Helper()
	name := "test " + uuid.NewString()
	q, err := cl.Queries.Create(context.Background(), store.DefaultProject, api.QueryRequest{DisplayName: &name,
		InputQuery: &sql}, nil)
	if err != nil {
		t.Fatal(err)
	}
	job, err := cl.Exports.StartQuery(context.Background(), store.DefaultProject, q.ID, body)
	if err == nil && job.Status != "PENDING" {
		t.Errorf("a new job is %s", job.Status)
	}
	return job.ID, err
}

// Ended waits for the end of an export.
func Ended(t *testing.T, cl *api.Client, id string) api.ExportJobResponse {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		job, err := cl.Exports.Get(context.Background(), store.DefaultProject, id)
		if err != nil {
			t.Fatal(err)
		}
		if job.Status != "PENDING" && job.Status != "RUNNING" {
			return job
		}
	}
	t.Fatal("the export did not end")
	panic("unreachable")
}

// FileOf downloads the only file of an export.
func FileOf(t *testing.T, cl *api.Client, job api.ExportJobResponse) []byte {
	t.Helper()
	if job.Status != "SUCCEEDED" || len(job.Files) != 1 {
		raw, _ := json.Marshal(job)
		t.Fatalf("no file: %s", raw)
	}
	rep, err := cl.Exports.Open(context.Background(), job.Files[0], 0, "")
	if err != nil {
		t.Fatal(err)
	}
	defer rep.Body.Close()
	raw, err := io.ReadAll(rep.Body)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(raw)) != job.Files[0].Bytes || *job.Bytes != job.Files[0].Bytes {
		t.Fatalf("%d bytes, the job says %d", len(raw), job.Files[0].Bytes)
	}
	return raw
}
