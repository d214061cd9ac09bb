package admin

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
)

func TestParseExpiry(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]string{
		"12h":                       "2026-02-01T00:00:00Z",
		"30d":                       "2026-03-02T12:00:00Z",
		"2w":                        "2026-02-14T12:00:00Z",
		"1y":                        "2027-01-31T12:00:00Z",
		"2026-02-01":                "2026-02-01T00:00:00Z",
		"2026-02-01T01:00:00+02:00": "2026-01-31T23:00:00Z",
	} {
		got, err := parseExpiry(in, now)
		if err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("parseExpiry(%q) = %v, %v; want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "30", "d", "-1d", "30m", "1.5d", "2026-01-31", "2020-01-01T00:00:00Z", "tomorrow",
		"2026-02-30"} {
		if got, err := parseExpiry(in, now); err == nil {
			t.Errorf("parseExpiry(%q) = %v, want an error", in, got)
		}
	}
}

// TestKeyThatCannotBeKept: it is shown, and a file never stays without the whole key.
func TestKeyThatCannotBeKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	full, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600) // not one that can be written
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	text := "pk.new"
	v, err := keepKey(&cli.Env{}, api.ApiKey{ApiKey: &text}, "p", full, nil, "")
	if err != nil || v.Fail == nil || v.Fail.Exit != exitcode.Failed {
		t.Errorf("%v, %v", v.Fail, err)
	}
	if shown := v.Value.(api.ApiKey); shown.ApiKey == nil || *shown.ApiKey != text {
		t.Errorf("the key is lost: %v", shown)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("a file without the whole key is left")
	}
}
