package tables_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// TestImportKeepsTheTimeLimit: the longest that a statement may run is also the longest that an import may take to
// store its rows.
func TestImportKeepsTheTimeLimit(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	if _, err := cl.Tables.Create(context.Background(), gatewaytest.Local, "t"); err != nil {
		t.Fatal(err)
	}
	g.Tables.Limits.Statement = time.Nanosecond
	form := gatewaytest.CSVForm("text", "a")
	path := "/data/projects/" + store.DefaultProject + "/table/t/import"
	status, text := gatewaytest.Exchange(g, http.MethodPost, path, "multipart/form-data; boundary=boundary", form)
	if status != 408 || !strings.Contains(text, "none of its rows is stored") {
		t.Errorf("%d %s", status, text)
	}
	g.Tables.Limits.Statement = 0
	if got := gatewaytest.OneValue(t, g, `SELECT count(*) FROM peaka."table".t`); got != "0" {
		t.Errorf("%s rows are there", got)
	}
	if status, text := gatewaytest.Exchange(g, http.MethodPost, path, "multipart/form-data; boundary=boundary",
		form); status != 200 {
		t.Errorf("without the limit: %d %s", status, text)
	}
}
