package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/spf13/cobra"
)

// credentialFlags are the ways to give a credential without showing it.
type credentialFlags struct {
	file   string
	fields []string
}

func (f *credentialFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.file, "credential-file", "", "file with the credential as a JSON object, - for stdin")
	c.Flags().StringArrayVar(&f.fields, "credential", nil, "one field: FIELD=@FILE, FIELD=- for stdin, or FIELD=VALUE if it is no secret; may be repeated")
}

func (f credentialFlags) given() bool { return f.file != "" || len(f.fields) > 0 }

// check refuses secrets on the command line and more than one reader of standard input, before anything is sent.
func (f credentialFlags) check() error {
	stdin := 0
	if f.file == "-" {
		stdin++
	}
	for _, kv := range f.fields {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			// The argument is not repeated: it may be a secret without its name.
			return usagef("--credential: one of the values is not of the form FIELD=VALUE")
		}
		switch {
		case value == "-":
			stdin++
		case strings.HasPrefix(value, "@"):
		case secretField(name), urlWithPassword(value):
			return refuseSecret("--credential", name)
		}
	}
	if stdin > 1 {
		return usagef("standard input can be read once: only one of --credential-file and --credential may be -")
	}
	return nil
}

func refuseSecret(flag, name string) error {
	return usagef("%s: field %s is a secret, and a secret on the command line can be seen by other users and stays in the shell's history", flag, name).
		withHint("give --credential %s=@FILE, --credential %s=- to read it from standard input, or --credential-file", name, name)
}

// nameWord finds the words of a name such as githubPat, PAT_file or pem.
var nameWord = late.Regexp(`[A-Z]+[0-9]*(?:[^A-Za-z]|$)|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*`)

// hideCredential has all values of a credential masked that may not be printed.
func (e *Env) hideCredential(cred api.Credential) {
	for name, v := range cred {
		if text, ok := v.(string); ok && (secretField(name) || !openFields[strings.ToLower(name)] || urlWithPassword(text)) {
			e.run.mask.Hide(text)
		}
	}
}

// secretField guesses from its name whether a field of a credential is a secret; the service does not say.
func secretField(name string) bool {
	n := strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(name))
	for _, w := range []string{"pass", "pwd", "secret", "token", "key", "credential", "private", "auth", "signature", "certificate",
		"connectionstring", "connectionurl", "connectionuri", "connstr", "serviceaccount", "cookie", "bearer", "kubeconfig"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	for _, w := range nameWord().FindAllString(name, -1) { // shorter ones are parts of other words, as pat is of path
		switch strings.ToLower(strings.Trim(w, "_-. ")) {
		case "pat", "pem", "jwt", "dsn", "sas", "pin", "otp", "mfa", "sid", "session", "p12", "pfx", "pkcs12", "jks", "hmac", "salt", "seed", "hash":
			return true
		}
	}
	return false
}

func urlWithPassword(v string) bool {
	_, rest, ok := strings.Cut(v, "://")
	host, _, _ := strings.Cut(rest, "/")
	user, _, at := strings.Cut(host, "@")
	return ok && at && strings.Contains(user, ":")
}

// readCredential fills a credential: the file first, then single fields, then, if neither was given, questions on the terminal.
func (e *Env) readCredential(f credentialFlags, config api.ConnectionConfiguration, into *api.Credential) error {
	if *into == nil {
		*into = api.Credential{}
	}
	cred := *into
	defer e.hideCredential(cred)
	if !f.given() {
		return e.askCredential(config, cred)
	}
	if f.file != "" {
		raw, err := e.readFile("--credential-file", f.file)
		if err != nil {
			return err
		}
		var all map[string]any
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		if err := dec.Decode(&all); err != nil {
			return usagef("--credential-file: not a JSON object") // the decoder's message would quote the content
		}
		for k, v := range all {
			cred[k] = v
		}
	}
	for _, kv := range f.fields {
		name, arg, _ := strings.Cut(kv, "=")
		raw, err := e.value("--credential "+name, arg)
		if err != nil {
			return err
		}
		text := string(raw)
		if arg == "-" || strings.HasPrefix(arg, "@") {
			text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
		}
		if err := setField(config, cred, name, text); err != nil {
			return err
		}
	}
	return nil
}

// setField gives a field the JSON type that the type's configuration asks for.
func setField(config api.ConnectionConfiguration, cred map[string]any, name, text string) error {
	kind := "text"
	for _, item := range config.Configuration {
		if strings.EqualFold(item.FieldName, name) {
			name, kind = item.FieldName, item.FieldType
		}
	}
	switch kind {
	case "number":
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return usagef("credential field %s must be a number", name)
		}
		cred[name] = json.Number(text)
	case "boolean":
		b, err := strconv.ParseBool(text)
		if err != nil {
			return usagef("credential field %s must be true or false", name)
		}
		cred[name] = b
	default:
		cred[name] = text
	}
	return nil
}

// askCredential asks for every field of a type; what is typed into secret ones is not shown.
func (e *Env) askCredential(config api.ConnectionConfiguration, cred map[string]any) error {
	if len(config.Configuration) == 0 {
		return usagef("the gateway does not say which fields the credential has").withHint("give --credential-file")
	}
	for _, item := range config.Configuration {
		for {
			label := item.FieldName
			if item.Description != "" {
				label += " (" + item.Description + ")"
			}
			if !item.Required {
				label += " [optional]"
			}
			fmt.Fprintf(e.Err, "%s: ", label)
			text, err := e.answer(secretField(item.FieldName))
			if err != nil {
				return err
			}
			if text == "" {
				if item.Required {
					fmt.Fprintf(e.Err, "%s is required\n", item.FieldName)
					continue
				}
				break
			}
			if strings.Contains(item.Description, "@FILE") && strings.HasPrefix(text, "@") {
				raw, err := e.readFile(item.FieldName, text[1:])
				if err != nil {
					fmt.Fprintln(e.Err, err)
					continue
				}
				text = string(raw)
			}
			if err := setField(config, cred, item.FieldName, text); err != nil {
				fmt.Fprintln(e.Err, err)
				continue
			}
			break
		}
	}
	return nil
}

// answer reads one line of the terminal. It reads no further, so that the next question gets its own line.
func (e *Env) answer(hidden bool) (string, error) {
	if hidden {
		line, ok, err := e.hidden()
		switch {
		case errors.Is(err, context.Canceled):
			return "", err
		case err != nil:
			return "", usagef("the answer cannot be read: %v", err)
		case ok:
			return line, nil
		}
	}
	var line []byte
	one := make([]byte, 1)
	for {
		n, err := e.In.Read(one)
		if n == 1 && one[0] == '\n' {
			return strings.TrimSuffix(string(line), "\r"), nil
		}
		line = append(line, one[:n]...)
		if errors.Is(err, context.Canceled) {
			return "", err
		}
		if err == io.EOF && len(line) > 0 {
			return string(line), nil
		}
		if err != nil {
			return "", usagef("the answer cannot be read: %v", err)
		}
	}
}
