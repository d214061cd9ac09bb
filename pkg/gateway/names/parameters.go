package names

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
)

// paramCondition writes one fixed value as SQL: equality, or IN for a list, with date macros worked out at the given moment.
func paramCondition(p api.ParametricTableColumn, now time.Time) (string, error) {
	list, err := ParamLiterals(p, now)
	switch {
	case err != nil:
		return "", err
	case len(list) == 0:
		return sqltext.Quote(p.Key) + " IS NULL", nil
	case bytes.HasPrefix(bytes.TrimSpace(p.Value), []byte("[")):
		return sqltext.Quote(p.Key) + " IN (" + strings.Join(list, ", ") + ")", nil
	}
	return sqltext.Quote(p.Key) + " = " + list[0], nil
}

// ParamLiterals writes the value, or the values of a list, as literals of SQL; none for null.
func ParamLiterals(p api.ParametricTableColumn, now time.Time) ([]string, error) {
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
	out := make([]string, len(values))
	for i, v := range values {
		if s, ok := v.(string); ok {
			m, isMacro, err := api.ResolveMacro(s, now)
			if err != nil {
				return nil, err
			}
			if isMacro {
				v = m.Text
			}
		}
		var err error
		if out[i], err = sqltext.Value(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}
