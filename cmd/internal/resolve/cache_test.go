package resolve

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// TestCacheByTable: a deleted cache is none, in whatever case its state is written.
func TestCacheByTable(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`[{"id":"1","schemaName":"s","tableName":"t","status":"Deleted"},{"id":"2",` +
			`"schemaName":"s","tableName":"t","status":"COMPLETED"}]`))
	}))
	defer srv.Close()
	cl, err := api.New(api.Options{BaseURL: srv.URL, Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if st, err := CacheByTable(t.Context(), cl, "p", "c", "s", "t"); err != nil || st == nil ||
		st.Status != api.StateCompleted {
		t.Errorf("%+v, %v", st, err)
	}
}
