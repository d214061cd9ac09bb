package connection

import (
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/api"
)

// checkCredential compares a credential with the fields of its type: names are converted to the gateway's spelling,
// unknown fields and missing required ones are usage errors. A type without known fields is not checked.
func checkCredential(config api.ConnectionConfiguration, cred map[string]any) error {
	if len(config.Configuration) == 0 || len(cred) == 0 {
		return nil
	}
	names := make([]string, len(config.Configuration))
	for i, item := range config.Configuration {
		names[i] = item.FieldName
	}
	for _, given := range slices.Sorted(maps.Keys(cred)) {
		if slices.Contains(names, given) {
			continue
		}
		i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, given) })
		if i < 0 {
			f := exitcode.Usagef("a credential of type %s has no field %q; its fields are %s", config.ConnectionType,
				given, strings.Join(names, ", "))
			if near := nearest.Of(given, names); near != "" {
				f.Hint = "did you mean " + near + "?"
			}
			return f
		}
		if _, twice := cred[names[i]]; twice {
			return exitcode.Usagef("the credential has the field %s twice, also as %s", names[i], given)
		}
		cred[names[i]] = cred[given]
		delete(cred, given)
	}
	var missing []string
	for _, item := range config.Configuration {
		if v, ok := cred[item.FieldName]; item.Required && (!ok || v == nil || v == "") {
			missing = append(missing, item.FieldName)
		}
	}
	if missing != nil {
		f := exitcode.Usagef("the credential lacks %s, which type %s requires", strings.Join(missing, ", "),
			config.ConnectionType)
		if slices.ContainsFunc(missing, secret.Named) {
			f.Hint = "--credential FIELD=- reads it from standard input, FIELD=@FILE from a file, and " +
				"--password-env NAME a password from a variable"
		}
		return f
	}
	return nil
}
