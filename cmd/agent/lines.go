package agent

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/term"
)

// plain prints data that is not JSON.
func (s *agentScreen) plain(text string) error {
	s.answer = true
	s.said += utf8.RuneCountInString(text)
	return s.ownLine(text)
}

func (s *agentScreen) ownLine(text string) error {
	if err := s.finish(); err != nil {
		return err
	}
	return s.write(text + "\n")
}

func (s *agentScreen) endLine() error {
	if !s.midLine {
		return nil
	}
	return s.write("\n")
}

func (s *agentScreen) write(text string) error {
	if s.lines || text == "" {
		return nil
	}
	s.midLine = !strings.HasSuffix(text, "\n")
	_, err := s.w.Write(term.SanitizeText(nil, text))
	return err
}

// call prints a tool call once.
func (s *agentScreen) call(c agentCall) error {
	return s.note(c.id+"\x00"+c.name+"\x00"+pieceOf(c), c.line())
}

// pieceOf distinguishes calls that have no id.
func pieceOf(c agentCall) string {
	if c.id != "" {
		return ""
	}
	return c.args
}

// step prints every step.
func (s *agentScreen) step(name string) error {
	if name == "" {
		return nil
	}
	return s.note("", "step: "+string(term.Sanitize(nil, name)))
}

// note prints a line on stderr; lines with the same key only once.
func (s *agentScreen) note(key, line string) error {
	if s.lines || key != "" && s.noted[key] {
		return nil
	}
	if s.noted == nil {
		s.noted = map[string]bool{}
	}
	s.noted[key] = true
	if s.e.ErrTerm && s.e.OutTerm {
		if err := s.endLine(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(s.e.Err, line)
	return err
}

// named takes the id of the conversation from the service.
func (s *agentScreen) named(data []byte) {
	if id := threadIn(data); id != "" {
		s.thread = id
	}
}

// onlyMetadata reports whether an object describes only the run.
func onlyMetadata(members map[string]json.RawMessage) bool {
	for name := range members {
		switch name {
		case "run_id", "runId", "thread_id", "threadId", "assistant_id", "graph_id", "attempt", "checkpoint_id",
			"checkpoint_ns", "tags", "metadata":
		default:
			if !strings.HasPrefix(name, "langgraph_") && !strings.HasPrefix(name, "ls_") {
				return false
			}
		}
	}
	return true
}

// isFault reports whether an object is the body of an error.
func isFault(members map[string]json.RawMessage) bool {
	var name string
	_ = json.Unmarshal(members["error"], &name)
	code := string(members["errorCode"])
	return members["messages"] == nil && (name != "" || isObject(members["error"]) || code != "" && code != "null")
}

// agentFault returns the error that an event describes.
func agentFault(data []byte) error {
	msg := string(data)
	for deep := 0; deep < 2; deep++ {
		var w struct {
			Message string          `json:"message"`
			Error   json.RawMessage `json:"error"`
		}
		if !isObject(data) || json.Unmarshal(data, &w) != nil {
			break
		}
		if w.Message != "" {
			msg = w.Message
			break
		}
		if w.Error != nil {
			data, msg = w.Error, compact(w.Error)
		}
	}
	if msg == "" || msg == "null" {
		msg = http.StatusText(http.StatusInternalServerError)
	}
	return &exitcode.Failure{Exit: exitcode.Failed, Code: "agent", Msg: "the agent failed: " + msg}
}
