package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/late"
)

// column is a column of a table: a member of its rows, or a parameter.
type column struct {
	engine.ColumnInfo
	path    []string
	param   *parameter
	sampled int // number of rows from which the type was inferred, 0 for a declared one
}

// addValue adds the value of a member.
func addValue(c *infer.Column, v json.RawMessage) {
	kind := infer.Field
	switch v[0] {
	case 'n':
		kind = infer.Null
	case '"':
		kind = infer.Opaque
	case '{', '[':
		kind = infer.Nested
	case 't', 'f':
	default:
		c.AddNumber(string(v))
		return
	}
	c.Add(infer.Value{Text: v, Kind: kind}, 0)
}

var decimalForm = late.Regexp(`^-?[0-9]{1,60}(\.[0-9]{1,60})?([eE][+-]?[0-9]{1,2})?$`)

// columns returns the declared columns, or those of a sample, followed by those of the parameters.
func (r *rest) columns(ctx context.Context, t *table) ([]column, error) {
	if len(t.Columns) > 0 {
		var out []column
		for _, c := range t.Columns {
			out = append(out, column{ColumnInfo: engine.ColumnInfo{Name: c.Name, Type: c.Type, Nullable: true,
				Comment: c.Comment}, path: splitPath(c.Path)})
		}
		return t.withParameters(out)
	}
	r.mu.Lock()
	s, ok := r.known[t]
	r.mu.Unlock()
	if ok && r.http.now().Sub(s.at) < sampleAge {
		return s.cols, nil
	}
	cols, err := r.sample(ctx, t)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[t] = sampled{cols, r.http.now()}
	return cols, nil
}

const samplePages = 5

func (r *rest) sample(ctx context.Context, t *table) ([]column, error) {
	vals, ok := t.sampleValues()
	if !ok {
		return nil, errors.New("a parameter has no sample value") // rejected when the document was parsed
	}
	var names []string
	guesses := map[string]*infer.Column{}
	rows := 0
	err := r.firstRows(ctx, t, vals, t.Sample, func(o row) error {
		rows++
		for _, k := range o.keys {
			g := guesses[k]
			if g == nil {
				g = &infer.Column{}
				guesses[k] = g
				names = append(names, k)
			}
			addValue(g, o.members[k])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if rows == 0 {
		return nil, errors.New("the source has no rows to derive the columns from; give them as columns")
	}
	var out []column
	for _, n := range names {
		typ, fixed := t.Types[n]
		count := 0
		if !fixed {
			typ, count = guesses[n].Type(), rows
		}
		out = append(out, column{ColumnInfo: engine.ColumnInfo{Name: n, Type: typ, Nullable: true}, path: []string{n},
			sampled: count})
	}
	for n := range t.Types {
		if guesses[n] == nil {
			out = append(out, column{ColumnInfo: engine.ColumnInfo{Name: n, Type: t.Types[n], Nullable: true},
				path: []string{n}})
		}
	}
	return t.withParameters(out)
}

func (t *table) withParameters(cols []column) ([]column, error) {
	seen := map[string]string{}
	for _, c := range cols {
		if c.Name == "" {
			return nil, errors.New("the rows have a member without a name; give columns")
		}
		if other, twice := seen[strings.ToLower(c.Name)]; twice {
			return nil, fmt.Errorf("the rows have the members %q and %q, which SQL cannot distinguish; give columns",
				other, c.Name)
		}
		seen[strings.ToLower(c.Name)] = c.Name
	}
	for i := range t.Parameters {
		p := &t.Parameters[i]
		if p.Column != "" {
			continue
		}
		name := paramPrefix + p.Name
		if _, twice := seen[strings.ToLower(name)]; twice {
			return nil, fmt.Errorf("the rows have a member %q, the name of a parameter's column; give columns", name)
		}
		comment := p.Comment
		if comment == "" && p.Required {
			comment = "required: queries of the table need a condition on it"
		}
		cols = append(cols, column{ColumnInfo: engine.ColumnInfo{Name: name, Type: p.Type, Nullable: true,
			Comment: comment}, param: p})
	}
	return cols, nil
}

// cellOf converts a raw value to the form of engine.Batches. A value that does not fit is an error, never NULL.
func cellOf(v json.RawMessage, c column) (any, error) {
	if v == nil || v[0] == 'n' {
		return nil, nil
	}
	s, isText := string(v), v[0] == '"'
	if isText && c.Type != "json" {
		if err := json.Unmarshal(v, &s); err != nil {
			return nil, err
		}
		if strings.ContainsRune(s, '\uFFFD') && !bytes.ContainsRune(v, '\uFFFD') &&
			!strings.Contains(strings.ToLower(string(v)), `\ufffd`) {
			return nil, errors.New("a string contains an unpaired surrogate")
		}
	}
	nested := v[0] == '{' || v[0] == '['
	switch c.Type {
	case "varchar", "json":
		if nested {
			var b bytes.Buffer
			if err := json.Compact(&b, v); err != nil {
				return nil, err
			}
			s = b.String()
		}
		return s, nil
	case "boolean":
		if s == "true" || s == "false" {
			return s == "true", nil
		}
	case "bigint", "integer", "smallint":
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n, nil
		}
	case "double":
		if infer.NumberType(s) != "varchar" {
			if f, err := strconv.ParseFloat(s, 64); err == nil {
				return f, nil
			}
		}
	default: // the engine parses the text, or rejects it
		if strings.HasPrefix(c.Type, "decimal") {
			if decimalForm().MatchString(s) {
				return s, nil
			}
		} else if isText {
			return s, nil
		}
	}
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + "..."
	}
	if c.sampled > 0 {
		return nil, fmt.Errorf("%s is not a valid %s, the type of all %d sampled rows; give the column a type, such "+
			"as varchar, or a larger sample", s, c.Type, c.sampled)
	}
	return nil, fmt.Errorf("%s is not a valid %s", s, c.Type)
}
