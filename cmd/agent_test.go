package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/connection"
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestAgentStream runs `agent stream` against a server of events.
func TestAgentStream(t *testing.T) {
	answer := ""
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var made struct{ ThreadID string }
		_ = json.Unmarshal(body, &made)
		if r.URL.Path != "/api/v1/ai-agent/Ab12Cd34/chat/stream" || string(body) != `{"message":"hi","threadId":"`+
			made.ThreadID+`","streamModes":["messages"]}` {
			t.Errorf("asked for %s with %s", r.URL.Path, body)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, answer)
	}))
	defer srv.Close()
	for name, c := range map[string]struct {
		answer, output, want, fails string
		exit                        int
	}{
		"pieces": {answer: "data: {\"kwargs\":{\"content\":\"Hel\"}}\n\ndata: [{\"content\":\"lo\"},{}]\n\ndata: " +
			"plain\n\n", want: "Hello\nplain\n"},
		"ndjson": {answer: "event: updates\ndata: {\"a\":1}\n\ndata: text\n\n", output: "ndjson",
			want: "{\"event\":\"updates\",\"data\":{\"a\":1}}\n{\"event\":\"message\",\"data\":\"text\"}\n"},
		"steering": {answer: "data: \x1b[2J\n\n", want: "␛[2J\n"},
		"cut":      {answer: "data: a\n\ndata: b", want: "a\n", fails: "truncated", exit: exitcode.Unavailable},
		"error":    {answer: "event: error\ndata: out of tokens\n\n", fails: "out of tokens", exit: exitcode.Failed},
	} {
		answer = c.answer
		dir := t.TempDir()
		var out, errs bytes.Buffer
		env := map[string]string{"DIG_CONFIG_DIR": dir, "DIG_DATA_DIR": dir, "HOME": dir, "DIG_ZONE": "us",
			"DIG_BASE_URL": srv.URL + "/api/v1",
			"DIG_API_KEY":  "abcdefgh.abcdefghabcdefghabcdefghabcdefgh", "DIG_PROJECT": "Ab12Cd34"}
		e := &cli.Env{Zone: local(), Name: "dig", Args: []string{"agent", "stream", "hi", "--mode", "messages"},
			In: strings.NewReader(""), Out: &out, Err: &errs,
			Getenv: environ(t, env), Dir: dir, Now: time.Now}
		if c.output != "" {
			e.Args = append(e.Args, "-o", c.output)
		}
		if exit := Run(context.Background(), e); exit != c.exit || out.String() != c.want ||
			!strings.Contains(errs.String(), c.fails) {
			t.Errorf("%s: exit %d, out %q, err %q; want %d, %q, %q", name, exit, out.String(), errs.String(), c.exit,
				c.want, c.fails)
		}
	}
}

func TestMaskKey(t *testing.T) {
	e := &cli.Env{Zone: local(), Name: "dig", Err: io.Discard, Getenv: func(string) string { return "" },
		Dir: t.TempDir()}
	env := map[string]string{"DIG_CONFIG_DIR": e.Dir, "DIG_ZONE": "us", "DIG_BASE_URL": "https://gateway.test/api/v1",
		"DIG_API_KEY": "odd-key/+"}
	e.Getenv = environ(t, env)
	newRootCmd(e)
	if _, err := e.Settings(); err != nil {
		t.Fatal(err)
	}
	const key = "abcdefgh.ABCDEFGHabcdefgh0123456789012345"
	in := "jdbc:trino://h:1?accessToken=" + key + "&x=" + strings.Replace(key, ".", "%2E", 1) + "&y=odd-key%2F%2B"
	if got := connection.MaskKey(e, in); got != "jdbc:trino://h:1?accessToken=********&x=********&y=********" {
		t.Errorf("masked: %s", got)
	}
}
