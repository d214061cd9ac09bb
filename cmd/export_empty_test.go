package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestEmptyExport meets a gateway that fails exports without rows, as the hosted zones do: the file is made here, and
// only when there are truly no rows.
func TestEmptyExport(t *testing.T) {
	var rows string
	started := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch p := r.URL.Path; {
		case r.Method == "POST" && strings.HasSuffix(p, "/exports"):
			started++
			w.WriteHeader(202)
			fmt.Fprintf(w, `{"id":"0000000%d-0000-4000-8000-000000000000","status":"PENDING"}`, started)
		case strings.Contains(p, "/exports/"):
			fmt.Fprint(w, `{"id":"x","status":"FAILED","error":"the export produced no files","files":null}`)
		case strings.HasSuffix(p, "/execute"):
			raw, _ := io.ReadAll(r.Body)
			var body struct{ Statement string }
			_ = json.Unmarshal(raw, &body)
			if want := `SELECT * FROM "shop"."public"."or""ders" LIMIT 1`; body.Statement != want {
				t.Errorf("asked %s, want %s", body.Statement, want)
			}
			fmt.Fprintf(w, `{"columns":[{"columnName":"_id"},{"columnName":"a"},{"columnName":"_q_day"},`+
				`{"columnName":"b,c"}],"data":[%s]}`, rows)
		case strings.HasSuffix(p, "/catalogs"):
			fmt.Fprint(w, `[{"id":"7","name":"shop","displayName":"Shop","catalogType":"x","connectionId":null}]`)
		default:
			fmt.Fprint(w, `{"id":"7","name":"shop","displayName":"Shop","catalogType":"x","connectionId":null}`)
		}
	}))
	defer srv.Close()
	home := t.TempDir()
	run := func(args ...string) (int, string, string) {
		t.Helper()
		env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1",
			"DIG_API_KEY": "12345678.abcdefghijklmnopqrstuvwxyz012345", "DIG_PROJECT": "AbCd1234", "HOME": home,
			"DIG_CONFIG_DIR": home, "DIG_DATA_DIR": home, "XDG_CACHE_HOME": home}
		var out, errs bytes.Buffer
		e := &cli.Env{Zone: local(), Name: "dig", Args: append([]string{"export", "table", "shop", "public", `or"ders`},
			args...),
			In: strings.NewReader(""), Out: &out, Err: &errs, Dir: home, Now: time.Now, Getenv: environ(t, env)}
		return Run(context.Background(), e), out.String(), errs.String()
	}
	file := filepath.Join(home, "x.csv")
	if code, _, errs := run("--download", "x.csv"); code != 0 || !strings.Contains(errs,
		"saved x.csv with only the header") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if raw, err := os.ReadFile(file); err != nil || string(raw) != "_id,a,\"b,c\"\n" {
		t.Errorf("%q, %v", raw, err)
	}
	for want, args := range map[string][]string{
		"a,\"b,c\"\n": {"--include-system-columns=false"},
		"a;b,c\n":     {"--include-system-columns=false", "--delimiter", ";"},
		"b\ta\r\n":    {"--column", "b", "--column", "a", "--delimiter", `\t`, "--record-separator", `\r\n`},
		"":            {"--format", "jsonl"},
	} {
		if code, out, errs := run(append(args, "--download", "-")...); code != 0 || out != want {
			t.Errorf("%v: exit %d, %q, want %q: %s", args, code, out, want, errs)
		}
	}
	rows = `["1","2",null,"3"]`
	_ = os.Remove(file)
	if code, _, errs := run("--download", "x.csv"); code != exitcode.Job || !strings.Contains(errs,
		"produced no files") {
		t.Errorf("with rows: exit %d: %s", code, errs)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was made although there are rows")
	}
	if code, _, errs := run("--wait"); code != exitcode.Job || !strings.Contains(errs, "without rows") {
		t.Errorf("without a file to make: exit %d: %s", code, errs)
	}
}
