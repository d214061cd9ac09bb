// Package api holds the command that sends any request of the API.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/outcome"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// apiFlags are the flags of `api`, named as gh names them.
type apiFlags struct {
	typed, raw, headers []string
	input               string
	include, paginate   bool
	openapi             bool
}

func New(e *cli.Env) *cobra.Command {
	var f apiFlags
	c := &cobra.Command{
		Use: "api METHOD PATH", Short: "Send any request to the gateway", Args: cobra.MaximumNArgs(2),
		Long: `Send any request to the gateway and print its answer.

PATH is relative to the base address. {project}, {organization} and {workspace} (also {projectId}, ...)
are filled in from the context. METHOD may be omitted: it is GET, or POST if there are fields.
-f adds a string field to the JSON body, -F one whose value is a number, true, false, null or @FILE;
with GET and DELETE fields become query parameters.

--openapi prints the OpenAPI document of all operations instead, without any request; a served
gateway has it at /openapi.json.`,
		Example: strings.ReplaceAll(`  dig api /info
  dig api GET /data/projects/{project}/queries
  dig api POST /data/projects/{project}/queries/execute -f statement="SELECT 1"
  dig api PUT /data/projects/{project}/cache/ID --input settings.json
  dig api --openapi --jq '.paths | keys'`, "dig ", e.Name+" "),
	}
	fs := c.Flags()
	fs.StringArrayVarP(&f.typed, "field", "F", nil, "KEY=VALUE, where VALUE is JSON-like or @FILE; repeat")
	fs.StringArrayVarP(&f.raw, "raw-field", "f", nil, "KEY=VALUE, a string; repeat")
	fs.StringVar(&f.input, "input", "", "send this file as the body, - for stdin")
	fs.StringArrayVarP(&f.headers, "header", "H", nil, "KEY:VALUE; repeat")
	fs.BoolVarP(&f.include, "include", "i", false, "print the status line and headers too")
	fs.BoolVar(&f.paginate, "paginate", false, "follow offset and createdBefore pages of lists, and print one list")
	fs.BoolVar(&f.openapi, "openapi", false, "print the OpenAPI document of all operations, and send nothing")
	cli.Prints[any](e, c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := f.checkArgs(c, args); err != nil {
			return err
		}
		o, err := e.OutputOptions()
		if err != nil {
			return err
		}
		if e.Run.Settings.Output.From == "default" || o.Format == "" {
			o.Format = output.JSON
		}
		if f.openapi {
			return e.Print(cli.View{}, api.OpenAPI(), o)
		}
		cl, err := e.Client()
		if err != nil {
			return err
		}
		return callAPI(c.Context(), e, cl, &f, args, o)
	}
	return c
}

// checkArgs rejects a request without a path, and --openapi combined with request arguments.
func (f *apiFlags) checkArgs(c *cobra.Command, args []string) error {
	if !f.openapi {
		return cobra.RangeArgs(1, 2)(c, args)
	}
	if len(args) > 0 || len(f.typed)+len(f.raw)+len(f.headers) > 0 || f.input != "" || f.include || f.paginate {
		return exitcode.Usagef("--openapi cannot be used with a path or request flags")
	}
	return nil
}

// apiRequest is the request described by the arguments and flags.
type apiRequest struct {
	method, path string
	query        url.Values
	header       http.Header
	body         any
}

// requestOf parses the arguments and flags.
func requestOf(ctx context.Context, e *cli.Env, cl *api.Client, f *apiFlags, args []string) (r apiRequest, err error) {
	fields, err := apiFields(e, f)
	if err != nil {
		return r, err
	}
	method, path := http.MethodGet, args[0]
	if len(args) == 2 {
		method, path = strings.ToUpper(args[0]), args[1]
	} else if len(fields) > 0 || f.input != "" {
		method = http.MethodPost
	}
	switch method {
	case "GET", "POST", "PUT", "PATCH", "DELETE":
	default:
		return r, exitcode.Usagef("method %q is not one of GET, POST, PUT, PATCH, DELETE", method)
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	path, rawQuery, _ := strings.Cut(path, "?")
	if r.query, err = url.ParseQuery(rawQuery); err != nil {
		return r, exitcode.Usagef("query of %q: %v", args[len(args)-1], err)
	}
	if path, err = fillPath(ctx, e, cl, path); err != nil {
		return r, err
	}
	r.header = http.Header{}
	for _, h := range f.headers {
		k, v, err := parseHeader(h)
		if err != nil {
			return r, err
		}
		r.header.Add(k, v)
	}
	switch {
	case f.input != "" && len(fields) > 0:
		return r, exitcode.Usagef("--input and fields are mutually exclusive")
	case f.input != "":
		raw, err := e.ReadFile("--input", f.input)
		if err != nil {
			return r, err
		}
		r.body = raw
	case len(fields) > 0 && (method == "GET" || method == "DELETE"):
		for _, kv := range fields {
			r.query.Add(kv.key, queryText(kv.value))
		}
	case len(fields) > 0:
		obj := map[string]any{}
		for _, kv := range fields {
			obj[kv.key] = kv.value
		}
		r.body = obj
	}
	if f.paginate && method != "GET" {
		return r, exitcode.Usagef("--paginate requires GET")
	}
	if f.paginate && f.include {
		return r, exitcode.Usagef("--include shows the header of one reply, --paginate requests several")
	}
	r.method, r.path = method, path
	return r, nil
}

func callAPI(ctx context.Context, e *cli.Env, cl *api.Client, f *apiFlags, args []string,
	o output.Options) (err error) {
	ctx, end := outcome.Await(ctx)
	defer func() { end(err) }()
	r, err := requestOf(ctx, e, cl, f, args)
	if err != nil {
		return err
	}
	if f.paginate {
		raw, err := paginate(cli.ShownByExplain(ctx), cl, r.path, r.query, r.header)
		if err != nil {
			return err
		}
		return e.Print(cli.View{}, raw, o)
	}
	if r.method != http.MethodGet {
		defer e.ForgetVerdicts()
	}
	if op, ok := spec.Of(r.method, r.path); ok {
		if err := e.MayCall(ctx, op); err != nil {
			return err
		}
	}
	ctx, cancel := cl.Bounded(ctx)
	defer cancel()
	rep, err := cl.Do(cli.ShownByExplain(ctx), r.method, r.path, r.query, r.header, r.body)
	if err != nil {
		return err
	}
	defer rep.Body.Close()
	out := e.OnScreen()
	if f.include {
		writeHeader(out, rep, e.Run.Mask.Masked)
	}
	if rep.Status < 200 || rep.Status > 299 {
		ae := api.ReadError(r.method, cl.BaseURL()+r.path, rep)
		if len(ae.Raw) > 0 {
			fmt.Fprintf(out, "%s\n", strings.TrimRight(e.Run.Mask.Masked(string(ae.Raw)), "\n"))
		}
		return ae
	}
	if kind := rep.Header.Get("Content-Type"); !strings.Contains(kind, "json") && kind != "" {
		w, commit, abort, err := e.Writer()
		if err != nil {
			return err
		}
		if prose(kind) && (e.Run.Flags.Out == "" || e.Run.Flags.Out == "-") {
			masked := e.Run.Mask.Writer(w)
			if _, err = io.Copy(masked, rep.Body); err == nil {
				err = masked.Flush()
			}
		} else {
			_, err = io.Copy(w, rep.Body)
		}
		if err != nil {
			abort()
			return err
		}
		return commit()
	}
	raw, err := rep.ReadAll()
	if err != nil {
		return tooLarge(err)
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		return nil
	}
	if !json.Valid(raw) {
		return cl.Truncated(r.method, r.path, raw)
	}
	return e.Print(cli.View{}, raw, o)
}

// prose reports whether a content type is that of text without fields, in which secrets are masked by text.
func prose(kind string) bool {
	return strings.HasPrefix(kind, "text/plain") || strings.HasPrefix(kind, "text/html")
}

// writeHeader writes the status and the header of a reply, and a blank line.
func writeHeader(w io.Writer, rep *api.Reply, masked func(string) string) {
	fmt.Fprintf(w, "HTTP %d %s\n", rep.Status, http.StatusText(rep.Status))
	for _, k := range slices.Sorted(maps.Keys(rep.Header)) {
		fmt.Fprintf(w, "%s: %s\n", k, masked(strings.Join(rep.Header[k], ", ")))
	}
	fmt.Fprintln(w)
}

var headerName = late.Regexp("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// parseHeader parses KEY:VALUE. Headers that set the destination or the credentials of a request are rejected. No error
// contains the value, which may be a secret.
func parseHeader(h string) (key, value string, err error) {
	k, v, ok := strings.Cut(h, ":")
	k, v = strings.TrimSpace(k), strings.TrimSpace(v)
	switch {
	case !ok:
		return "", "", exitcode.Usagef("-H: a header has the form KEY:VALUE")
	case strings.EqualFold(k, "Authorization"):
		return "", "", exitcode.Usagef("-H: Authorization is set from the profile or DIG_API_KEY")
	case strings.EqualFold(k, "Host"):
		return "", "", exitcode.Usagef("-H %s: the host is set from the base address", k)
	case !headerName().MatchString(k):
		return "", "", exitcode.Usagef("-H: %q is not a valid header name", k)
	case strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return "", "", exitcode.Usagef("-H %s: the value contains a control character", k)
	}
	return k, v, nil
}

// tooLarge adds a hint to the error for a reply that does not fit in memory.
func tooLarge(err error) error {
	if !errors.Is(err, api.ErrTooLarge) {
		return err
	}
	return &exitcode.Failure{Exit: exitcode.Failed, Code: "too-large", Msg: err.Error(),
		Hint: "`dig query execute` and `dig export` support results of any size", Err: err}
}

// fillPath replaces {project}, {organization} and {workspace}.
func fillPath(ctx context.Context, e *cli.Env, cl *api.Client, path string) (string, error) {
	t := e.Target()
	for _, p := range []struct {
		names []string
		value func() (string, error)
	}{
		{[]string{"{project}", "{projectId}"}, func() (string, error) { return t.ProjectID(ctx, cl) }},
		{[]string{"{organization}", "{organizationId}", "{org}"}, func() (string, error) { return t.OrgID(ctx, cl) }},
		{[]string{"{workspace}", "{workspaceId}"}, func() (string, error) {
			_, w, err := t.OrgAndWorkspace(ctx, cl)
			return w, err
		}},
	} {
		for _, n := range p.names {
			if !strings.Contains(path, n) {
				continue
			}
			v, err := p.value()
			if err != nil {
				return "", err
			}
			path = strings.ReplaceAll(path, n, url.PathEscape(v))
		}
	}
	if i := strings.IndexByte(path, '{'); i >= 0 {
		return "", exitcode.Usagef("there is no value for %s", path[i:])
	}
	return path, nil
}

// queryText returns a field as text: a JSON string without its quotes, everything else as written.
func queryText(v any) string {
	raw, ok := v.(json.RawMessage)
	if !ok {
		return fmt.Sprint(v)
	}
	var text string
	if raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(bytes.TrimSpace(raw))
}

type field struct {
	key   string
	value any
}

func apiFields(e *cli.Env, f *apiFlags) ([]field, error) {
	var out []field
	for _, kv := range f.raw {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || k == "" {
			return nil, exitcode.Usagef("-f %q is not KEY=VALUE", kv)
		}
		out = append(out, field{k, v})
	}
	for _, kv := range f.typed {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || k == "" {
			return nil, exitcode.Usagef("-F %q is not KEY=VALUE", kv)
		}
		raw, err := e.Value("-F "+k, v)
		if err != nil {
			return nil, err
		}
		var typed any
		if json.Valid(raw) {
			typed = json.RawMessage(bytes.TrimSpace(raw))
		} else {
			typed = string(raw)
		}
		out = append(out, field{k, typed})
	}
	return out, nil
}
