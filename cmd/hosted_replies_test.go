package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// hosted is an environment for zone us at a server.
func hosted(t *testing.T, h http.HandlerFunc) *tellWorld {
	w := newBareWorld(t)
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	w.env["DIG_BASE_URL"], w.env["DIG_API_KEY"], w.env["DIG_ZONE"], w.env["DIG_PROJECT"] = srv.URL+"/api/v1",
		"abcdEFGH.0123456789abcdefghij0123456789ZZ", "us", "prj00001"
	return w
}

func answerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// TestExportListPages reads the second page of a list, and prints what the gateway sent, fields that dig does not know
// among it.
func TestExportListPages(t *testing.T) {
	const total = 205
	pages := 0
	w := hosted(t, func(rw http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/exports") {
			answerJSON(rw, map[string]any{"projectId": "prj00001", "userId": "u"})
			return
		}
		pages++
		size, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		before, err := time.Parse(time.RFC3339, r.URL.Query().Get("createdBefore"))
		page := []map[string]any{}
		for i := total; i > 0 && len(page) < min(size, 200); i-- {
			at := time.Date(2026, 1, 1, 0, 0, i/2, 0, time.UTC) // two of each instant
			if err == nil && !at.Before(before) {
				continue
			}
			page = append(page, map[string]any{"id": fmt.Sprint("e", i), "status": "SUCCEEDED",
				"createdAt": at.Format("2006-01-02T15:04:05.000Z"), "novel": i})
		}
		answerJSON(rw, page)
	})
	code, out, errs := w.run("export", "list", "-o", "json", "--jq", "map(.novel) | length, add")
	if want := fmt.Sprintf("%d\n%d\n", total, total*(total+1)/2); code != 0 || out != want || pages < 2 {
		t.Errorf("exit %d, %d pages: %q, want %q: %s", code, pages, out, want, errs)
	}
}

// TestWebPageForRows: a web page that is called JSON is no result to ask less of.
func TestWebPageForRows(t *testing.T) {
	w := hosted(t, func(rw http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/execute") {
			answerJSON(rw, map[string]any{"projectId": "prj00001", "userId": "u"})
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, "<html><body>log in</body></html>")
	})
	code, out, errs := w.run("query", "execute", "SELECT 1")
	if code != exitcode.Failed || out != "" || !strings.Contains(errs, "base address") || strings.Contains(errs,
		"--limit") || strings.Contains(errs, "--page-by") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// TestTellingIsRefusedAlike: a run that only tells is refused what the real one is.
func TestTellingIsRefusedAlike(t *testing.T) {
	w := hosted(t, func(rw http.ResponseWriter, _ *http.Request) {
		answerJSON(rw, map[string]any{"projectId": "prj00001", "userId": "u"})
	})
	// --explain asks nothing, and knows the key from the real run
	for _, flag := range []string{"--dry-run", "--yes", "--explain"} {
		code, out, errs := w.run("workspace", "create", "w", "--org", "o1", flag)
		if code != exitcode.NotAllowed || !strings.Contains(errs, "requires a partner key") {
			t.Errorf("%s: exit %d: %s%s", flag, code, out, errs)
		}
	}
}

// TestBodyIsSentAsWritten: what a user left out of a column in --body is not sent as a zero value.
func TestBodyIsSentAsWritten(t *testing.T) {
	var sent string
	w := hosted(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			raw, _ := io.ReadAll(r.Body)
			sent = string(raw)
			answerJSON(rw, map[string]any{"tableName": "people"})
			return
		}
		answerJSON(rw, map[string]any{"projectId": "prj00001", "userId": "u"})
	})
	const body = `{"columns":[{"columnName":"age","columnDescription":""}]}`
	if code, out, errs := w.run("metadata", "set", "peaka", "table.people", "--body", body); code != 0 || sent != body {
		t.Errorf("exit %d, sent %s, want %s: %s%s", code, sent, body, out, errs)
	}
}

// TestEchoedSecrets: what a request carries is masked when the gateway sends it back, wherever it stands in the body.
func TestEchoedSecrets(t *testing.T) {
	w := hosted(t, func(rw http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(rw).Encode(map[string]any{"error": "Bad Request", "message": "refused " + string(raw)})
	})
	for _, body := range []string{`{"password":"hunter2secret"}`, `[{"token":"hunter2secret"}]`,
		`{"list":[{"credential":{"pat":"hunter2secret"}}]}`} {
		for _, flag := range []string{"--retries=0", "--debug", "--dry-run", "--explain", "-ojson"} {
			if _, out, errs := w.run("api", "POST", "/x", "--input", w.file("body.json", body),
				flag); strings.Contains(out+errs, "hunter2") || !strings.Contains(out+errs, "*") {
				t.Errorf("%s %s: %s%s", body, flag, out, errs)
			}
		}
	}
}

// file writes a file into the working directory.
func (w *tellWorld) file(name, text string) string {
	path := filepath.Join(w.env["W"], name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}
