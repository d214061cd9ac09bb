package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/output"
)

// TestRawReplyIsBounded: a reply that is packed a thousand to one does not take the memory of the machine.
func TestRawReplyIsBounded(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(`["`))
	z.Write(bytes.Repeat([]byte("x"), 8<<20))
	z.Write([]byte(`"]`))
	z.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(packed.Bytes())
	}))
	defer srv.Close()
	for most, fits := range map[int64]bool{1 << 20: false, 16 << 20: true} {
		// unpacks, as for a far gateway
		cl, err := api.New(api.Options{BaseURL: srv.URL + "/api/v1", MaxReply: most, Transport: &http.Transport{}})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []apiFlags{{}, {paginate: true}} {
			var out bytes.Buffer
			e := &cli.Env{Name: "dig", Run: cli.Session{Settings: &config.Settings{}}, Out: &out, Err: &bytes.Buffer{},
				Now:    time.Now,
				Getenv: func(string) string { return "" }}
			err := callAPI(context.Background(), e, cl, &f, []string{"/x"}, output.Options{Format: "json"})
			if fits && (err != nil || out.Len() < 8<<20) || !fits && (!errors.Is(err, api.ErrTooLarge) ||
				out.Len() > 0) {
				t.Errorf("%d MiB, paginate %v: %v, %d bytes printed", most>>20, f.paginate, err, out.Len())
			}
		}
	}
}

// TestHeaders: a header of the command line is one header, and says neither who sends the request nor where to.
func TestHeaders(t *testing.T) {
	for h, want := range map[string]string{
		"X-A: b": "X-A=b", "x:": "x=", "X:a\tb": "X=a\tb", "X:a:b": "X=a:b",
		"X": "KEY:VALUE", "authorization : z": "is set from the profile", "Authorization Bearer s3cret": "KEY:VALUE",
		"Authorization: Bearer s3cret": "is set from the profile",
		"X-Key: s3cret\x00":            "X-Key: the value contains", "X Key: s3cret": "is not a valid header name",
		"HOST: evil.example":     "the host is set from the base address",
		"A: b\nAuthorization: z": "control character", "A\r\nB: c": "is not a valid header name",
		": v": "is not a valid header name", "A B: c": "is not a valid header name", "A: b\x00": "control character",
	} {
		k, v, err := parseHeader(h)
		got := k + "=" + v
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || (err == nil) != strings.Contains(want, "=") ||
			strings.Contains(got, "s3cret") {
			t.Errorf("%q: got %q, want %q", h, got, want)
		}
	}
}
