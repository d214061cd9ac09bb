package cmd

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/spec"
)

// TestRerunOfAnImportThatIsStoredLate: the reply of an import is lost before zone local has begun to store it, and it
// is run again. Its rows are stored once, whichever of both is stored first.
func TestRerunOfAnImportThatIsStoredLate(t *testing.T) {
	for _, lateFirst := range []bool{false, true} {
		for _, rows := range []int64{0, 1} { // of the table before
			t.Run(fmt.Sprintf("late first %t, %d rows", lateFirst, rows), func(t *testing.T) {
				f := newFront(t, "local")
				f.want(0, "table", "create", "t", "--column", "a:BIGINT")
				if rows > 0 {
					f.want(0, "table", "import", "t", f.file("zero.csv", "a\n0\n"))
				}
				mine := f.file("mine.csv", "a\n1\n2\n")
				var late []byte
				var kind string
				f.on(spec.ImportCsv, func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) {
					body, err := io.ReadAll(r.Body)
					if err != nil {
						t.Error(err)
					}
					if late == nil {
						late, kind = body, r.Header.Get("Content-Type")
						panic(http.ErrAbortHandler)
					}
					own := r.Header.Get("Content-Type")
					send := func(kind string, body []byte) *http.Response {
						r.Header.Set("Content-Type", kind)
						r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
						return pass()
					}
					if lateFirst {
						send(kind, late)
					}
					resp := send(own, body)
					if !lateFirst {
						send(kind, late)
					}
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(resp.StatusCode)
					_, _ = io.Copy(w, resp.Body)
				})
				if code, _, errs := f.dig("table", "import", "t", mine, "--retries",
					"0"); code != exitcode.Unavailable {
					t.Errorf("exit %d: %s", code, errs)
				}
				f.want(0, "table", "import", "t", mine, "--retries", "0")
				if got := f.rows("t"); got != rows+2 {
					t.Errorf("%d rows, want %d", got, rows+2)
				}
			})
		}
	}
}
