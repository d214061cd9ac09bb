package cmd

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestPaginate reads lists of several pages whole, in order and once, whatever way their paths have of paging.
func TestPaginate(t *testing.T) {
	var asked []string
	stamp := func(i int) string { // newest first; three of each time
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Duration(i/3) * time.Second).
			Format("2006-01-02T15:04:05.000Z")
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RawQuery)
		w.Header().Set("Content-Type", "application/json")
		q := r.URL.Query()
		limit, _ := strconv.Atoi(q.Get("limit"))
		from, _ := strconv.Atoi(q.Get("offset"))
		total := 250
		item := func(i int) string { return fmt.Sprintf(`{"n":%d,"big":12345678901234567890}`, i) }
		switch {
		case strings.HasSuffix(r.URL.Path, "/offset"):
		case r.URL.Path == "/api/v1/exports": // newest first, after a cursor
			item = func(i int) string { return fmt.Sprintf(`{"n":%d,"createdAt":"%09d"}`, i, total-i) }
			if before := q.Get("createdBefore"); before != "" {
				n, _ := strconv.Atoi(before)
				from = total - n + 1
			}
		case strings.HasSuffix(r.URL.Path, "/clamped"): // gives 40 at most, whatever is asked for
			limit, total = min(limit, 40), 205
		case strings.HasSuffix(r.URL.Path, "/clamped/exports"):
			limit, total = min(limit, 40), 205
			item = func(i int) string { return fmt.Sprintf(`{"n":%d,"id":"%d","createdAt":"%s"}`, i, i, stamp(i)) }
			if before := q.Get("createdBefore"); before != "" {
				for from = 0; from < total && stamp(from) >= before; from++ {
				}
			}
		case strings.HasSuffix(r.URL.Path, "/same/exports"): // all made at once
			limit, total = min(limit, 40), 205
			item = func(i int) string {
				return fmt.Sprintf(`{"n":%d,"id":"%d","createdAt":"2026-01-01T00:00:00.000Z"}`, i, i)
			}
		case strings.HasSuffix(r.URL.Path, "/timeless/exports"):
			limit, total = min(limit, 40), 205
		case strings.HasSuffix(r.URL.Path, "/null"):
			item = func(i int) string { return fmt.Sprintf(`{"id":null,"n":%d}`, i) }
		case strings.HasSuffix(r.URL.Path, "/twice"): // an id stands for two items
			item = func(i int) string { return fmt.Sprintf(`{"id":%d,"n":%d}`, (i+1)/2, i) }
		case strings.HasSuffix(r.URL.Path, "/equal"):
			item = func(i int) string { return []string{`{"v":1}`, `{"v":1}`, `{"id":null}`}[i%3] }
		case strings.HasSuffix(r.URL.Path, "/null/exports"), strings.HasSuffix(r.URL.Path, "/equal/exports"):
			item = func(i int) string { return fmt.Sprintf(`{"id":null,"n":%d,"createdAt":"%s"}`, i, stamp(i)) }
			if strings.HasSuffix(r.URL.Path, "/equal/exports") { // three of each
				item = func(i int) string { return fmt.Sprintf(`{"createdAt":"%s"}`, stamp(i)) }
			}
			if before := q.Get("createdBefore"); before != "" {
				for from = 0; from < total && stamp(from) >= before; from++ {
				}
			}
		case strings.HasSuffix(r.URL.Path, "/whole"): // knows no pages
			from, limit, total = 0, 1000, 100
		case strings.HasSuffix(r.URL.Path, "/object"):
			fmt.Fprint(w, `{"items":[]}`)
			return
		case strings.HasSuffix(r.URL.Path, "/fails"):
			if from > 0 {
				w.WriteHeader(400)
				fmt.Fprint(w, `{"errorCode":100,"message":"enough"}`)
				return
			}
		}
		var items []string
		for i := from; i < total && i < from+limit; i++ {
			items = append(items, item(i))
		}
		fmt.Fprintf(w, "[%s]", strings.Join(items, ","))
	}))
	defer srv.Close()
	run := func(args ...string) (int, string, string) {
		t.Helper()
		asked = nil
		home := t.TempDir()
		env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1",
			"DIG_API_KEY": "12345678.abcdefghijklmnopqrstuvwxyz012345", "HOME": home, "DIG_CONFIG_DIR": home,
			"DIG_DATA_DIR": home, "XDG_CACHE_HOME": home}
		var out, errs bytes.Buffer
		e := &cli.Env{Zone: local(), Name: "dig", Args: append([]string{"api"}, args...), In: strings.NewReader(""),
			Out: &out,
			Err: &errs, Dir: home, Now: time.Now, Getenv: environ(t, env)}
		return Run(context.Background(), e), out.String(), errs.String()
	}
	for _, tt := range []struct {
		args  []string
		count int
		calls int
	}{
		{[]string{"/offset", "--paginate"}, 250, 3},
		{[]string{"/offset?limit=50", "--paginate"}, 250, 6}, // the last page was full, so one more is asked for
		{[]string{"/exports?limit=100&status=FAILED", "--paginate"}, 250, 3},
		{[]string{"/whole", "--paginate"}, 100, 2},
		{[]string{"/null", "--paginate"}, 250, 3},
		{[]string{"/twice?limit=50", "--paginate"}, 250, 6},
		{[]string{"/null/exports", "--paginate"}, 250, 3},
		{[]string{"/offset?limit=7"}, 7, 1}, // no paging unasked
		{[]string{"/clamped", "--paginate"}, 205, 6},
		{[]string{"/clamped?limit=500", "--paginate"}, 205, 6},
		{[]string{"/clamped/exports?limit=200", "--paginate"}, 205, 6},
		{[]string{"GET", "/offset", "-F", "limit=10"}, 10, 1}, // a number goes out as it was written
		{[]string{"GET", "/offset", "-F", `limit="10"`}, 10, 1},
	} {
		code, out, errs := run(append(tt.args, "--jq", `[length, ([.[].n] == [range(length)])] | tostring`)...)
		if want := fmt.Sprintf("[%d,true]\n", tt.count); code != 0 || out != want || len(asked) != tt.calls {
			t.Errorf("%v: exit %d, %q, %d calls %q %s", tt.args, code, out, len(asked), asked, errs)
		}
	}
	for _, path := range []string{"/equal", "/equal/exports"} { // equal items without ids are as many as they are
		if code, out, errs := run(path, "--paginate", "--jq", "length"); code != 0 || out != "250\n" {
			t.Errorf("%s: exit %d, %q %s", path, code, out, errs)
		}
	}
	if _, _, _ = run("/exports?status=FAILED", "--paginate"); !strings.Contains(asked[len(asked)-1], "status=FAILED") {
		t.Errorf("later pages lose the filter: %q", asked)
	}
	if code, out, _ := run("/offset", "--paginate"); code != 0 || !strings.Contains(out, "12345678901234567890") {
		t.Errorf("big numbers change: %.200s", out)
	}
	if code, out, errs := run("/fails", "--paginate"); code != exitcode.Failed || out != "" ||
		!strings.Contains(errs, "enough") {
		t.Errorf("a page that fails: exit %d, %q, %q", code, out, errs)
	}
	for _, path := range []string{"/same/exports", "/timeless/exports"} { // what cannot be read whole fails
		if code, out, errs := run(path, "--paginate"); code != exitcode.Failed || out != "" || !strings.Contains(errs,
			"--paginate: ") {
			t.Errorf("%s: exit %d, %q, %q", path, code, out, errs)
		}
	}
	if code, _, errs := run("/object", "--paginate"); code != exitcode.Usage || !strings.Contains(errs,
		"the reply is not a list") {
		t.Errorf("no list: exit %d, %q", code, errs)
	}
	if code, _, errs := run("/offset", "--paginate", "--include"); code != exitcode.Usage || !strings.Contains(errs,
		"--include") || len(asked) != 0 {
		t.Errorf("--include: exit %d, %q", code, errs)
	}
	if code, _, errs := run("POST", "/offset", "--paginate"); code != exitcode.Usage || !strings.Contains(errs,
		"--paginate requires GET") || len(asked) != 0 {
		t.Errorf("POST: exit %d, %q", code, errs)
	}
}
