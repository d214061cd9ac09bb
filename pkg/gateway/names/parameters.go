package names

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// paramFilter is the condition for one fixed value: equality, or membership in a list, with date macros evaluated at
// the given time.
func paramFilter(p api.ParametricTableColumn, now time.Time) (engine.Filter, error) {
	values, err := ParamValues(p, now)
	if err != nil {
		return engine.Filter{}, err
	}
	f := engine.Filter{Column: p.Key, Op: "=", Values: values}
	switch {
	case len(values) == 0:
		f.Op = "is null"
	case bytes.HasPrefix(bytes.TrimSpace(p.Value), []byte("[")):
		f.Op = "in"
	}
	return f, nil
}

// ParamValues returns the value, or the values of a list, in the form of sql.Rows; none for null.
func ParamValues(p api.ParametricTableColumn, now time.Time) ([]any, error) {
	dec := json.NewDecoder(bytes.NewReader(p.Value))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, errors.New("a value is required")
	}
	var values []any
	switch x := v.(type) {
	case nil:
		return nil, nil
	case []any:
		if values = x; len(x) == 0 {
			return nil, errors.New("a list of values must not be empty")
		}
	default:
		values = []any{v}
	}
	for i, v := range values {
		if s, ok := v.(string); ok {
			m, isMacro, err := api.ResolveMacro(s, now)
			if err != nil {
				return nil, err
			}
			if isMacro {
				values[i] = m.Text
			}
		}
		if _, err := sqltext.Value(values[i]); err != nil { // not a scalar
			return nil, err
		}
	}
	return values, nil
}
