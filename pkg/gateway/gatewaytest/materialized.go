package gatewaytest

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// Ptr returns a pointer to a copy of v.
func Ptr[T any](v T) *T { return &v }

// Materialized is a test of materialized queries.
type Materialized struct {
	*testing.T
	G  *gateway.Gateway
	Cl *api.Client
}

// Create saves a materialized query.
func (t Materialized) Create(name, sql string, s *api.MaterializedQuerySchedule) string {
	t.Helper()
	q, err := t.Cl.Queries.Create(context.Background(), store.DefaultProject,
		api.QueryRequest{DisplayName: &name, InputQuery: &sql, QueryType: "MATERIALIZED", Schedule: s}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q.ID
}

// Text changes the statement of a query.
func (t Materialized) Text(id, sql string) {
	t.Helper()
	if _, err := t.Cl.Queries.Update(context.Background(), store.DefaultProject, id, api.QueryRequest{InputQuery: &sql},
		url.Values{"checkSchemaExists": {"false"}}); err != nil {
		t.Fatal(err)
	}
}

// Status returns the state of a query.
func (t Materialized) Status(id string) api.MaterializedQueryStatus {
	t.Helper()
	s, err := t.Cl.Materialized.Status(context.Background(), store.DefaultProject, id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Wait polls until the state is as wanted.
func (t Materialized) Wait(id string, wanted func(api.MaterializedQueryStatus) bool) api.MaterializedQueryStatus {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if s := t.Status(id); wanted(s) {
			return s
		}
	}
	t.Fatalf("still %+v", t.Status(id))
	panic("unreachable")
}

// Settled waits until no run is active.
func (t Materialized) Settled(id string) api.MaterializedQueryStatus {
	t.Helper()
	return t.Wait(id, func(s api.MaterializedQueryStatus) bool { return s.Status != store.RunRunning })
}

// Values returns the first column of the result of a statement.
func (t Materialized) Values(sql string) []string {
	t.Helper()
	p, err := t.G.Store.Project(context.Background(), "", store.DefaultProject)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := TextsOf(context.Background(), t.G, p, sql)
	if err != nil {
		t.Fatal(err)
	}
	return each.Map(rows, func(r []string) string { return r[0] })
}

// Stored checks the only value in the stored result of the query m.
func (t Materialized) Stored(want string) {
	t.Helper()
	if got := t.Values("SELECT v FROM peaka.mtquery.m"); len(got) != 1 || got[0] != want {
		t.Fatalf("stored is %v, want %s", got, want)
	}
}

// NewMaterialized opens a gateway, and returns a function that advances its clock.
func NewMaterialized(t *testing.T) (Materialized, func(time.Duration)) {
	g, cl, ahead := OpenClient(t)
	return Materialized{t, g, cl}, func(d time.Duration) { ahead.Add(int64(d)) }
}

// Moment parses a time in a reply.
func Moment(t *testing.T, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
