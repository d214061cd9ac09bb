package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptHosted is `hosted FILE...`: from here on dig calls a server at zone us that gives the answers in the files, the
// words of the hosted service, and writes each request into the file requests. A line of FILE is
//
//	METHOD PATH[~BODY] [STATUS] ANSWER
//
// PATH, below that of the project where it is in one, and BODY are regular expressions without blanks. The first line
// that fits answers; lines of a file with the same method, path and body answer one after the other, and the last one
// from then on. An ANSWER is a text, or ROWS NAME:TYPE... |VALUE,VALUE|..., rows in the format that is asked for (ROWS
// *100 repeats them), or CSV and a document with \n for its line breaks.
func scriptHosted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: hosted FILE...")
	}
	h := &hosted{log: ts.MkAbs("requests")}
	for _, name := range args {
		var rules []*hostedRule
		for line := range strings.Lines(ts.ReadFile(name)) {
			if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			m := hostedLine.FindStringSubmatch(line)
			if m == nil {
				ts.Fatalf("%s: %s", name, line)
			}
			to := hostedAnswer{200, m[5]}
			if m[4] != "" {
				to.status, _ = strconv.Atoi(m[4])
			}
			if i := slices.IndexFunc(rules, func(r *hostedRule) bool { return slices.Equal(r.of, m[1:4]) }); i >= 0 {
				rules[i].answers = append(rules[i].answers, to)
				continue
			}
			path, body := regexp.MustCompile("^"+m[2]+"$"), regexp.MustCompile(m[3])
			rules = append(rules, &hostedRule{m[1:4], path, body, []hostedAnswer{to}})
		}
		h.rules = append(h.rules, rules...)
	}
	ts.Check(os.WriteFile(h.log, nil, 0o600))
	srv := httptest.NewServer(h)
	ts.Defer(srv.Close)
	for name, value := range map[string]string{
		"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_ZONE": "us", "DIG_PROJECT": "AbCd1234",
		"DIG_API_KEY": "abcdEFGH.0123456789abcdefghij0123456789ZZ",
	} {
		ts.Setenv(name, value)
	}
}

var hostedLine = regexp.MustCompile(`^([A-Z]+) ([^ ~]+)(?:~(\S+))?(?: (\d{3}))?(?: (.*))?$`)

type hostedRule struct {
	of         []string // method, path, body
	path, body *regexp.Regexp
	answers    []hostedAnswer
}

type hostedAnswer struct {
	status int
	text   string
}

type hosted struct {
	log   string
	mu    sync.Mutex
	rules []*hostedRule
}

func (h *hosted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	answer := h.find(r, body)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case answer == nil && r.URL.Path == "/api/v1/info": // of a partner key
		_, _ = io.WriteString(w, `{"userId":"7d6f3a52-8c1e-4a53-9a39-1f4a3a1f7f10","email":"ann@example.com"}`)
	case answer == nil:
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(w, `{"timestamp":"2026-08-01T10:00:00.000+00:00","path":%q,"status":404,`+
			`"error":"Not Found","requestId":"1a2b3c4d-5"}`, r.URL.Path)
	default:
		text, isCSV := strings.CutPrefix(answer.text, "CSV ")
		if isCSV {
			w.Header().Set("Content-Type", "text/csv")
			text = strings.ReplaceAll(text, `\n`, "\n")
		}
		w.WriteHeader(answer.status)
		if strings.HasPrefix(text, "ROWS ") {
			_ = json.NewEncoder(w).Encode(hostedRows(text, r.URL.Query().Get("format")))
		} else {
			_, _ = io.WriteString(w, text)
		}
	}
}

// find returns the answer to a request, and notes the request.
func (h *hosted) find(r *http.Request, body []byte) (found *hostedAnswer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f, err := os.OpenFile(h.log, os.O_APPEND|os.O_WRONLY, 0); err == nil {
		fmt.Fprintf(f, "%s %s %s\n", r.Method, r.URL, body)
		f.Close()
	}
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/api/v1"), "/data/projects/AbCd1234")
	for _, rule := range h.rules {
		if rule.of[0] == r.Method && rule.path.MatchString(path) && rule.body.Match(body) {
			found = &rule.answers[0]
			if len(rule.answers) > 1 {
				rule.answers = rule.answers[1:]
			}
			return found
		}
	}
	return nil
}

// hostedRows is a result in a format of the service, in which all values are texts.
func hostedRows(text, format string) map[string]any {
	head, lines, _ := strings.Cut(text, " |")
	fields := strings.Fields(head)[1:]
	times := 1
	if n, ok := strings.CutPrefix(fields[0], "*"); ok {
		times, _ = strconv.Atoi(n)
		fields = fields[1:]
	}
	columns, rows := []any{}, []any{}
	for _, f := range fields {
		name, _, _ := strings.Cut(f, ":")
		column := map[string]any{"catalogName": "", "schemaName": "", "tableName": "", "columnName": name}
		columns = append(columns, column)
	}
	for range times {
		for line := range strings.SplitSeq(lines, "|") {
			var cells, plain []any
			object := map[string]any{}
			values := strings.Split(line, ",")
			for i, f := range fields {
				name, dataType, _ := strings.Cut(f, ":")
				var v any
				if i < len(values) && values[i] != "NULL" {
					v = values[i]
				}
				plain, object[name] = append(plain, v), v
				cell := map[string]any{"name": name, "displayName": name, "dataType": dataType, "order": i, "value": v}
				cells = append(cells, cell)
			}
			switch {
			case lines == "":
			case format == "SIMPLE":
				rows = append(rows, object)
			case format == "COMPACT":
				rows = append(rows, plain)
			default:
				rows = append(rows, cells)
			}
		}
	}
	return map[string]any{"columns": columns, "data": rows}
}

// scriptExits is `exits CODE PROGRAM ARG...`: exec, with the exit code that is expected.
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}
