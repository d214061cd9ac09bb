package agent

import (
	"encoding/json"
	"testing"
)

// TestAnswerOf: the parts of an answer are found wherever its JSON stands.
func TestAnswerOf(t *testing.T) {
	for _, c := range []struct{ content, text, data, sql string }{
		{"plain", "plain", "", ""},
		{`{"summary":"three","data":[{"n":3}]}`, "three", `[{"n":3}]`, ""},
		{"```json\n{\"summary\":\"three\",\"data\":[{\"n\":3}]}\n```", "three", `[{"n":3}]`, ""},
		{"```json\n{\"summary\":\"three\",\"data\":[{\"n\":3}]}\n```\nAsk me for more.", "three\n\nAsk me for more.",
			`[{"n":3}]`, ""},
		{"Here it is:\n```json\n{\"data\":[{\"n\":3}],\"sql\":\"SELECT 3\"}\n```\n\nDone.\n", "Here it is:\n\nDone.",
			`[{"n":3}]`, "SELECT 3"},
		{"Here it is:\n\n{\"summary\":\"three\",\n \"data\":[{\"n\":3}]}", "Here it is:\n\nthree", `[{"n":3}]`, ""},
		{"{\"summary\":\"three\",\"data\":null}\nAnd more.", "three\n\nAnd more.", "", ""},
		{"The rows:\n[{\"n\":3}]", "The rows:", `[{"n":3}]`, ""},
		{`Here: {"summary":"three","data":[{"n":3}]} Anything?`, "Here:\n\nthree\n\nAnything?", `[{"n":3}]`, ""},
		{"Here: {\n\"summary\":\"three\"}", "Here:\n\nthree", "", ""},
		{"A list [1] and {x}: {\"a\":1}", "A list [1] and {x}: {\"a\":1}", "", ""},
		{"See:\n```\n{\"a\":1}\n```\nNo answer.", "See:\n```\n{\"a\":1}\n```\nNo answer.", "", ""},
		{"A brace:\n{not json}\n[1] a note", "A brace:\n{not json}\n[1] a note", "", ""},
		{"```json\n{\"summary\":\"cut", "```json\n{\"summary\":\"cut", "", ""},
		{"Use\n```sql\nSELECT 1\n```", "Use\n```sql\nSELECT 1\n```", "", "SELECT 1"},
	} {
		a := answerOf(c.content)
		if a.text != c.text || string(a.data) != c.data || a.sql != c.sql {
			t.Errorf("%q: text %q, data %s, SQL %q", c.content, a.text, a.data, a.sql)
		}
	}
}

// TestWhatAnswers: a message of a function is an answer if it has a document, as third clients read it; other results
// are not.
func TestWhatAnswers(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"id":["langchain_core","messages","AIMessage"],"kwargs":{"content":"three"}}`: true,
		`{"id":["langchain_core","messages","FunctionMessage"],"kwargs":{"content":"{\"summary\":\"three\",` +
			`\"data\":[{\"n\":3}]}"}}`: true,
		`{"id":["langchain_core","messages","FunctionMessage"],"kwargs":{"content":"looked at 3 tables"}}`: false,
		`{"id":["langchain_core","messages","ToolMessage"],"kwargs":{"content":"{\"data\":[{\"n\":3}]}"}}`: false,
		`{"id":["langchain_core","messages","HumanMessage"],"kwargs":{"content":"how many?"}}`:             false,
	} {
		m, ok := messageOf(json.RawMessage(raw))
		if !ok || m.answers() != want {
			t.Errorf("%s: %v", raw, m.answers())
		}
	}
}
