package statements_test

import (
	"context"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// TestStatementLimit: a statement ends at the limit of the gateway, whatever it asks for.
func TestStatementLimit(t *testing.T) {
	_, _, cl, _ := gatewaytest.Serve(t, gateway.Options{Limits: web.Limits{Statement: 300 * time.Millisecond}})
	for _, asked := range []*int64{nil, gatewaytest.Ptr(int64(3600)), gatewaytest.Ptr(int64(1 << 62))} {
		_, err := cl.Queries.Execute(context.Background(), store.DefaultProject,
			api.ExecuteByStatement{Statement: "SELECT count(*) FROM UNNEST(sequence(1, 10000)) a(x), " +
				"UNNEST(sequence(1, 10000)) b(y), UNNEST(sequence(1, 10000)) c(z) WHERE x + y + z = 7", Timeout: asked},
			api.ExecuteOptions{Format: api.Compact})
		if err == nil || gatewaytest.StatusOf(t, err) != 408 {
			t.Errorf("%v", err)
		}
	}
	g := &web.Mux{Limits: web.Limits{Statement: time.Hour}}
	for asked, want := range map[int64]time.Duration{0: time.Hour, -1: time.Hour, 10: 10 * time.Second, 3600: time.Hour,
		7200: time.Hour, 1 << 62: time.Hour} {
		if got := g.TimeoutOf(&asked); got != want {
			t.Errorf("asked for %d s: %v, want %v", asked, got, want)
		}
	}
}
