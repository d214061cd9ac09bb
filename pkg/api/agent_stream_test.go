package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
)

func TestReadEvents(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []AgentStreamEvent
		err  error
	}{
		"one": {"data: hello\n\n", []AgentStreamEvent{{"message", "", "hello"}}, nil},
		"named": {"event: updates\nid: 7\ndata: {}\n\ndata: x\n\n",
			[]AgentStreamEvent{{"updates", "7", "{}"}, {"message", "7", "x"}}, nil},
		"lines": {"data: a\ndata:  b\ndata\n\n", []AgentStreamEvent{{"message", "", "a\n b\n"}}, nil},
		"crlf, cr, bom": {"\ufeffdata: a\r\n\r\ndata: b\r\r", []AgentStreamEvent{{"message", "", "a"},
			{"message", "", "b"}}, nil},
		"comments":          {": ping\n\nretry: 5\n\ndata:x\n\n", []AgentStreamEvent{{"message", "", "x"}}, nil},
		"no data, no event": {"event: nothing\n\n", nil, nil},
		"cut": {"data: whole\n\ndata: ha", []AgentStreamEvent{{"message", "", "whole"}},
			io.ErrUnexpectedEOF},
		"empty": {"", nil, nil},
	} {
		var got []AgentStreamEvent
		err := ReadEvents(strings.NewReader(c.in), func(e AgentStreamEvent) error { got = append(got, e); return nil })
		if !reflect.DeepEqual(got, c.want) || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v; want %q, %v", name, got, err, c.want, c.err)
		}
	}
}

// TestChatStream reads an event while the server still holds the stream open: nothing waits for the end.
func TestChatStream(t *testing.T) {
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "POST" || r.URL.Path != "/ai-agent/p1/chat/stream" {
			t.Errorf("asked for %s %s", r.Method, r.URL.Path)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: first\n\n")
		w.(http.Flusher).Flush()
		<-release
		fmt.Fprint(w, "data: second\n\n")
	}))
	defer srv.Close()
	cl, err := New(Options{BaseURL: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := cl.Agent.ChatStream(context.Background(), "p1", AgentChatStreamRequest{Message: "hi"})
	if err != nil {
		t.Fatal(err)
	}
	defer rep.Body.Close()
	var got []string
	err = ReadEvents(rep.Body, func(e AgentStreamEvent) error {
		if len(got) == 0 {
			close(release) // the server sends the second only when the first has arrived
		}
		got = append(got, e.Data)
		return nil
	})
	if err != nil || !reflect.DeepEqual(got, []string{"first", "second"}) {
		t.Errorf("read %q, %v", got, err)
	}
}
