package cmd

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/config"
)

// TestProbeOfAddresses: of the addresses that are documented for a zone, the one that answers with JSON is kept.
func TestProbeOfAddresses(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>studio</html>") }))
	defer page.Close()
	real := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"userId":"11111111-1111-4111-8111-111111111111","email":"a@b.c"}`)
	}))
	defer real.Close()
	key, err := config.NewKey(testKey)
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	e := &Env{Err: &errs}
	if got := e.probe(t.Context(), []string{page.URL + "/api/v1", real.URL + "/api/v1"}, key); got != real.URL+"/api/v1" {
		t.Errorf("%q is kept", got)
	}
	if got := e.probe(t.Context(), []string{page.URL + "/api/v1"}, key); got != "" || !strings.Contains(errs.String(), "none of the addresses answered") {
		t.Errorf("%q is kept: %s", got, errs.String())
	}
}

// TestDriverStringsHideTheKey: connection strings hold the key, and show it with --reveal alone.
func TestDriverStringsHideTheKey(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"JDBC":"jdbc:x://dbc.example:4567?extraCredentials=peakaKey:%s"}`, testKey)
	}))
	defer srv.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "AbCd1234", "DIG_ZONE": "us"}
	secret := testKey[9:]
	if code, out, errs := runDig(t, env, "driver", "jdbc", "-o", "json", "--debug"); code != 0 || strings.Contains(out+errs, secret) || !strings.Contains(out, "dbc.example") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	if code, out, errs := runDig(t, env, "driver", "jdbc", "-o", "json", "--reveal"); code != 0 || !strings.Contains(out, secret) {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// TestKeyThatEndsIsAnnounced: two weeks ahead, and when it has ended.
func TestKeyThatEndsIsAnnounced(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for ends, want := range map[string]string{
		"2026-01-10T00:00:00Z": "ends on 2026-01-10", "2025-12-30T00:00:00Z": "ended on 2025-12-30", "2026-02-10T00:00:00Z": "", "": "",
	} {
		var errs bytes.Buffer
		e := &Env{Name: "dig", Err: &errs, Now: func() time.Time { return now }}
		e.warnExpiry(&config.Settings{KeyExpires: ends})
		if (want == "") != (errs.Len() == 0) || !strings.Contains(errs.String(), want) {
			t.Errorf("%q: %q, want %q", ends, errs.String(), want)
		}
	}
}
