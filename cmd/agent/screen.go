package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
)

// agentScreen prints the events of a stream.
type agentScreen struct {
	e        *cli.Env
	w        io.Writer
	lines    bool   // print the events themselves
	question string // the question
	resumed  bool   // the conversation may contain earlier messages
	thread   string // the conversation

	parts   []*agentPart
	current *agentPart // printed last
	midLine bool       // the line on the screen is incomplete
	noted   map[string]bool
	events  int
	said    int    // characters of text
	answer  bool   // part of an answer was received
	strange bool   // something was received that may be an answer
	sql     string // the last statement that was shown
	drafted string // a statement in a state of the agent
	fault   string // the error of that statement
}

// agentPart is a message that is printed.
type agentPart struct {
	key, channel string
	growing
	piece bool
	shown int  // bytes of the text that were processed
	whole bool // printed only when it is complete
	done  bool
}

// event prints one event.
func (s *agentScreen) event(ev api.AgentStreamEvent) error {
	s.events++
	data := []byte(strings.TrimSpace(ev.Data))
	if ev.Event == "error" {
		return agentFault(data)
	}
	if s.lines {
		if err := s.line(ev); err != nil {
			return err
		}
	}
	kind, state, _ := strings.Cut(strings.ToLower(strings.SplitN(ev.Event, "|", 2)[0]), "/")
	if kind == "metadata" || state == "metadata" {
		s.named(data)
		return nil
	}
	return s.data(kind, state, data)
}

// line prints the event itself. A line feed within JSON is white space; in other data it is written as an escape
// sequence.
func (s *agentScreen) line(ev api.AgentStreamEvent) error {
	head := struct {
		Event string `json:"event"`
		ID    string `json:"id,omitempty"`
	}{ev.Event, ev.ID}
	out, err := api.Marshal(head)
	if err != nil {
		return err
	}
	data := bytes.ReplaceAll([]byte(ev.Data), []byte("\n"), []byte(" "))
	if !json.Valid(data) {
		if data, err = api.Marshal(ev.Data); err != nil {
			return err
		}
	}
	out = append(out[:len(out)-1], `,"data":`...)
	_, err = s.w.Write(append(append(out, data...), "}\n"...))
	return err
}

// data prints the data of an event. Names and forms of the events are undocumented [O]: the form is inferred from the
// contents.
func (s *agentScreen) data(kind, state string, data []byte) error {
	switch text := string(data); {
	case text == "" || text == "null" || text == "[DONE]" || kind == "end":
		return nil
	case !json.Valid(data):
		return s.plain(text)
	case isObject(data):
		return s.object(kind, state, data)
	case isList(data):
		return s.list(kind, state, data)
	}
	var text string
	if json.Unmarshal(data, &text) == nil {
		return s.message(agentMessage{text: text, piece: true}, kind, "", false)
	}
	return s.plain(string(data))
}

func (s *agentScreen) object(kind, state string, data []byte) error {
	s.named(data)
	if m, ok := messageOf(data); ok {
		return s.message(m, kind, "", state != "")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return s.plain(string(data))
	}
	if isFault(members) {
		return agentFault(data)
	}
	s.state(members)
	if list := messagesIn(data, 0); list != nil {
		return s.messages(kind, list, kind != "updates")
	}
	a, isAnswer := documentOf(data)
	switch {
	case kind == "updates":
		return s.steps(data)
	case kind == "debug":
		return s.step(compact(members["type"]))
	case kind == "values" || onlyMetadata(members):
		return nil
	case isAnswer && !a.empty():
		return s.message(agentMessage{text: string(data)}, kind, string(data), true)
	}
	s.strange = true
	return s.ownLine(compact(data))
}

func (s *agentScreen) list(kind, state string, data []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil || len(items) == 0 {
		return err
	}
	var mode string
	if len(items) == 2 && json.Unmarshal(items[0], &mode) == nil { // a mode and its data
		switch mode {
		case "values", "updates", "debug", "messages":
			return s.data(mode, state, bytes.TrimSpace(items[1]))
		}
	}
	if text, calls, ok := blocksOf(data); ok && mode == "" {
		return s.message(agentMessage{text: text, calls: calls, piece: true}, kind, "", false)
	}
	first, ok := messageOf(items[0])
	if !ok {
		s.strange = true
		return s.ownLine(compact(data))
	}
	if len(items) == 2 {
		if _, also := messageOf(items[1]); !also { // a message and its metadata
			s.named(items[1])
			return s.message(first, kind, "", state != "")
		}
	}
	return s.messages(kind, items, state != "")
}

// steps prints the results of the steps of the agent.
func (s *agentScreen) steps(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	_, err := dec.Token()
	for err == nil && dec.More() {
		var name json.Token
		var v json.RawMessage
		if name, err = dec.Token(); err != nil {
			break
		}
		if err = dec.Decode(&v); err != nil {
			break
		}
		var members map[string]json.RawMessage
		if isObject(v) && json.Unmarshal(v, &members) == nil {
			s.state(members)
		}
		if err = s.step(fmt.Sprint(name)); err != nil {
			break
		}
		if list := messagesIn(v, 0); list != nil {
			err = s.messages("updates", list, false)
		}
	}
	return err
}

// state stores what a state of the agent contains besides messages.
func (s *agentScreen) state(members map[string]json.RawMessage) {
	var text string
	if json.Unmarshal(members["currentGeneratedQuery"], &text) == nil && text != "" {
		s.drafted = text
	}
	if text = ""; json.Unmarshal(members["currentQueryError"], &text) == nil {
		s.fault = text
	}
}

// messages prints those messages of a list that answer the question. With all, the list is the whole conversation.
func (s *agentScreen) messages(kind string, list []json.RawMessage, all bool) error {
	from, question := lastTurn(list)
	if all && s.resumed && from > 0 && strings.TrimSpace(question) != strings.TrimSpace(s.question) {
		return nil // it does not contain the question yet
	}
	for i, raw := range list[from:] {
		m, ok := messageOf(raw)
		if !ok {
			continue
		}
		key := ""
		if all {
			key = fmt.Sprint(from + i)
		}
		if err := s.message(m, kind, key, !m.piece || all); err != nil {
			return err
		}
	}
	return nil
}

// message prints the new part of a message. place distinguishes messages of one list that have no name; whole means
// that the text is complete so far.
func (s *agentScreen) message(m agentMessage, channel, place string, whole bool) error {
	if !m.answers() {
		return nil
	}
	for _, c := range m.calls {
		if err := s.call(c); err != nil {
			return err
		}
	}
	if m.text == "" {
		return nil
	}
	whole = whole || m.role == "ai" && !m.piece
	p := s.part(m, channel, place, whole)
	news, restarted := p.add(m.text, whole, m.piece)
	p.piece = m.piece
	if news == "" && !restarted {
		return nil
	}
	return s.show(p, news, restarted)
}

// part finds the message that a text belongs to, or starts one. A message may be sent by two modes, and by one of them
// without its name.
func (s *agentScreen) part(m agentMessage, channel, place string, whole bool) *agentPart {
	key := m.key
	if key == "" && place != "" {
		key = channel + "\x00" + place
	}
	for _, p := range s.parts {
		if key != "" && p.key == key {
			return p
		}
	}
	if whole {
		for _, p := range s.parts {
			other := p.channel != channel || p.key == "" || key == ""
			if other && (p.text == m.text || !p.done && strings.HasPrefix(m.text, p.text)) {
				if p.key == "" && m.key != "" {
					p.key = key
				}
				return p
			}
		}
	}
	if key == "" && !whole && s.current != nil && s.current.key == "" && s.current.channel == channel &&
		!s.current.done {
		return s.current
	}
	p := &agentPart{key: key, channel: channel}
	s.parts = append(s.parts, p)
	return p
}

// show prints new text of a message.
func (s *agentScreen) show(p *agentPart, news string, restarted bool) error {
	if s.current != p {
		if err := s.finish(); err != nil {
			return err
		}
		s.current = p
	}
	s.answer = s.answer || strings.TrimSpace(news) != ""
	s.said += utf8.RuneCountInString(news)
	if restarted {
		p.shown = 0
		if err := s.endLine(); err != nil {
			return err
		}
	}
	head := strings.TrimLeft(p.text, " \t\r\n")
	if p.shown == 0 && !p.done {
		p.whole = head == "" || head[0] == '{' || strings.HasPrefix(head, "[{") || head == "[" ||
			strings.HasPrefix("```", head[:min(3, len(head))])
	}
	if p.whole && !p.done {
		return nil
	}
	if p.shown == 0 {
		news = p.text
	}
	p.shown = len(p.text)
	return s.write(news)
}

// finish completes the message printed last.
func (s *agentScreen) finish() error {
	p := s.current
	if p == nil || p.done {
		return s.endLine()
	}
	if news := p.end(p.piece); news != "" {
		if err := s.show(p, news, false); err != nil {
			return err
		}
	}
	p.done = true
	a := answerOf(p.text)
	if a.sql != "" {
		s.sql = a.sql
	}
	if !p.whole || s.lines {
		return s.endLine()
	}
	p.shown = len(p.text)
	if err := s.endLine(); err != nil {
		return err
	}
	return writeAnswer(s.e, s.w, a)
}

// end completes the output. whole means that the stream ended regularly; if so, the error says what was missing from
// it.
func (s *agentScreen) end(whole bool) error {
	// the received part of a document cannot be parsed
	if !whole && s.current != nil && s.current.whole && !s.current.done && !s.lines {
		p := s.current
		if _, ok := documentOf([]byte(unfenced(p.text))); !ok {
			p.whole = false
			if err := s.write(p.text); err != nil {
				return err
			}
		}
	}
	if err := s.finish(); err != nil || !whole {
		return err
	}
	if s.drafted != "" && s.sql == "" && !s.lines {
		s.sql, s.answer = s.drafted, true
		if err := writeAnswer(s.e, s.w, agentAnswer{sql: s.drafted}); err != nil {
			return err
		}
	}
	switch {
	case s.answer || s.lines && (s.strange || s.drafted != ""):
		return nil
	case s.fault != "":
		return &exitcode.Failure{Exit: exitcode.Failed, Code: "agent", Msg: "the agent failed: " + s.fault}
	case s.events == 0:
		return &exitcode.Failure{Exit: exitcode.Unavailable, Code: "no-answer", Msg: "the stream of the agent is empty",
			Hint: "try again"}
	}
	f := noAnswer(s.e, "the stream of the agent ended without an answer", s.thread)
	if s.strange {
		f.Hint = "the events have a form unknown to dig; -o ndjson prints them as received"
	}
	return f
}
