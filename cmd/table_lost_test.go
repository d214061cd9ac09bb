package cmd

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/spec"
)

// TestLostImportBesideAnother: the connection of an import breaks, and meanwhile another one, which began before or
// after it, adds as many rows: these are not taken for its own.
func TestLostImportBesideAnother(t *testing.T) {
	for _, zone := range []string{"local", "us"} {
		for _, reply := range []bool{false, true} {
			for _, before := range []bool{false, true} {
				lostBesideAnother(t, zone, reply, before)
			}
		}
	}
}

// lostBesideAnother breaks the connection of an import once. With reply the gateway has stored its rows by then; before
// is whether the other one begins first.
func lostBesideAnother(t *testing.T, zone string, reply, before bool) {
	f := newFront(t, zone)
	f.want(0, "table", "import", "t", f.file("zero.csv", "a\n0\n"), "--create", "--column", "a:BIGINT")
	mine, other := f.file("mine.csv", "a\n1\n2\n"), f.file("other.csv", "a\n3\n4\n")
	again := false
	begun, may, done := make(chan bool), make(chan bool), make(chan bool)
	add := func() {
		f.want(0, "table", "import", "t", other)
		close(done)
	}
	f.on(spec.ImportCsv, func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		theirs := strings.Contains(string(body), "a\n3\n4\n")
		if theirs {
			close(begun)
			<-may
		}
		if theirs || again {
			resp := pass()
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(resp.StatusCode)
			_, _ = io.Copy(w, resp.Body)
			return
		}
		if again = true; reply {
			pass().Body.Close()
		}
		if !before {
			go add()
		}
		close(may)
		<-done
		panic(http.ErrAbortHandler)
	})
	if before {
		go add()
		<-begun
	}
	code, _, errs := f.dig("table", "import", "t", mine)
	rows, want, known := f.rows("t"), int64(3), zone == "local" || !before && reply
	if zone == "local" || reply { // which sends the document again, and the gateway stores it once
		want = 5
	}
	success := code == 0 && strings.Contains(errs, "imported 2 rows")
	if rows != want || success != known || !success && code != exitcode.Unavailable {
		t.Errorf("%s, stored %t, other before %t: exit %d, %d rows: %s", zone, reply, before, code, rows, errs)
	}
}
