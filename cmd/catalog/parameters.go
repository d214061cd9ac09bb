package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
)

// Some types of catalogs require parameters that no operation lists: google_ads requires the secrets of its connection
// again, and the error for a catalog without them names the fields [L].

// parameterFlags set parameters without exposing secret ones.
type parameterFlags struct {
	file   string
	fields []string
}

// check rejects secrets on the command line and more than one use of standard input, before anything is sent.
func (f parameterFlags) check() error {
	if f.file != "" && f.file != "-" && !strings.HasPrefix(f.file, "@") {
		return exitcode.Usagef("--extra: these parameters may hold secrets, which do not belong on the command line").
			WithHint("give --extra @FILE or --extra - for standard input")
	}
	stdin := 0
	if f.file == "-" {
		stdin++
	}
	for _, kv := range f.fields {
		name, value, ok := strings.Cut(kv, "=")
		switch {
		case !ok || name == "": // the argument is not repeated: it may be a secret without its name
			return exitcode.Usagef("--parameter: one of the values is not of the form FIELD=VALUE")
		case value == "-":
			stdin++
		case !strings.HasPrefix(value, "@") && (secret.Named(name) || secret.Address(value)):
			return exitcode.Usagef("--parameter: field %s is a secret, and a secret on the command line can be seen "+
				"by other users and stays in the shell's history", name).
				WithHint("give --parameter %s=@FILE, or --parameter %s=- to read it from standard input", name, name)
		}
	}
	if stdin > 1 {
		return exitcode.Usagef("standard input can be read only once: use - for one of --extra and --parameter")
	}
	return nil
}

// into adds the parameters to a request.
func (f parameterFlags) into(e *cli.Env, req *api.CatalogRequest) error {
	if f.file != "" {
		if err := e.BodyOf("--extra", f.file, &req.ExtraParameters); err != nil {
			return err
		}
	}
	for _, kv := range f.fields {
		name, arg, _ := strings.Cut(kv, "=")
		text, err := e.TextValue("--parameter "+name, arg)
		if err != nil {
			return err
		}
		setParameter(req, name, text)
	}
	return nil
}

func setParameter(req *api.CatalogRequest, name, text string) {
	if req.ExtraParameters == nil {
		req.ExtraParameters = map[string]any{}
	}
	req.ExtraParameters[name] = text
}

// askParameters prompts on the terminal for the parameters that the error names. Elsewhere, and for parameters that
// were already given, it returns the error with a hint on how to give them.
func askParameters(e *cli.Env, req *api.CatalogRequest, err error) error {
	missing := missingParameters(err)
	missing = slices.DeleteFunc(missing, func(name string) bool { _, given := req.ExtraParameters[name]; return given })
	if len(missing) == 0 {
		return err
	}
	if !e.InTerm || !e.ErrTerm {
		f := cli.Classify(context.Background(), err)
		args := make([]string, len(missing))
		for i, name := range missing {
			args[i] = "--parameter " + name + "=" + map[bool]string{true: "@FILE", false: "VALUE"}[secret.Named(name)]
		}
		f.Hint = "give " + strings.Join(args, " ")
		return &f
	}
	fmt.Fprintf(e.Err, "the gateway requires %s for this type of catalog\n", strings.Join(missing, ", "))
	for _, name := range missing {
		for req.ExtraParameters[name] == nil {
			fmt.Fprintf(e.Err, "%s: ", name)
			text, err := e.Ask().Answer(secret.Named(name))
			if err != nil {
				return err
			}
			if text != "" {
				setParameter(req, name, text)
			}
		}
	}
	return nil
}

var (
	fieldName   = late.Regexp(`^[A-Za-z][A-Za-z0-9_]*[A-Za-z0-9]$`)
	wantsFields = late.Regexp(`(?i)\b(missing|required|must (?:be|not be)|extra ?parameters?)\b`)
	bracketed   = late.Regexp(`[\[({]([^\])}]+)[\])}]`)
	separators  = late.Regexp(`\s*(?:,|;|\band\b)\s*`)
)

// missingParameters extracts the names of fields from the error for a catalog: from a list in the body, else from the
// message, after its colon or in brackets. It returns none if the error has another form.
func missingParameters(err error) []string {
	var ae *api.Error
	if !errors.As(err, &ae) || ae.Status != 400 {
		return nil
	}
	var body map[string]json.RawMessage
	if json.Unmarshal(ae.Raw, &body) == nil {
		for _, key := range []string{"missingFields", "missing", "requiredFields", "fields",
			"extraParameters", "errors"} {
			var names []string
			if json.Unmarshal(body[key], &names) == nil {
				if names = onlyNames(names); len(names) > 0 {
					return names
				}
			}
		}
	}
	if !wantsFields().MatchString(ae.Message) {
		return nil
	}
	candidates := []string{}
	for _, m := range bracketed().FindAllStringSubmatch(ae.Message, -1) {
		candidates = append(candidates, m[1])
	}
	if at := strings.LastIndexByte(ae.Message, ':'); at >= 0 {
		candidates = append(candidates, ae.Message[at+1:])
	}
	for _, text := range candidates {
		if names := onlyNames(separators().Split(strings.TrimRight(strings.TrimSpace(text), "."), -1)); len(names) > 0 {
			return names
		}
	}
	return nil
}

// onlyNames returns nil unless all elements are names of fields.
func onlyNames(texts []string) []string {
	var out []string
	for _, t := range texts {
		t = strings.Trim(strings.TrimSpace(t), `"'`+"`")
		if !fieldName().MatchString(t) {
			return nil
		}
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
