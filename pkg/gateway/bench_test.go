package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// BenchmarkSelectOne runs SELECT 1 as a request of HTTP, from as many clients as there are processors.
func BenchmarkSelectOne(b *testing.B) { benchStatement(b, "SELECT 1") }

// BenchmarkThousandRows fetches a thousand rows of three columns.
func BenchmarkThousandRows(b *testing.B) {
	benchStatement(b, "SELECT id, status, ordered_at FROM sample.shop.orders LIMIT 1000")
}

func benchStatement(b *testing.B, sql string) {
	g := gatewaytest.Open(b)
	path := gateway.LocalBaseURL + "/data/projects/" + store.DefaultProject + "/queries/execute"
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{"statement": "`+sql+`"}`))
			r.Header.Set("Content-Type", "application/json")
			res, err := g.Transport().RoundTrip(r)
			if err != nil {
				b.Error(err)
				return
			}
			if _, err := io.Copy(io.Discard, res.Body); res.StatusCode != 200 || err != nil {
				b.Errorf("%s, %v", res.Status, err)
			}
			res.Body.Close()
		}
	})
}
