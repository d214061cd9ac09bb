package post

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestJSON: a document arrives at the given address alone, and what goes wrong is told without what is secret in it.
func TestJSON(t *testing.T) {
	var got []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		raw, _ := io.ReadAll(hr.Body)
		got = append(got, strings.Join([]string{hr.Method, hr.URL.Path, hr.Header.Get("Content-Type"),
			hr.Header.Get("X-A"), string(raw)}, " "))
		if hr.URL.Path == "/moved" {
			http.Redirect(w, hr, "/elsewhere", http.StatusTemporaryRedirect)
		}
	}))
	header := http.Header{"X-A": {"a"}}
	send := func(to string) error { return JSON(t.Context(), Client(nil), to, header, []byte("{}")) }
	if err := send(srv.URL + "/hook?key=secret"); err != nil {
		t.Error(err)
	}
	err := send(strings.Replace(srv.URL, "//", "//user:secret@", 1) + "/moved?key=secret")
	if no := (*Refused)(nil); !errors.As(err, &no) || no.Answer.StatusCode != 307 || strings.Contains(err.Error(),
		"secret") || !strings.Contains(err.Error(), "answered 307") {
		t.Errorf("%v", err)
	}
	if len(got) != 2 || got[0] != "POST /hook application/json a {}" || len(header) != 1 {
		t.Errorf("%q, %v", got, header)
	}
	srv.Close()
	for _, bad := range []string{srv.URL + "/secret", "http://user:secret@%zz/", "ftp://user:secret@host/"} {
		if err := send(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
