package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
)

// The samples under testdata/samples are written from the facts about the service, not from this package's types:
// NAME.json is a reply, NAME.request.json a body; further forms of the same operation are NAME.FORM.json and
// NAME.FORM.request.json. In each, every documented field occurs at least once.
const samplesDir = "testdata/samples"

// samples lists the sample files of an operation: replies or request bodies.
func samples(t *testing.T, op spec.Op, request bool) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(samplesDir, op.ID+"*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, path := range all {
		name := filepath.Base(path)
		if strings.HasPrefix(name, op.ID+".") && strings.HasSuffix(name, ".request.json") == request {
			out = append(out, path)
		}
	}
	return out
}

// answering answers every request with one body and keeps what was asked.
type answering struct {
	answer       []byte
	method, path string
}

func (a *answering) RoundTrip(req *http.Request) (*http.Response, error) {
	a.method, a.path = req.Method, req.URL.EscapedPath()
	if req.Body != nil {
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return nil, err
		}
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(a.answer)), Request: req}, nil
}

// method is a client method and the operation it runs.
type method struct {
	name string
	call reflect.Value
}

// methods finds the client method of each operation by calling every method and looking at what it asks for.
func methods(t *testing.T, cl *api.Client, tr *answering) map[string]method {
	t.Helper()
	found := map[string]method{}
	services := reflect.ValueOf(cl.Services)
	for i := range services.NumField() {
		service := services.Field(i)
		for n := range service.NumMethod() {
			m := method{services.Type().Field(i).Name + "." + service.Type().Method(n).Name, service.Method(n)}
			*tr = answering{}
			m.run(context.Background())
			if tr.method == "" {
				continue // it needs more than made-up arguments, so it is a helper over operations
			}
			op, ok := operationOf(tr.method, tr.path)
			if !ok {
				t.Fatalf("%s asks for %s %s, which is no operation", m.name, tr.method, tr.path)
			}
			if other, twice := found[op.ID]; twice {
				t.Fatalf("%s and %s both run %s", other.name, m.name, op.ID)
			}
			found[op.ID] = m
		}
	}
	return found
}

// run calls the method with made-up arguments and returns its result (invalid when it has none) and its error.
func (m method) run(ctx context.Context) (reflect.Value, error) {
	typ := m.call.Type()
	args := make([]reflect.Value, typ.NumIn())
	for i := range args {
		in := typ.In(i)
		switch {
		case in == reflect.TypeFor[context.Context]():
			args[i] = reflect.ValueOf(ctx)
		case in == reflect.TypeFor[api.Format]():
			args[i] = reflect.ValueOf(api.CellTyped)
		case in.Kind() == reflect.String:
			args[i] = reflect.ValueOf(fmt.Sprintf("made-up-%d", i)).Convert(in)
		case in == reflect.TypeFor[api.ExecuteRequest]():
			args[i] = reflect.ValueOf(api.ExecuteByStatement{Statement: "SELECT 1"})
		case in == reflect.TypeFor[io.Reader]():
			args[i] = reflect.ValueOf(strings.NewReader("a\n"))
		default:
			args[i] = reflect.New(in).Elem()
		}
	}
	out := m.call.Call(args)
	err, _ := out[len(out)-1].Interface().(error)
	if len(out) == 1 {
		return reflect.Value{}, err
	}
	return out[0], err
}

// body is the type of the method's JSON body, nil for none.
func (m method) body() reflect.Type {
	typ := m.call.Type()
	for i := range typ.NumIn() {
		switch in := typ.In(i); {
		case in == reflect.TypeFor[url.Values](), in == reflect.TypeFor[io.Reader]():
		case in == reflect.TypeFor[api.ExecuteRequest](), in.Kind() == reflect.Struct,
			in.Kind() == reflect.Slice && in.Elem().Kind() == reflect.Struct:
			return in
		}
	}
	return nil
}

// operationOf finds the operation of a request: of those whose template fits, the one with the most literal segments.
func operationOf(verb, path string) (best spec.Op, ok bool) {
	most := -1
	for _, op := range spec.All() {
		ts, ps := strings.Split(op.Path, "/"), strings.Split(path, "/")
		if op.Method != verb || len(ts) != len(ps) {
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

// TestReplySamples sends each reply sample through the operation's client method: the type it returns must know every
// field, and what it read must marshal to the same JSON, so that no documented field is lost or changed.
func TestReplySamples(t *testing.T) {
	tr := &answering{}
	cl, err := api.New(api.Options{BaseURL: "http://gateway.test", Transport: tr})
	if err != nil {
		t.Fatal(err)
	}
	all := methods(t, cl, tr)
	n := 0
	for _, op := range spec.All() {
		m, ok := all[op.ID]
		if !ok {
			t.Errorf("%s has no client method", op.ID)
			continue
		}
		for _, path := range samples(t, op, false) {
			n++
			t.Run(filepath.Base(path), func(t *testing.T) {
				raw, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if op.ID == spec.ExecuteQuery.ID {
					checkRows(t, path, raw)
					return
				}
				tr.answer = raw
				kept := &api.Capture{Op: op}
				got, err := m.run(api.WithCapture(context.Background(), kept))
				if err != nil {
					t.Fatal(err)
				}
				if !got.IsValid() { // a method that returns an error alone: the reply has nothing to lose
					if d, err := difference([]byte("{}"), raw); err != nil || d != "" {
						t.Fatalf("%s returns nothing, but the reply holds %s (%v)", m.name, raw, err)
					}
					return
				}
				if err := decodeStrict(kept.Raw, reflect.New(got.Type()).Interface()); err != nil {
					t.Fatalf("%s: %v", got.Type(), err)
				}
				again, err := api.Marshal(got.Interface())
				if err != nil {
					t.Fatal(err)
				}
				if string(kept.Raw) == "{}" {
					return // documented as an object of whatever members: the type is what the local gateway answers
				}
				if d, err := difference(kept.Raw, again); err != nil || d != "" {
					t.Errorf("%s: %s (%v)", got.Type(), d, err)
				}
			})
		}
	}
	t.Logf("%d reply samples", n)
}

// checkRows reads a result of SQL by the streaming reader and compares columns and cells with the document.
func checkRows(t *testing.T, path string, raw []byte) {
	format, form := api.CellTyped, strings.Split(filepath.Base(path), ".")[1]
	switch form {
	case "simple":
		format = api.Simple
	case "compact":
		format = api.Compact
	}
	var want struct {
		Columns []api.ResultColumn `json:"columns"`
		Data    []json.RawMessage  `json:"data"`
	}
	if err := decodeStrict(raw, &want); err != nil {
		t.Fatal(err)
	}
	rows := api.NewRows(io.NopCloser(bytes.NewReader(raw)), format)
	n := 0
	for ; rows.Next(); n++ {
		for i, cell := range rows.Row() {
			var value any
			var err error
			switch format {
			case api.CellTyped:
				var cells []map[string]any
				err = json.Unmarshal(want.Data[n], &cells)
				value = cells[i]["value"]
			case api.Simple:
				var obj map[string]any
				err = json.Unmarshal(want.Data[n], &obj)
				value = obj[want.Columns[i].Name]
			default:
				var list []any
				err = json.Unmarshal(want.Data[n], &list)
				value = list[i]
			}
			if err != nil {
				t.Fatal(err)
			}
			var got any
			if err := json.Unmarshal(cell, &got); err != nil || got != value {
				t.Errorf("row %d column %d: %v, want %v (%v)", n, i, got, value, err)
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	columns, err := rows.Columns()
	if err != nil || len(columns) != len(want.Columns) {
		t.Fatalf("columns %v (%v), want %v", columns, err, want.Columns)
	}
	for i, c := range columns {
		c.DisplayName, c.DataType = "", "" // of the cells, not of the columns
		if c != want.Columns[i] {
			t.Errorf("column %d: %+v, want %+v", i, c, want.Columns[i])
		}
	}
	if n != len(want.Data) || n == 0 {
		t.Errorf("%d rows, want %d", n, len(want.Data))
	}
}

// TestRequestSamples decodes each body sample strictly into the type that the operation's client method takes, and
// back.
func TestRequestSamples(t *testing.T) {
	tr := &answering{}
	cl, err := api.New(api.Options{BaseURL: "http://gateway.test", Transport: tr})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for id, m := range methods(t, cl, tr) {
		op, _ := spec.Find(id)
		body, paths := m.body(), samples(t, op, true)
		if (body != nil) != (len(paths) > 0) {
			t.Errorf("%s: body type %v, %d body samples", id, body, len(paths))
		}
		for _, path := range paths {
			n++
			t.Run(filepath.Base(path), func(t *testing.T) {
				raw, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				types := []reflect.Type{body}
				if body == reflect.TypeFor[api.ExecuteRequest]() {
					types = []reflect.Type{reflect.TypeFor[api.ExecuteByBuilder](), reflect.TypeFor[api.ExecuteByID](),
						reflect.TypeFor[api.ExecuteByName](), reflect.TypeFor[api.ExecuteByStatement]()}
				}
				var problems []string
				fits := 0
				for _, typ := range types {
					v := reflect.New(typ)
					if err := decodeStrict(raw, v.Interface()); err != nil {
						problems = append(problems, fmt.Sprintf("%s: %v", typ, err))
						continue
					}
					again, err := api.Marshal(v.Elem().Interface())
					if err != nil {
						t.Fatal(err)
					}
					if d, err := difference(raw, again); err != nil || d != "" {
						problems = append(problems, fmt.Sprintf("%s: %s (%v)", typ, d, err))
						continue
					}
					fits++
				}
				if fits != 1 {
					t.Errorf("fits %d types: %s", fits, strings.Join(problems, "; "))
				}
			})
		}
	}
	t.Logf("%d body samples", n)
}

// TestSamplesNameOperations keeps stray files out.
func TestSamplesNameOperations(t *testing.T) {
	files, err := os.ReadDir(samplesDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		id, _, _ := strings.Cut(f.Name(), ".")
		if _, ok := spec.Find(id); !ok {
			t.Errorf("%s belongs to no operation", f.Name())
		}
	}
}
