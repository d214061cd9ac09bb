package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// endpoint is a table open for reading.
type endpoint struct {
	r    *rest
	t    *table
	cols []column
}

func (e *endpoint) Columns(context.Context) ([]engine.ColumnInfo, error) {
	return connector.Infos(e.cols), nil
}

const maxCalls = 1000 // maximum number of combinations of parameter values in one scan

// Scan reads the endpoint once for each combination of the values that the conditions give its parameters. Other
// conditions, and thus the limit, are left to the engine.
func (e *endpoint) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	want := make([]column, len(req.Columns))
	for i, name := range req.Columns {
		c, err := connector.Column(e.t.Name, e.cols, name)
		if err != nil {
			return nil, err
		}
		want[i] = c
	}
	calls, err := e.calls(req.Filters)
	if err != nil {
		return nil, err
	}
	limit := req.Limit
	for _, f := range req.Filters {
		if !strings.HasPrefix(f.Column, paramPrefix) || f.Op != "=" && f.Op != "in" || !slices.ContainsFunc(e.cols,
			func(c column) bool { return c.param != nil && c.Name == f.Column }) {
			limit = -1 // the engine will filter the rows
		}
	}
	return connector.Pushed(ctx, func(ctx context.Context, push func([]any) error) error {
		return e.push(ctx, want, calls, limit, push)
	}), nil
}

// calls returns the values of the parameters, one set for each request of the endpoint.
func (e *endpoint) calls(filters []engine.Filter) ([]values, error) {
	calls := []values{{}}
	for i := range e.t.Parameters {
		p := &e.t.Parameters[i]
		vals, err := e.valuesOf(p, filters)
		if err != nil {
			return nil, err
		}
		if vals == nil {
			if p.Required {
				return nil, &engine.Error{Kind: engine.KindBinding, Message: fmt.Sprintf(
					"table %s.%s needs a value for its parameter %s%s (%s): add a condition such as %s%s = %s to WHERE",
					e.t.Schema, e.t.Name, paramPrefix, p.Name, p.Type, paramPrefix, p.Name,
					map[string]string{"varchar": "'...'", "bigint": "1", "boolean": "true"}[p.Type])}
			}
			continue
		}
		var next []values
		for _, c := range calls {
			for _, v := range vals {
				next = append(next, c.with(p, v))
			}
		}
		if calls = next; len(calls) > maxCalls {
			return nil, fmt.Errorf("table %s: the conditions require more than %d combinations of parameters",
				e.t.Name, maxCalls)
		}
	}
	return calls, nil
}

// valuesOf finds the values that a parameter must have, nil for none.
func (e *endpoint) valuesOf(p *parameter, filters []engine.Filter) ([]any, error) {
	var vals []any
	for _, f := range filters {
		if p.Column != "" {
			// A list is left to the engine: the source may return a row for two of its values.
			if strings.EqualFold(f.Column, p.Column) && f.Op == "=" && len(f.Values) == 1 && e.sendable(f.Column) {
				return f.Values, nil
			}
			continue
		}
		if f.Column != paramPrefix+p.Name {
			continue
		}
		switch f.Op {
		case "=", "in":
			var list []any
			for _, v := range f.Values {
				if !slices.Contains(list, v) && (vals == nil || slices.Contains(vals, v)) {
					list = append(list, v)
				}
			}
			if vals = list; vals == nil {
				vals = []any{}
			}
		case "is null", "is not null":
		default:
			return nil, &engine.Error{Kind: engine.KindUnsupported,
				Message: fmt.Sprintf("%s is a parameter of table %s.%s, which supports only = and IN, not %s", f.Column,
					e.t.Schema, e.t.Name, f.Op)}
		}
	}
	return vals, nil
}

// sendable reports whether the values of a column have a unique text form.
func (e *endpoint) sendable(name string) bool {
	return slices.ContainsFunc(e.cols, func(c column) bool {
		return c.Name == name && slices.Contains([]string{"varchar", "bigint", "integer", "smallint", "boolean"},
			c.Type)
	})
}

// values holds the values of the parameters of one request.
type values map[*parameter]any

func (v values) with(p *parameter, x any) values {
	out := values{p: x}
	for k, y := range v {
		out[k] = y
	}
	return out
}

func textOf(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case int64:
		return strconv.FormatInt(x, 10)
	}
	return fmt.Sprint(v)
}

// sampleValues returns the values used to look up the columns; false if a required parameter has none.
func (t *table) sampleValues() (values, bool) {
	out := values{}
	for i := range t.Parameters {
		p := &t.Parameters[i]
		if p.Required {
			if p.Sample == "" {
				return nil, false
			}
			out[p] = p.Sample
		}
	}
	return out, true
}

// firstRows reads up to n rows of the first pages.
func (r *rest) firstRows(ctx context.Context, t *table, vals values, n int, yield func(row) error) error {
	rows, pages := 0, 0
	err := r.read(ctx, t, vals, func(raw json.RawMessage) error {
		o, err := parseRow(raw)
		if err == nil {
			err = yield(o)
		}
		if rows++; err == nil && rows >= n {
			err = errStop
		}
		return err
	}, func() error {
		if pages++; pages >= samplePages {
			return errStop
		}
		return nil
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return err
}

// push passes the rows of all calls to the function push; it does not wait for the end of a page.
func (e *endpoint) push(ctx context.Context, want []column, calls []values, limit int64, push func([]any) error) error {
	left := limit
	for _, vals := range calls {
		if left == 0 {
			break
		}
		n := 0
		err := e.r.read(ctx, e.t, vals, func(raw json.RawMessage) error {
			n++
			cells, err := e.row(raw, want, vals)
			if err != nil {
				return fmt.Errorf("row %d: %w", n, err)
			}
			if err := push(cells); err != nil {
				return err
			}
			if left > 0 {
				if left--; left == 0 {
					return errStop
				}
			}
			return nil
		}, func() error { return nil })
		if err != nil && !errors.Is(err, errStop) {
			if ctx.Err() == nil {
				err = fmt.Errorf("table %s: %w", e.t.Name, err)
			}
			return err
		}
	}
	return nil
}

func (e *endpoint) row(raw json.RawMessage, want []column, vals values) ([]any, error) {
	o, err := parseRow(raw)
	if err != nil {
		return nil, err
	}
	out := make([]any, len(want))
	for i, c := range want {
		if c.param != nil {
			out[i] = vals[c.param]
			continue
		}
		v, err := o.at(c.path)
		if err == nil {
			out[i], err = cellOf(v, c)
		}
		if err != nil {
			return nil, engine.Content(fmt.Errorf("column %q: %w", c.Name, err))
		}
	}
	return out, nil
}
