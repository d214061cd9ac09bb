package cmd

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"testing"
	"weak"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// recorder answers every request with an empty success and keeps what was asked.
type recorder struct {
	method, path, kind string
	query              url.Values
	body               string
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.method, r.path, r.query, r.kind = req.Method, req.URL.EscapedPath(), req.URL.Query(),
		req.Header.Get("Content-Type")
	if req.Body != nil {
		raw, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		r.body = string(raw)
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")),
		Request: req}, nil
}

// operationOf finds the operation of a request: of those whose template fits, the one with the most literal segments.
func operationOf(method, path string) (spec.Op, bool) {
	var best spec.Op
	most := -1
	for _, op := range spec.All() {
		ts, ps := strings.Split(op.Path, "/"), strings.Split(path, "/")
		if op.Method != method || len(ts) != len(ps) {
			continue
		}
		literal := 0
		for i := range ts {
			if strings.HasPrefix(ts[i], "{") {
				continue
			}
			if ts[i] != ps[i] {
				literal = -1
				break
			}
			literal++
		}
		if literal > most {
			best, most = op, literal
		}
	}
	return best, most >= 0
}

// clientMethods calls every method of every service with made-up arguments and says which operation each one runs. It
// checks on the way that path parameters arrive in order and that a body and query parameters are sent where the
// operation has them.
func clientMethods(t *testing.T) map[string][]string {
	found := map[string][]string{}
	rec := &recorder{}
	cl, err := api.New(api.Options{BaseURL: "http://gateway.test", Transport: rec})
	if err != nil {
		t.Fatal(err)
	}
	services := reflect.ValueOf(cl.Services)
	for i := range services.NumField() {
		service := services.Field(i)
		for m := range service.NumMethod() {
			name := services.Type().Field(i).Name + "." + service.Type().Method(m).Name
			args, strs, values, body := arguments(service.Method(m).Type())
			*rec = recorder{}
			service.Method(m).Call(args)
			if rec.method == "" && name == "Exports.Open" {
				continue // follows a signed link that a job answered, which is no operation, and refuses a made-up one
			}
			if rec.method == "" {
				t.Errorf("%s sent no request", name)
				continue
			}
			op, ok := operationOf(rec.method, rec.path)
			if !ok {
				t.Errorf("%s calls %s %s, which is no operation", name, rec.method, rec.path)
				continue
			}
			found[op.ID] = append(found[op.ID], name)
			want := op.Path
			for n, p := range op.Params() {
				want = strings.Replace(want, "{"+p+"}", strs[n], 1)
			}
			if rec.path != want {
				t.Errorf("%s sends its parameters as %s, want %s", name, rec.path, want)
			}
			if body != (rec.body != "") {
				t.Errorf("%s: body argument %v, body sent %q", name, body, rec.body)
			}
			for n, s := range strs[len(op.Params()):] { // the rest are query parameters
				if n < len(op.Query) && rec.query.Get(op.Query[n]) != s && op.ID != spec.ImportCsv.ID {
					t.Errorf("%s: query parameter %s is %q, want %q", name, op.Query[n], rec.query.Get(op.Query[n]), s)
				}
			}
			if values && rec.query.Get("made") != "up" {
				t.Errorf("%s drops its query parameters", name)
			}
		}
	}
	return found
}

func arguments(typ reflect.Type) (args []reflect.Value, strs []string, values, body bool) {
	for i := range typ.NumIn() {
		in := typ.In(i)
		switch {
		case in == reflect.TypeFor[context.Context]():
			args = append(args, reflect.ValueOf(context.Background()))
		case in == reflect.TypeFor[api.Format]():
			args = append(args, reflect.ValueOf(api.Compact))
			strs = append(strs, string(api.Compact))
		case in.Kind() == reflect.String:
			strs = append(strs, fmt.Sprintf("made-up-%d", len(strs)))
			args = append(args, reflect.ValueOf(strs[len(strs)-1]).Convert(in))
		case in == reflect.TypeFor[url.Values]():
			args, values = append(args, reflect.ValueOf(url.Values{"made": {"up"}})), true
		case in == reflect.TypeFor[api.ExecuteRequest]():
			args, body = append(args, reflect.ValueOf(api.ExecuteByStatement{Statement: "SELECT 1"})), true
		case in == reflect.TypeFor[io.Reader]():
			args, body = append(args, reflect.ValueOf(strings.NewReader("a,b\n"))), true
		default:
			args, body = append(args, reflect.New(in).Elem()), true
		}
	}
	return args, strs, values, body
}

// commandOperations lists which commands name which operation.
func commandOperations() map[string][]string {
	found := map[string][]string{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, id := range strings.Fields(c.Annotations[cli.OpAnnotation]) {
			found[id] = append(found[id], c.CommandPath())
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRootCmd(&cli.Env{Zone: local(), Name: "dig", Getenv: os.Getenv}))
	return found
}

// TestEveryOperation holds the client, the commands and the local gateway against the specification: each operation has
// exactly one client method, at least one command unless it is deprecated, and exactly one route. TestScriptsTCP adds
// that a script calls it.
func TestEveryOperation(t *testing.T) {
	if !local().Available {
		t.Skip("routes need the local engine, which this build has not")
	}
	methods, commands := clientMethods(t), commandOperations()
	g, err := gateway.Open(gateway.Options{Dir: t.TempDir(), OpenEngine: duckdb.Open})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	routes := map[string]bool{}
	for id := range g.Web.Routes {
		routes[id] = true
	}
	var have struct{ client, command, route int }
	for _, op := range spec.All() {
		if n := len(methods[op.ID]); n != 1 {
			t.Errorf("%s: %d client methods %v, want 1", op.ID, n, methods[op.ID])
		} else {
			have.client++
		}
		switch {
		case op.Deprecated: // its successor has a command, and `api` sends it
		case len(commands[op.ID]) == 0:
			t.Errorf("%s: no command", op.ID)
		default:
			have.command++
		}
		if !routes[op.ID] {
			t.Errorf("%s: no route", op.ID)
		} else {
			have.route++
		}
	}
	t.Logf("operations %d: client %d, command %d, route %d", len(spec.All()), have.client, have.command, have.route)
}

// TestEveryCommand asks of each command what a reader of its help needs.
func TestEveryCommand(t *testing.T) {
	known := map[string]bool{}
	for _, op := range append(spec.All(), spec.Local()...) {
		known[op.ID] = true
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		path := c.CommandPath()
		if c.Short == "" {
			t.Errorf("%s: no short description", path)
		}
		if !c.HasSubCommands() && c.Runnable() && c.Example == "" && c.Name() != "help" && c.Name() != "exit-codes" {
			t.Errorf("%s: no example", path)
		}
		for _, id := range strings.Fields(c.Annotations[cli.OpAnnotation]) {
			if !known[id] {
				t.Errorf("%s names an unknown operation %s", path, id)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRootCmd(&cli.Env{Zone: local(), Name: "dig", Getenv: os.Getenv}))
}

// TestCompletionsAreCurrent compares the scripts in the repository with what the program writes.
func TestCompletionsAreCurrent(t *testing.T) {
	dir := t.TempDir()
	if err := writeCompletions((&cli.Env{Zone: local(), Name: "dig", Getenv: os.Getenv}), dir); err != nil {
		t.Fatal(err)
	}
	made, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(made)
	for _, path := range made {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("../completions", filepath.Base(path)))
		if err != nil || string(got) != string(want) {
			t.Errorf("completions/%s is not current (%v): run make generate", filepath.Base(path), err)
		}
	}
}

// TestCommandTreeIsNotKept: a run that completes nothing leaves nothing behind in its process, such as what cobra keeps
// for completions.
func TestCommandTreeIsNotKept(t *testing.T) {
	root := weak.Make(newRootCmd(&cli.Env{Zone: local(), Name: "dig", Args: []string{"version"}, Getenv: os.Getenv}))
	for range 100 {
		if runtime.GC(); root.Value() == nil {
			return
		}
	}
	t.Error("the tree of commands is still held")
}

// TestEveryShape: what lists or shows a noun has a form for people, and prints ids alone. The others say why not.
func TestEveryShape(t *testing.T) {
	without := map[string]string{
		"dig agent thread get":      "messages of a conversation",
		"dig driver list":           "a text for each kind of driver",
		"dig metadata status":       "two fields",
		"dig metadata callback get": "one field",
		"dig config get":            "a value",
		"dig config list":           "values by their paths",
		"dig history show":          "the whole record",
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		switch c.Name() {
		case "list", "get", "show", "status":
			_, excused := without[c.CommandPath()]
			if !c.HasSubCommands() && (c.Flags().ShorthandLookup("q") == nil) != excused {
				t.Errorf("%s: --quiet and a shape: %v, excused: %v", c.CommandPath(), !excused, excused)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRootCmd(&cli.Env{Zone: local(), Name: "dig", Getenv: os.Getenv}))
}
