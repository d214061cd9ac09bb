package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAgentJSONInMessages: an answer that is JSON inside a text is shown by its parts, and --no-execute is sent.

// TestAgentJSONInMessages: the JSON of an answer is taken apart, whichever message has it and whatever stands around
// it.
func TestAgentJSONInMessages(t *testing.T) {
	var reply, sent string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		sent = string(raw)
		io.WriteString(w, reply)
	}))
	defer srv.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "AbCd1234",
		"DIG_ZONE": "us"}
	const question = `{"id":["langchain_core","messages","HumanMessage"],"kwargs":{"content":"how many?"}},`
	for name, messages := range map[string]string{
		"of the agent": `{"id":["langchain_core","messages","AIMessage"],` +
			`"kwargs":{"content":"{\"summary\":\"three orders\",\"data\":[{\"n\":3}]}"}}`,
		"of a function": `{"id":["langchain_core","messages","FunctionMessage"],` +
			`"kwargs":{"content":"{\"summary\":\"three orders\",\"data\":[{\"n\":3}]}"}}`,
		"of a function, then text": `{"id":["x","FunctionMessage"],"kwargs":{"content":"{\"data\":[{\"n\":3}]}"}},` +
			`{"id":["x","AIMessage"],"kwargs":{"content":"three orders"}}`,
		"a block and text": `{"id":["x","AIMessage"],"kwargs":{"content":"three orders:\n` + "```json" +
			`\n{\"summary\":\"\",\"data\":[{\"n\":3}]}\n` + "```" + `\nanything else?"}}`,
	} {
		reply = `{"result":{"messages":[` + question + messages + `]}}`
		code, out, errs := runDig(t, env, "agent", "chat", "how many?", "--no-execute")
		if code != 0 || !strings.Contains(out, "three orders") || strings.Contains(out, `"data"`) ||
			!strings.Contains(out, "3") || !strings.Contains(sent, `"noExecute":true`) {
			t.Errorf("%s: exit %d, sent %s: %s%s", name, code, sent, out, errs)
		}
	}
}
