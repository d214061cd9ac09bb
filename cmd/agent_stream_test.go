package cmd

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// agentGateway answers every question with the same reply, and lists one thread.
type agentGateway struct {
	*httptest.Server
	kind, reply string
	cut         bool // the connection breaks after the reply
	sent        map[string]any
	deleted     string
}

func newAgentGateway(t *testing.T) *agentGateway {
	t.Helper()
	g := &agentGateway{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := strings.TrimPrefix(r.URL.Path, "/api/v1/"); {
		case path == "ai-agent/Ab12Cd34/threads":
			io.WriteString(w, `{"threads":[{"threadId":"`+talk+
				`","displayName":"sales review","projectId":"Ab12Cd34"}]}`)
			return
		case path == "ai/Ab12Cd34/agent/history" && r.Method == "GET":
			io.WriteString(w,
				`{"history":[{"id":"r1","aiThreadId":"t-17","displayName":"old talk","source":"API_KEY"}],"more":1}`)
			return
		case strings.HasPrefix(path, "ai/Ab12Cd34/agent/history/") && r.Method == "DELETE":
			g.deleted = path[strings.LastIndexByte(path, '/')+1:]
			io.WriteString(w, `{"history":[]}`)
			return
		}
		g.sent = map[string]any{}
		if err := json.NewDecoder(r.Body).Decode(&g.sent); err != nil && r.Method == "POST" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		w.Header().Set("Content-Type", g.kind)
		io.WriteString(w, g.reply)
		if g.cut {
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(g.Close)
	return g
}

const talk = "6f1c7a9e-3f7b-4a56-9d57-0c6f0e3b6a11"

func (g *agentGateway) dig(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runDig(t, map[string]string{"DIG_BASE_URL": g.URL + "/api/v1", "DIG_API_KEY": testKey,
		"DIG_PROJECT": "Ab12Cd34", "DIG_ZONE": "us"}, args...)
}

func event(name string, data ...string) string {
	var b strings.Builder
	for _, d := range data {
		b.WriteString("event: " + name + "\ndata: " + d + "\n\n")
	}
	return b.String()
}

// TestAgentStreamText: whatever the mode sends, people get each part of the answer once and nothing of the machinery.
func TestAgentStreamText(t *testing.T) {
	g := newAgentGateway(t)
	g.kind = "text/event-stream"
	ai := func(id, text string) string {
		return `{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"],"kwargs":{"id":"` + id +
			`","content":` + text + `}}`
	}
	piece := func(text string) string {
		return `[{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessageChunk"],` +
			`"kwargs":{"id":"m1","content":` + text + `}},{"langgraph_node":"answer"}]`
	}
	const human = `{"type":"human","content":"hi"}`
	for name, c := range map[string]struct{ reply, want, errs, not string }{
		"metadata and null": {event("metadata", `{"run_id":"1f0"}`) + event("messages", "null", piece(`"Three"`),
			piece(`" orders"`), "null"), "Three orders\n", "", "run_id"},
		"equal pieces":     {event("messages", piece(`"ha"`), piece(`"ha"`), piece(`"!"`)), "haha!\n", "", ""},
		"digits in pieces": {event("messages", piece(`"1"`), piece(`"10"`)), "110\n", "", ""},
		"the whole so far": {event("messages/partial", `[{"type":"ai","id":"m1","content":"Th"}]`,
			`[{"type":"ai","id":"m1","content":"Three"}]`) + event("messages/complete",
			`[{"type":"ai","id":"m1","content":"Three orders"}]`), "Three orders\n", "", ""},
		"whole, no names": {event("messages", `{"content":"T"}`, `{"content":"Thr"}`, `{"content":"Three"}`,
			`{"content":"Three orders"}`), "Three orders\n", "", ""},
		"pieces, then whole": {event("messages", piece(`"Three"`), piece(`" orders"`), ai("m1", `"Three orders"`)),
			"Three orders\n", "", ""},
		"values": {event("values", `{"messages":[`+human+`]}`, `{"messages":[`+human+`,`+
			ai("m1", `"Three"`)+`]}`, `{"messages":[`+human+`,`+ai("m1", `"Three orders"`)+
			`],"tableNames":["orders"]}`), "Three orders\n", "", "tableNames"},
		"values without ids": {event("values", `{"messages":[`+human+`,{"type":"ai","content":"Let me look"}]}`,
			`{"messages":[`+human+`,{"type":"ai","content":"Let me look"},{"type":"ai","content":"Three"}]}`),
			"Let me look\nThree\n", "", ""},
		"both modes": {event("messages", `[{"type":"AIMessageChunk","content":"Three"},{}]`,
			`[{"type":"AIMessageChunk","content":" orders"},{}]`) + event("values", `{"messages":[`+human+
			`,{"type":"ai","id":"x","content":"Three orders"}]}`), "Three orders\n", "", ""},
		"updates": {event("updates", `{"planner":{"messages":[`+ai("m1", `"Three orders"`)+`]}}`,
			`{"writer":null}`), "Three orders\n", "step: planner\n", ""},
		"blocks": {event("messages", piece(`[{"type":"text","text":"Three"}]`),
			piece(`[{"type":"text","text":" orders"}]`)), "Three orders\n", "", ""},
		"tools": {event("messages", `[{"type":"AIMessageChunk","id":"m0","content":"",`+
			`"tool_call_chunks":[{"name":"run_sql","args":"","id":"c1","index":0}]},{}]`,
			`[{"type":"AIMessageChunk","id":"m0","content":"","tool_call_chunks":[{"args":"{\"q\"","index":0}]},{}]`,
			`[{"type":"tool","name":"run_sql","content":"[[3]]"},{}]`, piece(`"Three"`)), "Three\n",
			"tool: run_sql\n", "[[3]]"},
		"a document": {event("messages", piece(`"{\"summary\":\"Three"`),
			piece(`" orders\",\"data\":[{\"n\":3,\"name\":\"x\"}],\"sql\":\"SELECT 3\"}"`)),
			"Three orders\n\n n │ name\n───┼──────\n 3 │ x\n\nSQL:\n  SELECT 3\n", "dig query execute 'SELECT 3'",
			"summary"},
		"a document as event": {event("message", `{"summary":"Three orders","data":null}`), "Three orders\n", "", ""},
		"a draft": {event("values", `{"messages":[`+human+`],"currentGeneratedQuery":"SELECT 3"}`),
			"SQL:\n  SELECT 3\n", "dig query execute 'SELECT 3'", ""},
		"steering": {event("messages", piece(`"\u001b[2JThree\u202e"`)), "␛[2JThree<U+202E>\n", "", "\x1b"},
	} {
		g.reply = c.reply
		code, out, errs := g.dig(t, "agent", "stream", "hi")
		if code != 0 || out != c.want || !strings.Contains(errs, c.errs) || c.not != "" &&
			strings.Contains(out+errs, c.not) {
			t.Errorf("%s: exit %d, printed %q, %q; want %q, %q", name, code, out, errs, c.want, c.errs)
		}
	}
}

// TestAgentStreamResumed: in a conversation that goes on, what was said before is not shown as the answer.
func TestAgentStreamResumed(t *testing.T) {
	g := newAgentGateway(t)
	g.kind = "text/event-stream"
	const before = `{"type":"human","content":"how many?"},{"type":"ai","content":"Three orders"}`
	g.reply = event("values", `{"messages":[`+before+`]}`, `{"messages":[`+before+
		`,{"type":"human","content":"hi"},{"type":"ai","content":"Four"}]}`)
	if code, out, errs := g.dig(t, "agent", "stream", "hi", "--thread", "sales review"); code != 0 || out != "Four\n" ||
		g.sent["threadId"] != talk {
		t.Errorf("exit %d, sent %v, printed %q, %q", code, g.sent, out, errs)
	}
	g.reply = event("values", `{"messages":[`+before+`]}`)
	if code, out, errs := g.dig(t, "agent", "stream", "hi", "--thread", talk); code != exitcode.Failed || out != "" ||
		!strings.Contains(errs, "ended without an answer") {
		t.Errorf("exit %d, printed %q, %q", code, out, errs)
	}
}

// TestAgentStreamEvents: with -o ndjson the data of an event is what came, to the byte.
func TestAgentStreamEvents(t *testing.T) {
	g := newAgentGateway(t)
	g.kind = "text/event-stream"
	g.reply = "event: metadata\nid: 7\ndata: {\"run_id\": \"1f0\",\ndata:  \"n\":1.50}\n\nevent: x\ndata: {\"b\": 1, " +
		"\"a\":\"<é\u009b\", \"b\":12345678901234567890}\n\ndata: text\n\n"
	want := "{\"event\":\"metadata\",\"id\":\"7\",\"data\":{\"run_id\": \"1f0\",  \"n\":1.50}}\n" +
		"{\"event\":\"x\",\"id\":\"7\",\"data\":{\"b\": 1, \"a\":\"<é\u009b\", " +
		"\"b\":12345678901234567890}}\n{\"event\":\"message\",\"id\":\"7\",\"data\":\"text\"}\n"
	for _, form := range []string{"ndjson", "json"} {
		if code, out, errs := g.dig(t, "agent", "stream", "hi", "-o", form); code != 0 || out != want ||
			!strings.Contains(errs, `{"note":"the thread is `) {
			t.Errorf("-o %s: exit %d, printed %q, %q", form, code, out, errs)
		}
	}
	for _, more := range [][]string{{"--jq", ".x"}, {"-o", "json", "--columns", "a"}, {"-o", "csv"}, {"--thread", ""}} {
		g.sent = nil
		if code, _, errs := g.dig(t, append([]string{"agent", "stream", "hi"}, more...)...); code != exitcode.Usage ||
			g.sent != nil {
			t.Errorf("%v: exit %d, sent %v: %s", more, code, g.sent, errs)
		}
	}
}

// TestAgentStreamEnds: a stream without an answer is a failure, in every form.
func TestAgentStreamEnds(t *testing.T) {
	const whole = "data: {\"content\":\"Three orders\"}\n\n"
	for name, c := range map[string]struct {
		reply string
		cut   bool
		exit  int
		says  string
	}{
		"empty":    {"", false, exitcode.Unavailable, "the stream of the agent is empty"},
		"comments": {": ping\n\n", false, exitcode.Unavailable, "the stream of the agent is empty"},
		"metadata": {event("metadata", `{"run_id":"1f0"}`) + "data: null\n\n", false, exitcode.Failed,
			"ended without an answer"},
		"the question": {event("values", `{"messages":[{"type":"human","content":"hi"}]}`), false, exitcode.Failed,
			"ended without an answer"},
		"an error": {whole + event("error", `{"error":"RateLimit","message":"too many\u001b[2J questions"}`),
			false, exitcode.Failed, "the agent failed: too many␛[2J questions"},
		"a body of errors": {event("message", `{"errorCode":100,"message":"no such table"}`), false, exitcode.Failed,
			"the agent failed: no such table"},
		"cut in an event": {whole + "data: {\"con", false, exitcode.Unavailable, "after 1 complete events"},
		"broken":          {whole, true, exitcode.Unavailable, "after 1 complete events"},
	} {
		g := newAgentGateway(t)
		g.kind, g.reply, g.cut = "text/event-stream", c.reply, c.cut
		code, out, errs := g.dig(t, "agent", "stream", "hi")
		thread, _ := g.sent["threadId"].(string)
		if code != c.exit || !strings.Contains(errs, c.says) || thread == "" || !strings.Contains(errs,
			"the thread is "+thread) || strings.Contains(errs, "\x1b") {
			t.Errorf("%s: exit %d, %q, %q; want %d, %q", name, code, out, errs, c.exit, c.says)
		}
		if (c.reply != "" && strings.HasPrefix(c.reply, whole)) != (out == "Three orders\n") {
			t.Errorf("%s: printed %q", name, out)
		}
		if strings.HasPrefix(name, "cut") && !strings.Contains(errs, "12 characters of text") {
			t.Errorf("%s does not say what came: %s", name, errs)
		}
		code, _, errs = g.dig(t, "agent", "stream", "hi", "-o", "ndjson")
		lines := strings.Split(strings.TrimSpace(errs), "\n")
		if code != c.exit || !json.Valid([]byte(lines[len(lines)-1])) ||
			!strings.Contains(lines[len(lines)-1], `"error"`) {
			t.Errorf("%s -o ndjson: exit %d, %s", name, code, errs)
		}
	}
}

// TestAgentThread: a conversation can be gone on with, whoever named it.
func TestAgentThread(t *testing.T) {
	g := newAgentGateway(t)
	const messages = `"messages":[{"id":["langchain","HumanMessage"],"kwargs":{"content":"hi"}},{"id":["langchain",` +
		`"AIMessage"],"kwargs":{"content":"Three orders"}}]`
	note := regexp.MustCompile(
		"(?m)^note: the thread is (\\S+); `dig agent chat --thread (\\S+) MESSAGE` continues it$")
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	g.reply = `{"result":{` + messages + `, "n": 1.50}}`
	code, out, errs := g.dig(t, "agent", "chat", "hi")
	made, _ := g.sent["threadId"].(string)
	if m := note.FindStringSubmatch(errs); code != 0 || out != "Three orders\n" || m == nil || m[1] != made ||
		m[2] != made || !uuid.MatchString(made) {
		t.Errorf("exit %d, sent %v, printed %q, %q", code, g.sent, out, errs)
	}
	_, out, _ = g.dig(t, "agent", "chat", "hi", "-o", "json")
	if again := g.sent["threadId"].(string); again == made || out != `{"threadId":"`+again+`","result":{`+messages+
		`, "n": 1.50}}`+"\n" {
		t.Errorf("-o json prints %s", out)
	}
	for _, c := range [][]string{{"--thread", talk, talk}, {"--thread", "sales review", talk},
		{"--body", `{"threadId":"mine"}`, "mine"}} {
		if code, _, errs := g.dig(t, "agent", "chat", "hi", c[0], c[1]); code != 0 || g.sent["threadId"] != c[2] ||
			!strings.Contains(errs, "the thread is "+c[2]) {
			t.Errorf("%v: exit %d, sent %v: %s", c, code, g.sent, errs)
		}
	}
	g.sent = nil
	if code, _, errs := g.dig(t, "agent", "chat", "hi", "--thread", "nobody"); code != exitcode.NotFound ||
		g.sent != nil {
		t.Errorf("an unknown thread: exit %d, sent %v: %s", code, g.sent, errs)
	}
	for _, reply := range []string{`{"threadId":"theirs","result":{` + messages + `}}`,
		`{"result":{"thread_id":"theirs",` + messages + `}}`} {
		g.reply = reply
		_, out, errs = g.dig(t, "agent", "chat", "hi", "-o", "json")
		if !strings.Contains(errs, "the thread is theirs") || strings.Count(out, `"threadId":"theirs"`) != 1 {
			t.Errorf("%s: %s%s", reply, out, errs)
		}
	}
	g.kind, g.reply = "text/event-stream", event("metadata", `{"run_id":"1","thread_id":"theirs"}`)+event("messages",
		`{"content":"Three"}`)
	if code, _, errs := g.dig(t, "agent", "stream", "hi"); code != 0 || !strings.Contains(errs,
		"the thread is theirs") || !uuid.MatchString(g.sent["threadId"].(string)) {
		t.Errorf("stream: exit %d, sent %v: %s", code, g.sent, errs)
	}
}

// TestAgentAnswers: the forms of an answer, and what is shown of them.
func TestAgentAnswers(t *testing.T) {
	g := newAgentGateway(t)
	for name, c := range map[string]struct{ content, want, note string }{
		"blocks":         {`[{"type":"text","text":"Three"},{"type":"text","text":" orders"}]`, "Three orders\n", ""},
		"blocks as text": {`"[{\"type\":\"text\",\"text\":\"Three\"}]"`, "Three\n", ""},
		"summary, sql": {`"{\"summary\":\"Three\",\"sql\":\"SELECT count(*)\\nFROM orders\"}"`,
			"Three\n\nSQL:\n  SELECT count(*)\n  FROM orders\n", "query execute -f FILE"},
		"a query": {`"{\"summary\":\"Three\",\"query\":\"SELECT 'x'\"}"`, "Three\n\nSQL:\n  SELECT 'x'\n",
			`dig query execute 'SELECT '\''x'\'''`},
		"fenced": {"\"```json\\n{\\\"summary\\\":\\\"Three\\\"}\\n```\"", "Three\n", ""},
		"exact numbers": {`"{\"summary\":\"a\",\"data\":[{\"n\":12345678901234567890,\"o\":{\"x\":1}},{\"n\":1,` +
			`\"late\":true}]}"`, "a\n\n                    n │ o       │ " +
			"late\n──────────────────────┼─────────┼──────\n 12345678901234567890 │ {\"x\":1} │ NULL\n               " +
			"     1 │ NULL    │ true\n", ""},
		"named columns": {`"{\"data\":{\"columns\":[\"a\",\"b\"],\"rows\":[[1,\"x\"]]}}"`,
			" a │ b\n───┼───\n 1 │ x\n", ""},
		"cells": {`"{\"data\":[[{\"name\":\"n\",\"dataType\":\"bigint\",\"order\":0,\"value\":3}]]}"`,
			" n\n───\n 3\n", ""},
		"a document": {`{"summary":"Three"}`, "Three\n", ""},
		"more in it": {`"{\"summary\":\"Three\",\"chart\":{\"kind\":\"bar\"}}"`,
			"Three\n\nchart: {\"kind\":\"bar\"}\n", ""},
		"no answer of it": {`"{\"a\":1}"`, "{\"a\":1}\n", ""},
		"steering": {`"{\"summary\":\"\\u001b[2J\",\"data\":[{\"a\\u001b\":\"\\u001b[1m\"}],\"sql\":\"SELECT ` +
			`'\\u001b'\"}"`, "␛[2J\n\n a␛\n──────\n ␛[1m\n\nSQL:\n  SELECT '␛'\n", "SELECT"},
	} {
		g.reply = `{"result":{"messages":[{"type":"ai","content":"from before"},{"type":"human","content":"hi"},` +
			`{"type":"ai","id":"m1","content":` + c.content + `}]}}`
		code, out, errs := g.dig(t, "agent", "chat", "hi", "--no-execute")
		if code != 0 || out != c.want || !strings.Contains(errs, c.note) || strings.Contains(errs, "\x1b") ||
			g.sent["noExecute"] != true {
			t.Errorf("%s: exit %d, printed\n%s%q; want\n%s", name, code, out, errs, c.want)
		}
	}
	g.reply = `{"result":{"messages":[{"type":"human","content":"hi"}]}}`
	for _, form := range []string{"table", "json", "csv"} {
		if code, _, errs := g.dig(t, "agent", "chat", "hi", "-o", form); code != exitcode.Failed ||
			!strings.Contains(errs, "contains no answer") {
			t.Errorf("no answer, -o %s: exit %d, %s", form, code, errs)
		}
	}
	g.reply = `{"result":{"values":{"messages":[{"type":"human","content":"[hi]"},{"type":"ai","content":[],` +
		`"tool_calls":[{"name":"run_sql","args":{"q":"SELECT 3"},"id":"c1"}]},{"type":"ai",` +
		`"content":"{\"summary\":\"Three\"}"}]}}}`
	if code, out, errs := g.dig(t, "agent", "thread", "get", talk); code != 0 ||
		out != "[human]\n[hi]\n\n[ai]\ntool: run_sql {\"q\":\"SELECT 3\"}\n\n[ai]\nThree\n" {
		t.Errorf("thread get: exit %d, %q, %q", code, out, errs)
	}
	if _, out, _ := g.dig(t, "agent", "thread", "get", talk, "-o",
		"csv"); out != "role,text,data,sql\nhuman,[hi],,\nai,\"\",,\nai,Three,,\n" {
		t.Errorf("thread get -o csv: %q", out)
	}
}

// TestAgentHistory: the chat history is listed and deleted by commands that help shows.
func TestAgentHistory(t *testing.T) {
	g := newAgentGateway(t)
	if _, out, _ := g.dig(t, "agent", "--help"); !strings.Contains(out, "history") {
		t.Errorf("help has no history: %s", out)
	}
	if code, out, errs := g.dig(t, "agent", "history", "list"); code != 0 || !strings.Contains(out, "t-17") ||
		!strings.Contains(out, "old talk") {
		t.Errorf("list: exit %d, %s%s", code, out, errs)
	}
	if _, out, _ := g.dig(t, "agent", "history", "list", "-o", "json"); !strings.HasPrefix(out,
		`[{"id":"r1","aiThreadId":"t-17"`) {
		t.Errorf("list -o json: %s", out)
	}
	if code, _, _ := g.dig(t, "agent", "history", "delete", "old talk"); code != exitcode.Confirm || g.deleted != "" {
		t.Errorf("delete without --yes: exit %d, deleted %q", code, g.deleted)
	}
	if code, _, _ := g.dig(t, "agent", "history", "delete", "nothing", "--yes"); code != exitcode.NotFound ||
		g.deleted != "" {
		t.Errorf("delete of what is not there: exit %d, deleted %q", code, g.deleted)
	}
	if code, out, errs := g.dig(t, "agent", "history", "delete", "old talk", "--yes", "-o", "json"); code != 0 ||
		g.deleted != "t-17" || strings.TrimSpace(out) != `{"history":[]}` {
		t.Errorf("delete: exit %d, deleted %q: %s%s", code, g.deleted, out, errs)
	}
	if code, _, errs := g.dig(t, "agent", "history", "delete", talk, "--yes"); code != 0 || g.deleted != talk ||
		!strings.Contains(errs, "deleted conversation "+talk) {
		t.Errorf("delete by id: exit %d, deleted %q: %s", code, g.deleted, errs)
	}
}
