package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/spec"
)

// losses are ways in which a reply is lost after the request was done, by the protocol of the connection. Those of
// HTTP/2 are streams that are reset.
func losses(protocol int) map[string]func(w http.ResponseWriter) {
	abort := func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
	if protocol == 2 {
		return map[string]func(http.ResponseWriter){
			"stream reset": abort,
			"stream reset within the reply": func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, "{")
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			},
		}
	}
	raw := func(text string, reset bool) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			_, _ = io.WriteString(c, text)
			if t, ok := c.(*net.TCPConn); ok && reset {
				_ = t.SetLinger(0)
			}
			c.Close()
		}
	}
	return map[string]func(http.ResponseWriter){
		"closed":                abort,
		"reset":                 raw("", true),
		"malformed status line": raw("HELLO\r\n\r\n", false),
		"header of 11 MiB":      raw("HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 11<<20)+"\r\n\r\n", false),
		"reset within the body": raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{",
			true),
	}
}

// eachLoss runs a test over gateways of the zones and of each protocol, with each loss.
func eachLoss(t *testing.T, zones []string, test func(t *testing.T, f *front, lose func(http.ResponseWriter,
	*http.Request, func() *http.Response))) {
	for _, zone := range zones {
		for protocol := 1; protocol <= 2; protocol++ {
			for name, end := range losses(protocol) {
				t.Run(fmt.Sprintf("%s, HTTP/%d, %s", zone, protocol, name), func(t *testing.T) {
					f := newFrontOver(t, zone, protocol)
					test(t, f, func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) {
						pass().Body.Close()
						end(w)
					})
				})
			}
		}
	}
}

// TestImportLosesReply: an import that was stored and whose reply is lost, in whatever way, is known to be stored, or
// is left for the next run to find, and its rows are there once.
func TestImportLosesReply(t *testing.T) {
	eachLoss(t, []string{"local", "us"}, func(t *testing.T, f *front, lose func(http.ResponseWriter, *http.Request,
		func() *http.Response)) {
		file := f.file("two.csv", "a\n1\n2\n")
		f.want(0, "table", "create", "t", "--column", "a:bigint")
		f.on(spec.ImportCsv, lose)
		if errs := f.want(0, "table", "import", "t", file); !strings.Contains(errs,
			"imported 2 rows into t, according to the number of rows before and after") || f.rows("t") != 2 {
			t.Errorf("%d rows: %s", f.rows("t"), errs)
		}
		f.want(exitcode.Conflict, "table", "import", "t", file)

		// Nothing else answers either, until the next run.
		f.want(0, "table", "create", "u", "--column", "a:bigint")
		var down atomic.Bool
		f.on(spec.ImportCsv, func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) {
			down.Store(true)
			lose(w, r, pass)
		})
		for _, op := range []spec.Op{spec.FindImport, spec.ExecuteQuery} {
			f.on(op, func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) {
				if down.Load() {
					lose(w, r, pass)
					return
				}
				resp := pass()
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(resp.StatusCode)
				_, _ = io.Copy(w, resp.Body)
			})
		}
		errs := f.want(exitcode.Unavailable, "table", "import", "u", file, "-o", "json", "--retries", "0")
		if !strings.Contains(errs, `"unsure":true`) || !strings.Contains(errs, "it counts the rows before it sends") {
			t.Errorf("lost: %s", errs)
		}
		down.Store(false)
		f.on(spec.ImportCsv, nil)
		if errs := f.want(0, "table", "import", "u", file); !strings.Contains(errs, "nothing was sent: the run of") ||
			f.rows("u") != 2 {
			t.Errorf("again: %d rows: %s", f.rows("u"), errs)
		}
	})
}

// TestChangeLosesReply: a change whose reply is lost is neither said to have failed nor sent again, and the journal has
// it as unknown; ensure and apply find it.
func TestChangeLosesReply(t *testing.T) {
	eachLoss(t, []string{"us"}, func(t *testing.T, f *front, lose func(http.ResponseWriter, *http.Request,
		func() *http.Response)) {
		for _, op := range []spec.Op{spec.CreateQuery, spec.CreateQueryFolder} {
			line := []string{"query", "folder", "create", "f"}
			if op.ID == spec.CreateQuery.ID {
				line = []string{"query", "create", "q", "--sql", "SELECT 1"}
			}
			f.sent()
			f.on(op, lose)
			errs := f.want(exitcode.Unavailable, line...)
			if !strings.Contains(errs, "may have been done nevertheless") || f.sent() != op.ID {
				t.Errorf("%v: %s", line, errs)
			}
			if out := f.ok("history", "list", "-o", "json", "--jq",
				".[0].operation + \" \" + .[0].outcome"); !strings.Contains(out, op.ID+" unknown") {
				t.Errorf("%v: the journal: %s", line, out)
			}
		}
		f.on(spec.CreateQuery, lose)
		if errs := f.want(0, "query", "ensure", "q2", "--sql", "SELECT 2"); !strings.Contains(errs,
			"was not confirmed") {
			t.Errorf("ensure: %s", errs)
		}
		if errs := f.want(exitcode.Unavailable, "api", "POST", "/data/projects/{projectId}/queries", "-f",
			"displayName=q3", "-f", "inputQuery=SELECT 3"); !strings.Contains(errs, "may have been done nevertheless") {
			t.Errorf("api: %s", errs)
		}
		for name, text := range map[string]string{"dig.yaml": "version: 1\n", "queries/A.sql": "SELECT 1\n",
			"queries/f/B.sql": "SELECT 2\n"} {
			f.file("p/"+name, text)
		}
		if errs := f.want(0, "apply", "p", "--yes"); strings.Count(errs, "was lost; it was made\n") != 2 {
			t.Errorf("apply: %s", errs)
		}
		var all []json.RawMessage
		if err := json.Unmarshal([]byte(f.ok("query", "list", "-o", "json")), &all); err != nil || len(all) != 5 {
			t.Errorf("%d queries, %v", len(all), err)
		}
	})
}
