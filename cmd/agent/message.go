package agent

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

// agentMessage is a message of the agent, in any of its forms: {"id": [...class], "kwargs": {...}}, {"type", "content"}
// or {"role", "content"}.
type agentMessage struct {
	key   string // its name in the service, "" if it has none
	role  string // human, ai, tool, system; "" if the message does not specify it
	piece bool   // one of the pieces of a message
	made  bool   // by a function of the agent: its result, which may be the answer [T]
	text  string
	calls []agentCall
}

// agentCall is a tool that the agent uses.
type agentCall struct{ id, name, args string }

// Names of the members of a message, each in the spellings of two libraries.
type agentMessageWire struct {
	ID         json.RawMessage `json:"id"`
	Type       string          `json:"type"`
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Kwargs     json.RawMessage `json:"kwargs"`
	ToolCalls  []agentCallWire `json:"tool_calls"`
	Chunks     []agentCallWire `json:"tool_call_chunks"`
	Additional struct {
		ToolCalls []agentCallWire `json:"tool_calls"`
	} `json:"additional_kwargs"`
}

type agentCallWire struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Args     json.RawMessage `json:"args"`
	Function *struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// messageOf parses a message; ok is false if v is not a message.
func messageOf(raw json.RawMessage) (m agentMessage, ok bool) {
	var w agentMessageWire
	if !isObject(raw) || json.Unmarshal(raw, &w) != nil {
		return m, false
	}
	class := w.Type
	var path []string
	if json.Unmarshal(w.ID, &path) == nil && len(path) > 0 {
		class = path[len(path)-1]
	} else if id := ""; json.Unmarshal(w.ID, &id) == nil {
		m.key = id
	}
	if isObject(w.Kwargs) {
		inner := agentMessageWire{}
		if json.Unmarshal(w.Kwargs, &inner) != nil {
			return m, false
		}
		_ = json.Unmarshal(inner.ID, &m.key) // an id of another type is not a name
		w.Content, w.ToolCalls, w.Chunks, w.Additional = inner.Content, inner.ToolCalls, inner.Chunks, inner.Additional
	} else if w.Content == nil {
		return m, false
	}
	if class == "" {
		class = w.Role
	}
	class, m.piece = strings.CutSuffix(strings.ToLower(class), "chunk")
	m.role = strings.TrimSuffix(class, "message")
	switch m.role {
	case "assistant":
		m.role = "ai"
	case "user":
		m.role = "human"
	case "function":
		m.role, m.made = "tool", true
	}
	m.text, m.calls = contentOf(w.Content)
	for _, calls := range [][]agentCallWire{w.ToolCalls, w.Chunks, w.Additional.ToolCalls} {
		for _, c := range calls {
			m.addCall(c)
		}
	}
	return m, true
}

// answers reports whether the message is an answer: one of the agent, or a document that a function has made for it.
func (m agentMessage) answers() bool {
	return m.role == "ai" || m.role == "" || m.made && answerOf(m.text).parsed
}

// addCall adds a call, which a message often contains twice.
func (m *agentMessage) addCall(c agentCallWire) {
	call := agentCall{c.ID, c.Name, compact(c.Args)}
	if f := c.Function; f != nil {
		call.name, call.args = f.Name, compact(f.Arguments)
	}
	if call.name == "" { // another piece of its arguments
		return
	}
	for _, have := range m.calls {
		if have.id == call.id && have.name == call.name {
			return
		}
	}
	m.calls = append(m.calls, call)
}

// contentOf returns the text of a content: a string, or blocks, some of which are strings.
func contentOf(raw json.RawMessage) (text string, calls []agentCall) {
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	text, calls, ok := blocksOf(raw)
	if !ok && string(bytes.TrimSpace(raw)) != "[]" { // an answer that is not wrapped in a string
		text = string(raw)
	}
	return text, calls
}

// blocksOf parses a list of strings and blocks; ok is false for any other list, and for blocks that cannot be converted
// to text.
func blocksOf(raw []byte) (text string, calls []agentCall, ok bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return "", nil, false
	}
	var b strings.Builder
	for _, one := range list {
		var s string
		if json.Unmarshal(one, &s) == nil {
			b.WriteString(s)
			continue
		}
		var block struct {
			Type, Text, ID, Name string
			Input                json.RawMessage
		}
		if json.Unmarshal(one, &block) != nil {
			return "", nil, false
		}
		switch block.Type {
		case "thinking", "redacted_thinking", "reasoning", "input_json_delta":
		case "text", "text_delta", "output_text":
			b.WriteString(block.Text)
		case "tool_use":
			calls = append(calls, agentCall{block.ID, block.Name, compact(block.Input)})
		default:
			return "", nil, false
		}
	}
	return b.String(), calls, true
}

// messagesIn returns the messages in a state of the agent, wherever they are.
func messagesIn(raw json.RawMessage, deep int) (list []json.RawMessage) {
	var members map[string]json.RawMessage
	if deep > 3 || !isObject(raw) || json.Unmarshal(raw, &members) != nil {
		return nil
	}
	if m, ok := members["messages"]; ok {
		if json.Unmarshal(m, &list) != nil && isObject(m) {
			list = []json.RawMessage{m}
		}
		return list
	}
	for _, name := range []string{"values", "result", "payload", "output"} {
		if list = messagesIn(members[name], deep+1); list != nil {
			return list
		}
	}
	return nil
}

// lastTurn returns the index at which the answer to the last question starts.
func lastTurn(list []json.RawMessage) (from int, question string) {
	for i, raw := range list {
		if m, ok := messageOf(raw); ok && m.role == "human" {
			from, question = i+1, m.text
		}
	}
	return from, question
}

// threadIn returns the id of the conversation in a reply or an event, "" if there is none.
func threadIn(raw json.RawMessage) string {
	var w struct {
		ThreadID  string          `json:"threadId"`
		Thread_ID string          `json:"thread_id"`
		Result    json.RawMessage `json:"result"`
	}
	if !isObject(raw) || json.Unmarshal(raw, &w) != nil {
		return ""
	}
	switch {
	case w.ThreadID != "":
		return w.ThreadID
	case w.Thread_ID != "":
		return w.Thread_ID
	}
	return threadIn(w.Result)
}

// withThread adds the id of its conversation to an object of the gateway; the other bytes are unchanged.
func withThread(raw json.RawMessage, thread string) json.RawMessage {
	var members map[string]json.RawMessage
	if !isObject(raw) || json.Unmarshal(raw, &members) != nil || members["threadId"] != nil {
		return raw
	}
	id, err := api.Marshal(thread)
	if err != nil {
		return raw
	}
	out := append([]byte(`{"threadId":`), id...)
	if len(members) > 0 {
		out = append(out, ',')
	}
	return append(out, bytes.TrimSpace(raw)[1:]...)
}

func isObject(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}

func isList(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '['
}

// compact returns a value on one line; a string is returned unquoted.
func compact(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}
