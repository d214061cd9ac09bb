package hooks

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/jobs"
)

// clock is a clock that tests move.
type clock struct {
	sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.Lock()
	defer c.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.Lock()
	defer c.Unlock()
	c.at = c.at.Add(d)
}

// TestEvents: the first failure of an object is reported, further ones once an hour, and the run that succeeds after
// them; a cancelled run and an export are not.
func TestEvents(t *testing.T) {
	var mu sync.Mutex
	var got []string
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, hr *http.Request) {
		var e Event
		if err := json.NewDecoder(hr.Body).Decode(&e); err != nil || hr.Method != http.MethodPost ||
			hr.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %v: %v", hr.Method, hr.Header, err)
		}
		mu.Lock()
		defer mu.Unlock()
		got = append(got, strings.Join([]string{e.Event, e.Kind, e.ID, e.Name, e.Status, e.Error,
			string(rune('0' + e.Failures)), e.Since}, " "))
	}))
	defer srv.Close()
	c := &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	h, err := New(srv.URL, "test", slog.New(slog.DiscardHandler), c.now)
	if err != nil {
		t.Fatal(err)
	}
	h.Failing(jobs.End{Kind: jobs.JobCache, Project: "p", Object: "before"}, c.now().Add(-time.Hour), true)
	h.Failing(jobs.End{Kind: jobs.JobCache, Project: "p", Object: "uncalled"}, c.now().Add(-time.Hour), false)
	h.Start()
	end := func(kind, id, status, reason string) {
		h.Ended(jobs.End{Kind: kind, Project: "p", Object: id, Name: "n", Status: status, Reason: reason, Rows: -1})
		c.move(time.Minute)
	}
	end(jobs.JobMaterialized, "q", "COMPLETED", "")
	for range 70 {
		end(jobs.JobMaterialized, "q", "FAILED", "bad")
	}
	end(jobs.JobMaterialized, "q", "CANCELED", "")
	end(jobs.JobMaterialized, "q", "COMPLETED", "")
	end(jobs.JobMaterialized, "q", "COMPLETED", "")
	end(jobs.JobExport, "x", "FAILED", "bad")
	end(jobs.JobMetadata, "c", "failed", "unreachable")
	end(jobs.JobMetadata, "c", "completed", "")
	end(jobs.JobCache, "before", "COMPLETED", "")
	end(jobs.JobCache, "uncalled", "FAILED", "still")
	h.Close()
	h.Ended(jobs.End{Kind: jobs.JobCache, Object: "late", Status: "FAILED", Reason: "late"}) // after the end
	h.Close()
	want := `failed materialized q n FAILED bad 1 2026-03-01T12:01:00.000Z
failed materialized q n FAILED bad m 2026-03-01T12:01:00.000Z
recovered materialized q n COMPLETED  v 2026-03-01T12:01:00.000Z
failed metadata c n failed unreachable 1 2026-03-01T13:15:00.000Z
recovered metadata c n completed  1 2026-03-01T13:15:00.000Z
recovered cache before n COMPLETED  1 2026-03-01T11:00:00.000Z
failed cache uncalled n FAILED still 2 2026-03-01T11:00:00.000Z`
	have := map[string]bool{}
	for _, line := range got {
		have[line] = true
	}
	for _, line := range strings.Split(want, "\n") {
		if !have[line] {
			t.Errorf("no %q", line)
		}
	}
	if len(got) != 7 {
		t.Errorf("%d calls:\n%s", len(got), strings.Join(got, "\n"))
	}
}

// TestCommand: a command gets the document, and what it says is in its error.
func TestCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	file := filepath.Join(t.TempDir(), "got")
	t.Setenv("HOOK_FILE", file)
	if err := command(`cat > "$HOOK_FILE"; echo well`)(t.Context(), []byte(`{"event":"failed"}`)); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(file); string(raw) != `{"event":"failed"}` || err != nil {
		t.Errorf("%s, %v", raw, err)
	}
	if err := command("echo no mail server >&2; exit 3")(t.Context(), nil); err == nil ||
		!strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "no mail server") {
		t.Errorf("%v", err)
	}
	if err := command("seq 10000; echo the end; exit 1")(t.Context(), nil); err == nil ||
		!strings.HasSuffix(err.Error(), "\nthe end") || len(err.Error()) > 2*maxOutput {
		t.Errorf("%v", err)
	}
	if err := command("sleep 600 & exit 0")(t.Context(), nil); err != nil { // what it leaves behind is not waited for
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := command("sleep 600 | sleep 600")(ctx, nil); err == nil || !strings.Contains(err.Error(), "ended after") {
		t.Errorf("%v", err)
	}
}

// TestRetries: a call that fails is repeated, and given up.
func TestRetries(t *testing.T) {
	for _, c := range []struct {
		failures, calls int
		said            string
	}{{1, 2, "attempts=2"}, {100, attempts, "--on-failure failed"}} {
		calls := 0
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
			_, _ = io.Copy(io.Discard, hr.Body)
			if calls++; calls <= c.failures {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}))
		var said strings.Builder
		address := strings.Replace(srv.URL, "http://", "http://user:secret@", 1)
		h, err := New(address, "test", slog.New(slog.NewTextHandler(&said, nil)), time.Now)
		if err != nil {
			t.Fatal(err)
		}
		h.again = time.Millisecond
		h.Start()
		h.Ended(jobs.End{Kind: jobs.JobCache, Object: "c", Status: "FAILED", Reason: "bad"})
		h.Close()
		srv.Close()
		if calls != c.calls || !strings.Contains(said.String(), c.said) || strings.Contains(said.String(), "secret") {
			t.Errorf("%d failures: %d calls, %s", c.failures, calls, said.String())
		}
	}
}

// TestTargets: what is neither a command nor an address is refused.
func TestTargets(t *testing.T) {
	for _, bad := range []string{" ", "http://", "https://%zz:secret@", "ftp://x:secret@y", "s3://bucket",
		"HTTPS:///x"} {
		if _, err := New(bad, "", nil, nil); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, good := range []string{"HTTP://host", "notify --to https://host", "URL=ftp://x notify", "./a://b"} {
		if _, err := New(good, "", nil, nil); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}
