package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"
)

// printedSchema is what `dig schema` prints, as far as the tests read it.
type printedSchema struct {
	Command string `json:"command"`
	Flags   []struct{ Name, Type string }
	Result  json.RawMessage `json:"result"`
	Others  struct {
		Error, Note, DryRun, Explain json.RawMessage
	} `json:"otherOutputs"`
	Operations []struct{ ID string }
	Commands   []printedSchema
}

func (s *printedSchema) find(command string) *printedSchema {
	if s.Command == command {
		return s
	}
	for i := range s.Commands {
		if found := s.Commands[i].find(command); found != nil {
			return found
		}
	}
	return nil
}

func (s *printedSchema) each(f func(*printedSchema)) {
	f(s)
	for i := range s.Commands {
		s.Commands[i].each(f)
	}
}

// ownSchema runs `dig schema`.
func ownSchema(t *testing.T, env map[string]string) *printedSchema {
	t.Helper()
	code, out, errs := runDig(t, env, "schema")
	if code != 0 || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var s printedSchema
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

func compileSchema(t *testing.T, name string, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	url := "mem:///" + strings.ReplaceAll(name, " ", "-") + ".json"
	if err := c.AddResource(url, doc); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s, err := c.Compile(url)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, raw)
	}
	return s
}

// fits validates each of the JSON documents in a text.
func fits(s *jsonschema.Schema, text string) error {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	for {
		var v any
		switch err := dec.Decode(&v); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := s.Validate(v); err != nil {
			return err
		}
	}
}

// TestSchemaOfCommands: every command is in the schema, with its flags, and its result is a valid schema or, for these,
// a text.
func TestSchemaOfCommands(t *testing.T) {
	texts := []string{"agent image", "completion", "gateway serve", "shell", "table sample", "help"}
	s := ownSchema(t, nil)
	root := newRootCmd(&cli.Env{Zone: local(), Name: "dig", Getenv: os.Getenv})
	commands := 0
	s.each(func(p *printedSchema) {
		c, _, err := root.Find(strings.Fields(p.Command))
		if err != nil {
			t.Errorf("%q: %v", p.Command, err)
			return
		}
		for _, f := range p.Flags {
			if c.Flags().Lookup(f.Name) == nil {
				t.Errorf("%s has no flag --%s", p.Command, f.Name)
			}
		}
		if c.HasSubCommands() && string(p.Result) == "null" {
			return
		}
		commands++
		if string(p.Result) == "null" {
			if !slices.Contains(texts, p.Command) {
				t.Errorf("%s has no schema of its result", p.Command)
			}
			return
		}
		compileSchema(t, p.Command, p.Result)
	})
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if path := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "dig"), " "); (c.Runnable() ||
			c.HasSubCommands()) && s.find(path) == nil {
			t.Errorf("no schema of %s", path)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	if commands < 150 {
		t.Errorf("only %d commands", commands)
	}
	_, out, _ := runDig(t, nil, "schema", "query", "create", "--jq", `.flags[] | select(.name == "type") | .values[]`)
	if want := "PLAIN"; !strings.Contains(out, want) {
		t.Errorf("the values of query create --type: %q", out)
	}
}

// asPrinted reads stderr of a run with -o json: lines of notes, and at the end the failure.
func (k *envelopes) asPrinted(what string, code int, errs string) {
	k.t.Helper()
	lines := strings.Split(strings.TrimSuffix(errs, "\n"), "\n")
	for i, line := range lines {
		if line == "" && len(lines) == 1 {
			break
		}
		last := i == len(lines)-1 && code != 0
		if err := fits(k.note, line); err == nil && !last {
			continue
		}
		var doc struct{ Error *exitcode.ErrorJSON }
		if err := fits(k.failure, line); err != nil || json.Unmarshal([]byte(line), &doc) != nil || doc.Error == nil {
			k.t.Errorf("%s: exit %d, stderr is neither a note nor an error: %v\n%s", what, code, err, errs)
			return
		}
		if !last || doc.Error.ExitCode != code || doc.Error.Code == "" || doc.Error.Message == "" ||
			strings.ContainsAny(doc.Error.Code, " _") {
			k.t.Errorf("%s: exit %d, %s", what, code, errs)
		}
	}
	if code != 0 && strings.TrimSpace(errs) == "" {
		k.t.Errorf("%s: exit %d without an error", what, code)
	}
}

type envelopes struct {
	t             *testing.T
	note, failure *jsonschema.Schema
}

// TestResultsFitTheirSchemas runs every command on one of everything with -o json: what it prints is what `dig schema`
// says, and a failure is an error of the one form.
func TestResultsFitTheirSchemas(t *testing.T) {
	if !local().Available {
		t.Skip("zone local needs cgo")
	}
	w := newTellWorld(t)
	s := ownSchema(t, w.env)
	k := &envelopes{t, compileSchema(t, "note", s.Others.Note), compileSchema(t, "error", s.Others.Error)}
	tells, explains := compileSchema(t, "dry run", s.Others.DryRun), compileSchema(t, "explain", s.Others.Explain)
	spare := filepath.Join(t.TempDir(), "spare")
	if err := os.CopyFS(spare, os.DirFS(w.dir)); err != nil {
		t.Fatal(err)
	}
	compiled := map[string]*jsonschema.Schema{}
	done, was, told := map[string]bool{}, w.tree(), 0
	for _, l := range readTellLines(w.vars) {
		args := asJSON(l.args)
		if args == nil || slices.Contains([]string{"shell", "gateway serve", "config edit"},
			strings.Join(l.args[:min(2, len(l.args))], " ")) || l.args[0] == "shell" || len(l.args) > 1 &&
			l.args[1] == "serve" {
			continue
		}
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "~", " ")
		}
		if slices.Contains(args, "delete") && slices.Contains(args, "--yes") && (args[0] == "connection" ||
			args[0] == "catalog") {
			args = append(args, "--confirm", args[2])
		}
		c, _ := commandOf(t, l.args)
		line := strings.Join(args, " ")
		path := strings.TrimPrefix(c.CommandPath(), "dig ")
		p := s.find(path)
		if p == nil {
			t.Errorf("no schema of %s", path)
			continue
		}
		if cli.Changing(c) && told < 12 { // TestTellingChangesNothing looks at all
			for flag, schema := range map[string]*jsonschema.Schema{"--dry-run": tells, "--explain": explains} {
				code, out, errs := w.run(append(slices.Clone(args), flag)...)
				if strings.Contains(errs, "nothing was sent") {
					told++
					if err := fits(schema, out); err != nil {
						t.Errorf("%s %s: %v\n%s", line, flag, err, out)
					}
				}
				k.asPrinted(line+" "+flag, code, errs)
			}
		}
		code, out, errs := w.run(args...)
		compares := code == 1 && errs == "" || code == 1 && slices.Contains([]string{"plan", "diff"}, args[0])
		if !compares {
			k.asPrinted(line, code, errs)
		}
		switch {
		case string(p.Result) == "null" || out == "":
			if code == 0 && string(p.Result) != "null" && !slices.Contains(args, "--out") && !slices.Contains(args,
				"--out-dir") && !slices.Contains(args, "--all") {
				t.Errorf("%s prints nothing", line)
			}
		default:
			if compiled[path] == nil {
				compiled[path] = compileSchema(t, path, p.Result)
			}
			if err := fits(compiled[path], out); err != nil {
				t.Errorf("%s: %v\n%.600s", line, err, out)
			}
			if name := c.Name(); code == 0 && (name == "list" || name == "tree") && !strings.HasPrefix(out, "[") {
				t.Errorf("%s prints no array: %.100s", line, out)
			}
			done[path] = done[path] || code == 0
		}
		if is := w.tree(); len(changes(was, is)) > 0 {
			if err := os.RemoveAll(w.dir); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(w.dir, os.DirFS(spare)); err != nil {
				t.Fatal(err)
			}
			was = w.tree()
		}
	}
	if len(done) < 120 || told < 12 {
		t.Errorf("only %d commands printed a result, and %d told what they would do", len(done), told)
	}
}

// withoutYes is a line that has to be confirmed.
func withoutYes(args []string) []string {
	if !slices.Contains(args, "--yes") {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--yes" })
}

// TestErrorsHaveOneForm runs every command into failures of every kind with -o json.
func TestErrorsHaveOneForm(t *testing.T) {
	if !local().Available {
		t.Skip("zone local needs cgo")
	}
	w := newTellWorld(t)
	s := ownSchema(t, w.env)
	k := &envelopes{t, compileSchema(t, "note", s.Others.Note), compileSchema(t, "error", s.Others.Error)}
	answer := func(status int, body string) string {
		srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(status)
			_, _ = io.WriteString(rw, body)
		}))
		t.Cleanup(srv.Close)
		return srv.URL + "/api/v1"
	}
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.MkdirAll(broken, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"config.yaml": "profiles: [\n", "file": "x"} {
		if err := os.WriteFile(filepath.Join(broken, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	served := func(url string) map[string]string {
		return map[string]string{"DIG_BASE_URL": url, "DIG_API_KEY": testKey, "DIG_PROJECT": "AbCd1234",
			"DIG_ZONE": "us", "DIG_TIMEOUT": "5s"}
	}
	gone, stop := context.WithCancel(context.Background())
	stop()
	kinds := []struct {
		name string
		args func(line []string) []string
		env  map[string]string
		ctx  context.Context
	}{
		{name: "unknown flag before -o", args: func(l []string) []string {
			return append([]string{"--no-such-flag"},
				l...)
		}},
		{name: "unknown flag", args: func(l []string) []string { return append(slices.Clone(l), "--no-such-flag") }},
		{name: "bad value", args: func(l []string) []string { return append([]string{"--retries", "x"}, l...) }},
		{name: "bad color", args: func(l []string) []string { return append(slices.Clone(l), "--color", "x") }},
		{name: "too many arguments", args: func(l []string) []string {
			return append(slices.Clone(l),
				strings.Fields("a b c d e f g h")...)
		}},
		{name: "unknown profile", args: func(l []string) []string {
			return append(slices.Clone(l),
				"--profile", "none")
		}},
		{name: "unreachable", env: served("http://127.0.0.1:1/api/v1")},
		{name: "no key", env: map[string]string{"DIG_ZONE": "eu", "DIG_PROJECT": "AbCd1234"}},
		{name: "401", env: served(answer(401, `{"errorCode":1,"message":"no"}`))},
		{name: "500", env: served(answer(500, `oops`))},
		{name: "empty", env: served(answer(200, ``))},
		{name: "truncated", env: served(answer(200, `{"columns":[{"a":`))},
		{name: "wrong type", env: served(answer(200, `"text"`))},
		{name: "broken settings", env: map[string]string{"DIG_CONFIG_DIR": broken}},
		{name: "data is a file", env: map[string]string{"DIG_DATA_DIR": filepath.Join(broken, "file")}},
		{name: "not confirmed", args: withoutYes},
		{name: "interrupted", ctx: gone},
	}
	for _, kind := range kinds {
		failed := 0
		for _, l := range readTellLines(w.vars) {
			if l.args[0] == "shell" || len(l.args) > 1 && l.args[1] == "serve" || slices.Contains(l.args, "auth") &&
				kind.name != "unknown flag" || slices.Contains(l.args, "--out") {
				continue
			}
			args := asJSON(l.args)
			if args == nil {
				continue
			}
			if kind.args != nil {
				if args = kind.args(args); args == nil {
					continue
				}
			}
			if kind.env["DIG_BASE_URL"] != "" {
				args = append(args, "--retries", "0")
				if l.args[0] == "export" && l.args[1] == "wait" {
					args = append(args, "--wait-timeout", "1s")
				}
			}
			env := map[string]string{"DIG_STATE_DIR": t.TempDir(), "DIG_CACHE_DIR": t.TempDir(), "EDITOR": "false"}
			for _, from := range []map[string]string{w.env, kind.env} {
				for name, v := range from {
					if _, set := env[name]; !set || from["DIG_BASE_URL"] != "" {
						env[name] = v
					}
				}
			}
			for name, v := range kind.env {
				env[name] = v
			}
			var o, x bytes.Buffer
			ctx := kind.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			code := Run(ctx, &cli.Env{Zone: local(), Name: "dig", Args: args, In: strings.NewReader(""), Out: &o,
				Err: &x,
				Dir: w.env["W"], Now: time.Now, Getenv: environ(t, env)})
			what := fmt.Sprintf("%s: %s", kind.name, strings.Join(args, " "))
			if code == 1 && slices.Contains([]string{"plan", "diff"}, args[0]) || code == 1 && x.Len() == 0 {
				continue // different
			}
			k.asPrinted(what, code, x.String())
			if code != 0 {
				failed++
			}
		}
		if failed < 5 {
			t.Errorf("%s: only %d lines failed", kind.name, failed)
		}
	}
}
