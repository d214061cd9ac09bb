package answers

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine/wiretext"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
)

func otherColumns(a *witness.Answer, got *Rows) string {
	if len(a.Columns) != len(got.Columns) {
		return fmt.Sprintf("%d columns, not %d", len(got.Columns), len(a.Columns))
	}
	for i, c := range got.Columns {
		if c.Name != a.Columns[i][0] || c.Type.String() != typeText(a.Columns[i][1]) {
			return fmt.Sprintf("column %s %s, not %v", c.Name, c.Type, a.Columns[i])
		}
	}
	return ""
}

// typeText is a type as DESCRIBE writes it.
func typeText(s string) string {
	if t, err := types.Parse(strings.ToLower(s)); err == nil && strings.Contains(s, ",") ||
		strings.Contains(s, "INTERVAL") {
		return t.String()
	}
	return s
}

func otherRows(rows [][]any, got *Rows) string {
	for i, want := range rows {
		if why := otherRow(want, got.Rows[i], got); why != "" {
			return fmt.Sprintf("row %d, %s", i+1, why)
		}
	}
	return ""
}

func otherRow(want, row []any, got *Rows) string {
	for j, w := range want {
		if why := differs(got.Columns[j].Type, w, row[j]); why != "" &&
			!(got.near && nearly(got.Columns[j].Type, w, row[j])) {
			return got.Columns[j].Name + ": " + why
		}
	}
	return ""
}

// readsTables reports whether a statement names a table.
func readsTables(sql string) bool {
	tree, err := trinosql.Parse(sql)
	return err == nil && len(trinosql.Tables(tree)) > 0
}

func nearly(t *types.Type, want, got any) bool {
	s, _ := got.(*string)
	if t.Kind != types.Double && t.Kind != types.Real || s == nil || want == nil {
		return false
	}
	w, err1 := strconv.ParseFloat(show(want), 64)
	g, err2 := strconv.ParseFloat(*s, 64)
	return err1 == nil && err2 == nil && !math.IsInf(w, 0) && math.Abs(w-g) <= 1e-12*math.Abs(w)
}

// unordered compares rows of which the statement gives no order.
func unordered(rows [][]any, got *Rows) string {
	left := slices.Clone(got.Rows)
	for _, want := range rows {
		i := slices.IndexFunc(left, func(row []any) bool { return otherRow(want, row, got) == "" })
		if i < 0 {
			var ours []string
			for _, v := range left[0] {
				if t, _ := v.(*string); t != nil {
					ours = append(ours, *t)
				} else {
					ours = append(ours, "NULL")
				}
			}
			return fmt.Sprintf("no row %v, but %v", want, ours)
		}
		left = slices.Delete(left, i, i+1)
	}
	return ""
}

// Ordered reports whether a statement gives its rows an order. A function of NULL alone, such as TestMutated writes,
// gives none.
func Ordered(sql string) bool {
	tree, err := trinosql.Parse(sql)
	q, ok := tree.(*trinosql.Query)
	return err == nil && ok && slices.ContainsFunc(q.OrderBy, func(o *trinosql.SortItem) bool {
		f, ok := o.Expr.(*trinosql.Func)
		return !ok || len(f.Args) == 0 || slices.ContainsFunc(f.Args, func(a trinosql.Expr) bool {
			_, null := a.(*trinosql.NullLit)
			return !null
		})
	})
}

// differs compares a value of Trino's protocol with one of the engine, which is a *string or, inside of others, what
// JSON has.
func differs(t *types.Type, want, got any) string {
	if s, ok := got.(*string); ok {
		if got = nil; s != nil {
			got = *s
			if t.Kind == types.Array || t.Kind == types.Map || t.Kind == types.Row {
				dec := json.NewDecoder(strings.NewReader(*s))
				dec.UseNumber()
				if err := dec.Decode(&got); err != nil {
					return err.Error()
				}
			}
		}
	}
	if want == nil || got == nil {
		if want == got {
			return ""
		}
		return fmt.Sprintf("%v, not %v", show(got), show(want))
	}
	switch t.Kind {
	case types.Array, types.Row:
		w, _ := want.([]any)
		g, _ := got.([]any)
		if len(w) != len(g) {
			return fmt.Sprintf("%v, not %v", show(got), show(want))
		}
		for i := range w {
			e := t.Args[0]
			if t.Kind == types.Row {
				e = t.Args[i]
			}
			if why := differs(e, w[i], g[i]); why != "" {
				return fmt.Sprintf("%v, not %v", show(got), show(want))
			}
		}
		return ""
	case types.Map:
		w, _ := want.(map[string]any)
		g, _ := got.(map[string]any)
		if len(w) != len(g) {
			return fmt.Sprintf("%v, not %v", show(got), show(want))
		}
		for k, v := range w {
			if key, err := base64.StdEncoding.DecodeString(k); err == nil && t.Args[0].Kind == types.Varbinary {
				k = string(wiretext.AppendHexPairs(nil, key))
			}
			other, ok := g[k]
			if !ok && t.Args[0].Kind == types.Double {
				f, _ := strconv.ParseFloat(k, 64)
				for gk, gv := range g {
					if h, err := strconv.ParseFloat(gk, 64); err == nil && h == f {
						other, ok = gv, true
					}
				}
			}
			if !ok || differs(t.Args[1], v, other) != "" {
				return fmt.Sprintf("%v, not %v", show(got), show(want))
			}
		}
		return ""
	case types.Double, types.Real:
		w, err1 := strconv.ParseFloat(show(want), 64)
		g, err2 := strconv.ParseFloat(show(got), 64)
		if t.Kind == types.Real {
			w, g = float64(float32(w)), float64(float32(g))
		}
		if err1 == nil && err2 == nil && (w == g || math.IsNaN(w) && math.IsNaN(g)) {
			return ""
		}
	case types.Varbinary:
		w, err1 := base64.StdEncoding.DecodeString(show(want))
		g, err2 := hex.DecodeString(strings.ReplaceAll(show(got), " ", ""))
		if err1 == nil && err2 == nil && bytes.Equal(w, g) {
			return ""
		}
	case types.Timestamp, types.TimestampTZ, types.Time: // the engine writes as many digits as it keeps
		if fraction().ReplaceAllString(show(want), "$1$2") == fraction().ReplaceAllString(show(got), "$1$2") {
			return ""
		}
	default:
		if show(want) == show(got) {
			return ""
		}
	}
	return fmt.Sprintf("%v, not %v", show(got), show(want))
}

var fraction = late.Regexp(`(:\d\d(?:\.\d*[1-9])?)\.?0*( .*)?$`)

func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return v
	case json.Number:
		return v.String()
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	b, _ := json.Marshal(v)
	return string(b)
}
