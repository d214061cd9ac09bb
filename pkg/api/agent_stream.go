package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/dig-cli/dig/pkg/spec"
)

// WorkflowImage runs GET /ai-agent/workflow/png and returns the PNG.
func (s *AgentService) WorkflowImage(ctx context.Context) ([]byte, error) {
	return s.c.fetchFile(ctx, spec.GetAgentWorkflowImage.At(), "a PNG", func(_ http.Header, raw []byte) bool {
		return bytes.HasPrefix(raw, []byte("\x89PNG\r\n\x1a\n"))
	})
}

// ChatStream runs POST /ai-agent/{projectId}/chat/stream and returns the open stream of server-sent events [O]; the
// caller closes it and reads it with ReadEvents.
func (s *AgentService) ChatStream(ctx context.Context, project string, body AgentChatStreamRequest) (*Reply, error) {
	b := spec.AgentChatStream.At(project)
	rep, err := s.c.open(ctx, b, body)
	if err != nil {
		return nil, err
	}
	if kind := rep.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
		defer rep.Body.Close()
		raw, _ := io.ReadAll(io.LimitReader(rep.Body, 256<<10)) // the error is already known
		return nil, s.c.unreadable(b, bytes.TrimSpace(raw), fmt.Errorf("%w: %q instead of an event stream",
			errNoAnswer, kind))
	}
	return rep, nil
}

// AgentStreamEvent is one server-sent event. The names of the agent's events are not documented [O].
type AgentStreamEvent struct {
	Event string // "message" if the stream does not name it
	ID    string
	Data  string // lines joined by line feeds
}

// maxEventLine limits one line of an event stream.
const maxEventLine = 16 << 20

// ReadEvents parses server-sent events as defined by the HTML standard and calls yield for each as soon as it is
// complete. An event that is truncated by the end of the stream results in io.ErrUnexpectedEOF, since half an answer
// must not look like a complete one.
func ReadEvents(r io.Reader, yield func(AgentStreamEvent) error) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 64<<10), maxEventLine)
	sc.Split(splitEventLine)
	var ev AgentStreamEvent
	var data []string
	first := true
	for sc.Scan() {
		line := sc.Text()
		if first {
			line, first = strings.TrimPrefix(line, "\ufeff"), false
		}
		if line == "" {
			if len(data) > 0 {
				if ev.Event == "" {
					ev.Event = "message"
				}
				ev.Data = strings.Join(data, "\n")
				if err := yield(ev); err != nil {
					return err
				}
			}
			ev, data = AgentStreamEvent{ID: ev.ID}, nil
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			ev.Event = value
		case "data":
			data = append(data, value)
		case "id":
			ev.ID = value
		}
	}
	switch err := sc.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("event stream: a line is longer than %d MiB", maxEventLine>>20)
	case err != nil:
		return err
	case len(data) > 0:
		return io.ErrUnexpectedEOF
	}
	return nil
}

// splitEventLine splits lines at LF, CR LF or CR, as the standard defines.
func splitEventLine(data []byte, atEOF bool) (advance int, token []byte, err error) {
	for i, b := range data {
		switch {
		case b == '\n':
			return i + 1, data[:i], nil
		case b == '\r' && i+1 < len(data):
			if data[i+1] == '\n' {
				return i + 2, data[:i], nil
			}
			return i + 1, data[:i], nil
		case b == '\r' && atEOF:
			return i + 1, data[:i], nil
		}
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
