package cmd

import (
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/pkg/api"
)

// Closed sets of words that a gateway refuses, or worse takes without a word, when they are misspelt.
var (
	columnTypes   = []string{"VARCHAR", "BIGINT", "BOOLEAN", "DECIMAL", "TIMESTAMP", "TIME", "DATE", "UUID"}
	relationTypes = []string{"MANY_TO_ONE", "ONE_TO_MANY", "ONE_TO_ONE"}
	exportStates  = []string{"PENDING", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"}
)

// word is the one of a closed set that was meant, in the set's spelling; another one is a usage error that names the nearest.
func word(flag, value string, set []string) (string, error) {
	for _, w := range set {
		if strings.EqualFold(w, value) {
			return w, nil
		}
	}
	f := usagef("%s: %q is none of %s", flag, value, strings.Join(set, ", "))
	if near := nearest.Of(value, set); near != "" {
		f.hint = "did you mean " + near + "?"
	}
	return "", f
}

// checkColumnTypes refuses types that no column has, before anything is sent. A definition without a type is left to the caller.
func checkColumnTypes(flag string, defs ...api.ColumnRequest) error {
	for _, d := range defs {
		if d.DataType == "" {
			continue
		}
		if _, err := word(flag, d.DataType, columnTypes); err != nil {
			return err
		}
	}
	return nil
}

// checkCredential compares a credential with the fields of its type: names are brought into the gateway's spelling, unknown ones and
// missing required ones are usage errors. A type whose fields the gateway does not tell is not checked.
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
			f := usagef("a credential of type %s has no field %q; its fields are %s", config.ConnectionType, given, strings.Join(names, ", "))
			if near := nearest.Of(given, names); near != "" {
				f.hint = "did you mean " + near + "?"
			}
			return f
		}
		if _, twice := cred[names[i]]; twice {
			return usagef("the credential has the field %s twice, also as %s", names[i], given)
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
		return usagef("the credential lacks %s, which type %s requires", strings.Join(missing, ", "), config.ConnectionType)
	}
	return nil
}
