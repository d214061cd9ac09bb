package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/late"
)

// column is a column of a table: a member of its rows, or a parameter.
type column struct {
	engine.ColumnInfo
	path    []string
	param   *parameter
	sampled int // rows the type was found by, 0 for a declared one
}

// guess narrows the type of a member value by value. Types that would lose something give way to varchar.
type guess struct {
	whole, double, flag, text, nested, long, null int
}

func (g *guess) add(v json.RawMessage) {
	switch v[0] {
	case 'n':
		g.null++
	case '"':
		g.text++
	case '{', '[':
		g.nested++
	case 't', 'f':
		g.flag++
	default:
		switch n, kind := string(v), numberKind(string(v)); kind {
		case "bigint":
			g.whole++
			if i, err := strconv.ParseInt(n, 10, 64); err != nil || i > 1<<53 || i < -1<<53 {
				g.long++ // exact as bigint, not as double
			}
		case "double":
			g.double++
		default:
			g.text++
		}
	}
}

var decimalForm = late.Regexp(`^-?[0-9]{1,60}(\.[0-9]{1,60})?([eE][+-]?[0-9]{1,2})?$`)

// numberKind is the type that keeps a number exactly: bigint, double, or varchar if neither does. A text of 17 digits is a
// double's own.
func numberKind(s string) string {
	if !strings.ContainsAny(s, ".eE") {
		if _, err := strconv.ParseInt(s, 10, 64); err == nil && s != "-0" {
			return "bigint"
		}
		if s != "-0" {
			return "varchar"
		}
	}
	mantissa, _, _ := strings.Cut(strings.ToLower(s), "e")
	digits := strings.Trim(strings.Replace(strings.TrimPrefix(mantissa, "-"), ".", "", 1), "0")
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || len(digits) > 17 || f == 0 && digits != "" || math.IsInf(f, 0) {
		return "varchar"
	}
	return "double"
}

func (g *guess) typ() string {
	numbers, all := g.whole+g.double, g.whole+g.double+g.flag+g.text+g.nested
	switch all {
	case 0:
		return "varchar" // only nulls
	case g.nested:
		return "json"
	case g.whole:
		return "bigint"
	case g.flag:
		return "boolean"
	case numbers:
		if g.long == 0 {
			return "double"
		}
	}
	return "varchar"
}

// columns are the declared ones, or those of a sample, and then the parameters.
func (r *rest) columns(ctx context.Context, t *table) ([]column, error) {
	if len(t.Columns) > 0 {
		var out []column
		for _, c := range t.Columns {
			out = append(out, column{ColumnInfo: engine.ColumnInfo{Name: c.Name, Type: c.Type, Nullable: true, Comment: c.Comment}, path: splitPath(c.Path)})
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
		return nil, errors.New("a parameter has no sample value") // refused when the document was read
	}
	var names []string
	guesses := map[string]*guess{}
	rows := 0
	err := r.firstRows(ctx, t, vals, t.Sample, func(o row) error {
		rows++
		for _, k := range o.keys {
			g := guesses[k]
			if g == nil {
				g = &guess{}
				guesses[k] = g
				names = append(names, k)
			}
			g.add(o.members[k])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if rows == 0 {
		return nil, errors.New("the source has no rows to learn the columns from; give them as columns")
	}
	var out []column
	for _, n := range names {
		typ, fixed := t.Types[n]
		count := 0
		if !fixed {
			typ, count = guesses[n].typ(), rows
		}
		out = append(out, column{ColumnInfo: engine.ColumnInfo{Name: n, Type: typ, Nullable: true}, path: []string{n}, sampled: count})
	}
	for n := range t.Types {
		if guesses[n] == nil {
			out = append(out, column{ColumnInfo: engine.ColumnInfo{Name: n, Type: t.Types[n], Nullable: true}, path: []string{n}})
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
			return nil, fmt.Errorf("the rows have the members %q and %q, which SQL cannot tell apart; give columns", other, c.Name)
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
			comment = "required: the table answers only with a condition on it"
		}
		cols = append(cols, column{ColumnInfo: engine.ColumnInfo{Name: name, Type: p.Type, Nullable: true, Comment: comment}, param: p})
	}
	return cols, nil
}

// cellOf gives a raw value in the form of engine.Batches. What does not fit is an error, never NULL.
func cellOf(v json.RawMessage, c column) (any, error) {
	if v == nil || v[0] == 'n' {
		return nil, nil
	}
	s, isText := string(v), v[0] == '"'
	if isText && c.Type != "json" {
		if err := json.Unmarshal(v, &s); err != nil {
			return nil, err
		}
		if strings.ContainsRune(s, '\uFFFD') && !bytes.ContainsRune(v, '\uFFFD') && !strings.Contains(strings.ToLower(string(v)), `\ufffd`) {
			return nil, errors.New("a text holds half of a surrogate pair, which is no character")
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
		if numberKind(s) != "varchar" {
			if f, err := strconv.ParseFloat(s, 64); err == nil {
				return f, nil
			}
		}
	default: // the engine reads the text, or refuses it
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
		return nil, fmt.Errorf("%s is no %s, which all %d sampled rows had; give the column a type, such as varchar, or enlarge sample", s, c.Type, c.sampled)
	}
	return nil, fmt.Errorf("%s is no %s", s, c.Type)
}
