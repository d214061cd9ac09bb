package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestTextsAreUTF8: a text that JSON cannot hold is refused, with its member and place, before anything is sent; one
// with U+FFFD in it is sent.
func TestTextsAreUTF8(t *testing.T) {
	sent := ""
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent += "x"
		w.Write([]byte("{}"))
	}))
	defer srv.Close()
	cl, err := New(Options{BaseURL: srv.URL, Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	bad := "SELECT 1,\n'M\xfcnchen'"
	for _, c := range []struct {
		body any
		want string
	}{
		{ExecuteByStatement{Statement: bad}, "statement: not text in UTF-8: line 2, column 3 has the byte 0xfc"},
		{QueryRequest{DisplayName: new("x\xff")}, "displayName: not text in UTF-8: line 1, column 2 has the byte 0xff"},
		{ColumnRequest{Desc: new("a\xff")}, "desc: not text"},
		{map[string]any{"a": []any{"b", map[string]any{"c": "\xc3"}}}, "a.c: not text"},
		{map[string]string{"k\xff": "b"}, "not text"},
		{map[string]any{"a": json.RawMessage(`"` + "\xff" + `"`)}, "not text"},
		{[]byte(`{"a":"` + "\xff" + `"}`), "not text"},
		{json.RawMessage(`{"a":"` + "\xff" + `"}`), "not text"},
		{ExecuteByStatement{Statement: "SELECT '\ufffd', '\\ufffd'"}, ""},
		{[]byte(`{"a":"\ufffd"}`), ""},
		{map[string]any{"a": json.RawMessage(`"\ufffd"`)}, ""},
	} {
		sent = ""
		rep, err := cl.Do(t.Context(), "POST", "/x", nil, nil, c.body)
		if err == nil {
			rep.Body.Close()
		}
		if refused := errors.Is(err, ErrNotUTF8); refused != (c.want != "") || (sent == "") != refused || err != nil &&
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, sent %q", c.body, err, sent)
		}
	}
}
