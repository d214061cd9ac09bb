package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/connector"
)

// optionFields are the options of reading as fields of a credential.
func optionFields() (fields []connector.Field) {
	for _, o := range rowfile.All() {
		if o.Field == "-" {
			continue
		}
		f := connector.Field{Name: o.In(rowfile.ByField), Kind: "text", Description: "Reading: " + o.Help}
		switch o.Kind {
		case rowfile.Number:
			f.Kind = "number"
		case rowfile.Switch:
			f.Kind = "boolean"
		case rowfile.List:
			f.JSON = true
			f.Description += " (a text, or several as a list of JSON)"
		}
		fields = append(fields, f)
	}
	return fields
}

// optionsOf returns the options of a credential. They concern the files whose format has them.
func optionsOf(c connector.Credential) (o rowfile.Options, err error) {
	o.Way, o.Anyhow = rowfile.ByField, true
	for _, opt := range rowfile.All() {
		name := opt.In(rowfile.ByField)
		var values []string
		switch v := c[name].(type) {
		case nil:
		case string:
			values = []string{v}
			if opt.Kind == rowfile.List && len(v) > 0 && v[0] == '[' {
				if json.Unmarshal([]byte(v), &values) != nil {
					return o, fmt.Errorf("credential field %q is not a list of texts", name)
				}
			}
		case float64:
			values = []string{strconv.FormatFloat(v, 'f', -1, 64)}
		case bool:
			values = []string{strconv.FormatBool(v)}
		}
		for _, v := range values {
			err = errors.Join(err, o.Set(name, v))
		}
	}
	return o, errors.Join(err, o.Check())
}
