package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/output"
)

// agentAnswer is an answer of the agent, parsed into its parts.
type agentAnswer struct {
	text string
	data json.RawMessage // rows, in one of several forms
	sql  string
	said bool // the SQL is already part of the text

	parsed bool // the content has a JSON document or rows
	rest   []namedJSON
}

// namedJSON is a member of an answer that has no dedicated form.
type namedJSON struct {
	name  string
	value json.RawMessage
}

// answerOf parses the content of a message. It may be a JSON document with a summary, rows and a statement, blocks, or
// plain text [T].
func answerOf(content string) agentAnswer {
	raw := []byte(unfenced(content))
	if isList(raw) {
		if text, _, ok := blocksOf(raw); ok {
			return answerOf(text)
		}
		if list := rowsOf(raw); list != nil {
			return agentAnswer{data: raw, parsed: true}
		}
	}
	if a, ok := documentOf(raw); ok {
		return a
	}
	if a, ok := embedded(content); ok {
		return a
	}
	a := agentAnswer{text: content}
	if _, rest, ok := strings.Cut(content, "```sql\n"); ok {
		if sql, _, ok := strings.Cut(rest, "```"); ok {
			a.sql, a.said = strings.TrimSpace(sql), true
		}
	}
	return a
}

// jsonStart is where an object or a list of objects may begin in a line.
var jsonStart = late.Regexp(`[{[]\s*(?:["{]|$)`)

// embedded parses an answer that has a document or rows, in a fenced block or in the text, and text around it.
func embedded(content string) (a agentAnswer, ok bool) {
	for at := 0; at < len(content); {
		line, below, _ := strings.Cut(content[at:], "\n")
		next := at + len(content[at:]) - len(below)
		start, fence := at, ""
		if mark := strings.ToLower(strings.TrimSpace(line)); mark == "```json" || mark == "```" {
			start, fence = next, "```"
		} else if m := jsonStart().FindStringIndex(line); m != nil {
			start += m[0]
		}
		body, before := content[start:], content[:start]
		if fence != "" {
			before = content[:at]
		}
		dec := json.NewDecoder(strings.NewReader(body))
		var v json.RawMessage
		if isJSON := isObject([]byte(body)) || isList([]byte(body)); isJSON && dec.Decode(&v) == nil {
			after, closed := strings.CutPrefix(strings.TrimSpace(body[dec.InputOffset():]), fence)
			if a, ok = documentOf(v); !ok && isList(v) && rowsOf(v) != nil {
				a, ok = agentAnswer{data: v, parsed: true}, true
			}
			if ok && closed {
				texts := []string{strings.TrimSpace(before), strings.TrimSpace(a.text), strings.TrimSpace(after)}
				a.text = strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), "\n\n")
				return a, true
			}
		}
		at = next
	}
	return agentAnswer{}, false
}

// documentOf parses an answer that is one JSON document.
func documentOf(raw []byte) (a agentAnswer, ok bool) {
	if !isObject(raw) {
		return a, false
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return a, false
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return a, false
		}
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			return a, false
		}
		var text string
		isText := json.Unmarshal(v, &text) == nil
		switch key := fmt.Sprint(name); {
		case string(v) == "null":
			ok = ok || slices.Contains([]string{"summary", "data", "sql", "query"}, key)
		case isText && a.text == "" && (key == "summary" || key == "text"):
			a.text, ok = text, true
		case isText && a.sql == "" && (key == "sql" || key == "query"):
			a.sql, ok = text, true
		case key == "data" && a.data == nil:
			a.data, ok = v, true
			if inner := []byte(text); isText && (isList(inner) || isObject(inner)) && json.Valid(inner) {
				a.data = inner
			}
		default:
			a.rest = append(a.rest, namedJSON{key, v})
		}
	}
	if _, err := dec.Token(); err != nil || dec.More() {
		return a, false
	}
	a.parsed = ok
	return a, ok
}

// unfenced returns the content of a fenced code block, if that is the whole text.
func unfenced(content string) string {
	text := strings.TrimSpace(content)
	inner, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text
	}
	inner, ok = strings.CutSuffix(inner, "```")
	if kind, body, cut := strings.Cut(inner, "\n"); ok && cut &&
		(kind == "" || strings.EqualFold(strings.TrimSpace(kind), "json")) {
		return strings.TrimSpace(body)
	}
	return text
}

// rowsOf builds a result from the rows of an answer: objects, lists with separate column names, or cells with names. It
// returns nil for any other form.
func rowsOf(data json.RawMessage) []byte {
	var doc struct {
		Columns []json.RawMessage `json:"columns"`
		Rows    []json.RawMessage `json:"rows"`
		Data    []json.RawMessage `json:"data"`
	}
	switch {
	case isObject(data):
		if json.Unmarshal(data, &doc) != nil {
			return nil
		}
	case !isList(data) || json.Unmarshal(data, &doc.Rows) != nil:
		return nil
	}
	rows := doc.Rows
	if rows == nil {
		rows = doc.Data
	}
	if len(rows) == 0 {
		return nil
	}
	objects := isObject(rows[0])
	for _, r := range rows {
		if isObject(r) != objects || !objects && !isList(r) {
			return nil
		}
	}
	names := []json.RawMessage{}
	for _, c := range doc.Columns {
		var named struct {
			Name       json.RawMessage `json:"name"`
			ColumnName json.RawMessage `json:"columnName"`
		}
		switch err := json.Unmarshal(c, &named); {
		case err == nil && named.ColumnName != nil:
			c = named.ColumnName
		case err == nil && named.Name != nil:
			c = named.Name
		}
		names = append(names, c)
	}
	if objects && len(names) == 0 {
		names = keysIn(rows)
	}
	out := map[string]any{"data": rows}
	if len(names) > 0 {
		columns := make([]map[string]json.RawMessage, len(names))
		for i, n := range names {
			columns[i] = map[string]json.RawMessage{"columnName": n}
		}
		out["columns"] = columns
	}
	raw, err := api.Marshal(out)
	if err != nil {
		return nil
	}
	return raw
}

// keysIn returns the member names of all rows, in order of appearance.
func keysIn(rows []json.RawMessage) (names []json.RawMessage) {
	seen := map[string]bool{}
	for _, r := range rows {
		dec := json.NewDecoder(bytes.NewReader(r))
		_, _ = dec.Token()
		for dec.More() {
			key, err := dec.Token()
			var skip json.RawMessage
			if err != nil || dec.Decode(&skip) != nil {
				return names
			}
			if s := fmt.Sprint(key); !seen[s] {
				seen[s] = true
				raw, err := api.Marshal(s)
				if err != nil {
					return names
				}
				names = append(names, raw)
			}
		}
	}
	return names
}

// empty reports whether the answer has no content.
func (a agentAnswer) empty() bool {
	return strings.TrimSpace(a.text) == "" && a.data == nil && a.sql == "" && len(a.rest) == 0
}

// writeAnswer prints an answer in readable form: its text, its rows as a table, its statement. Control characters are
// removed.
func writeAnswer(e *cli.Env, w io.Writer, a agentAnswer) error {
	var parts [][]byte
	if text := strings.TrimSpace(a.text); text != "" {
		parts = append(parts, append(term.SanitizeText(nil, text), '\n'))
	}
	if a.data != nil {
		parts = append(parts, dataText(e, a.data))
	}
	if a.sql != "" && !a.said {
		parts = append(parts, append(term.SanitizeText(nil, "SQL:\n"+indentText(a.sql)), '\n'))
	}
	var rest []byte
	for _, m := range a.rest {
		rest = append(rest, term.Sanitize(nil, m.name+": "+compact(m.value))...)
		rest = append(rest, '\n')
	}
	if rest != nil {
		parts = append(parts, rest)
	}
	_, err := w.Write(bytes.Join(parts, []byte("\n")))
	return err
}

func indentText(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}

// dataText formats the rows of an answer as a table; data without rows is returned as received.
func dataText(e *cli.Env, data json.RawMessage) []byte {
	o := output.Options{Format: output.Table, Width: e.Width, Notes: io.Discard, NoHeader: e.Run.Flags.NoHeader,
		Null: e.Run.Flags.Null}
	if doc := rowsOf(data); doc != nil {
		var buf bytes.Buffer
		o.MaxRows = -1
		rows := api.NewRows(io.NopCloser(bytes.NewReader(doc)), "")
		if _, err := output.WriteRows(&buf, rows, o); err == nil {
			return buf.Bytes()
		}
	}
	var buf bytes.Buffer
	if err := output.WriteDoc(&buf, data, o); err != nil || buf.Len() == 0 {
		return append(term.SanitizeText(nil, compact(data)), '\n')
	}
	return buf.Bytes()
}

// sqlHint is the command that runs a statement of the agent after a review.
func sqlHint(e *cli.Env, sql string) string {
	if sql = strings.TrimSpace(sql); strings.Contains(sql, "\n") || len(sql) > 200 {
		return "hint: the SQL is for review; save it to a file and run it with `" + e.Name + " query execute -f FILE`"
	}
	return string(term.Sanitize(nil, "hint: the SQL is for review; run it with `"+e.Name+" query execute "+
		shell.Quote(sql)+"`"))
}
