package connection

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/spf13/cobra"
)

// credentialFlags are the ways to give a credential without exposing it.
type credentialFlags struct {
	file        string
	fields      []string
	passwordEnv string
}

func (f *credentialFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.file, "credential-file", "", "file with the credential as a JSON object, - for stdin")
	c.Flags().StringArrayVar(&f.fields, "credential", nil,
		"one field: FIELD=@FILE, FIELD=- for stdin, or FIELD=VALUE if it is not a secret; may be repeated")
	c.Flags().StringVar(&f.passwordEnv, "password-env", "", "variable of the environment with the password")
}

func (f credentialFlags) given() bool {
	return f.file != "" || len(f.fields) > 0 || f.passwordEnv != ""
}

// check rejects secrets on the command line and more than one use of standard input, before anything is sent.
func (f credentialFlags) check(e *cli.Env) error {
	if f.passwordEnv != "" && e.Getenv(f.passwordEnv) == "" {
		return exitcode.Usagef("--password-env: the variable %s is not set, or empty", f.passwordEnv)
	}
	stdin := 0
	if f.file == "-" {
		stdin++
	}
	for _, kv := range f.fields {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			// The argument is not repeated: it may be a secret without its name.
			return exitcode.Usagef("--credential: one of the values is not of the form FIELD=VALUE")
		}
		switch {
		case value == "-":
			stdin++
		case strings.HasPrefix(value, "@"):
		case secret.Named(name), secret.Address(value):
			return refuseSecret("--credential", name)
		}
	}
	if stdin > 1 {
		return exitcode.Usagef("standard input can be read only once: use - for one of --credential-file and " +
			"--credential")
	}
	return nil
}

func refuseSecret(flag, name string) error {
	return exitcode.Usagef("%s: field %s is a secret, and a secret on the command line can be seen by other users and "+
		"stays in the shell's history", flag, name).
		WithHint("give --credential %s=@FILE, --credential %s=- to read it from standard input, or --credential-file",
			name, name)
}

// hideCredential masks all values of a credential that must not be printed.
func hideCredential(e *cli.Env, cred api.Credential) {
	for name, v := range cred {
		if text, ok := v.(string); ok && (secret.Named(name) || !secret.OpenField(name) || secret.Address(text)) {
			e.Run.Mask.Hide(text)
		}
	}
}

// readCredential fills a credential: from the file first, then from single fields, then, if neither was given, by
// prompts on the terminal.
func readCredential(e *cli.Env, f credentialFlags, config api.ConnectionConfiguration, into *api.Credential) error {
	if *into == nil {
		*into = api.Credential{}
	}
	cred := *into
	defer hideCredential(e, cred)
	if !f.given() {
		return askCredential(e, config, cred)
	}
	if f.file != "" {
		raw, err := e.ReadFile("--credential-file", f.file)
		if err != nil {
			return err
		}
		if !utf8.Valid(raw) {
			return exitcode.Usagef("--credential-file: not text in UTF-8") // its other bytes would be replaced
		}
		var all map[string]any
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		if err := dec.Decode(&all); err != nil {
			return exitcode.Usagef("--credential-file: not a JSON object") // the decoder would quote the content
		}
		for k, v := range all {
			cred[k] = v
		}
	}
	for _, kv := range f.fields {
		name, arg, _ := strings.Cut(kv, "=")
		text, err := e.TextValue("--credential "+name, arg)
		if err != nil {
			return err
		}
		if err := setField(config, cred, name, text); err != nil {
			return err
		}
	}
	if f.passwordEnv != "" {
		return setField(config, cred, "password", e.Getenv(f.passwordEnv))
	}
	return nil
}

// setField gives a field the JSON type that the configuration of the connection type specifies.
func setField(config api.ConnectionConfiguration, cred api.Credential, name, text string) error {
	kind := "text"
	for _, item := range config.Configuration {
		if strings.EqualFold(item.FieldName, name) {
			name, kind = item.FieldName, item.FieldType
		}
	}
	switch kind {
	case "number":
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return exitcode.Usagef("credential field %s must be a number", name)
		}
		cred[name] = json.Number(text)
	case "boolean":
		b, err := strconv.ParseBool(text)
		if err != nil {
			return exitcode.Usagef("credential field %s must be true or false", name)
		}
		cred[name] = b
	default:
		cred[name] = text
	}
	return nil
}

// lacks reports whether a credential has not all fields that its type requires.
func lacks(config api.ConnectionConfiguration, cred api.Credential) bool {
	return slices.ContainsFunc(config.Configuration, func(f api.ConnectionConfigurationItem) bool {
		_, has := cred[f.FieldName]
		return f.Required && !has
	})
}

// askCredential prompts for every field of a type, or for the required ones that an address has not given; secret ones
// are not echoed.
func askCredential(e *cli.Env, config api.ConnectionConfiguration, cred api.Credential) error {
	if len(config.Configuration) == 0 {
		return exitcode.Usagef("the gateway does not report the fields of the credential").
			WithHint("give --credential-file")
	}
	address := len(cred) > 0 // then what it lacks is asked for
	for _, item := range config.Configuration {
		if _, has := cred[item.FieldName]; address && (has || !item.Required) {
			continue
		}
		for {
			label := item.FieldName
			if item.Description != "" {
				label += " (" + item.Description + ")"
			}
			if !item.Required {
				label += " [optional]"
			}
			fmt.Fprintf(e.Err, "%s: ", label)
			text, err := e.Ask().Answer(secret.Named(item.FieldName))
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
				raw, err := e.ReadFile(item.FieldName, text[1:])
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
