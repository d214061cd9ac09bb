//go:build cgo

package duckdb

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/translate"
	"github.com/dig-cli/dig/pkg/trinosql/types"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
)

// noTables is a catalog without tables.
type noTables struct{}

func (noTables) Table(analyze.Name) (*analyze.Table, bool) { return nil, false }
func (noTables) HasCatalog(string) bool                    { return true }
func (noTables) HasSchema(string, string) bool             { return true }

// TestAnswers runs the statements that a Trino answered with rows or a failure, and compares. DIG_TEST_ANSWERS=file.sql[:part] picks those of a
// file, with a part in their text.
func TestAnswers(t *testing.T) {
	const dir = "../../../trinosql/witness/testdata"
	list, err := witness.Statements(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, answers, err := witness.Answers(dir)
	if err != nil {
		t.Fatal(err)
	}
	file, part, _ := strings.Cut(os.Getenv("DIG_TEST_ANSWERS"), ":")
	p := testProject(t, testEngine(t, t.TempDir()), "answers")
	type count struct{ equal, refused, differ int }
	counts := map[string]*count{}
	reasons := map[string]int{}
	for _, s := range list {
		a := answers[s.SQL]
		if a == nil || a.Rows == nil && a.Failure == nil || file != "" && s.File != file || !strings.Contains(s.SQL, part) {
			continue
		}
		n := counts[s.File]
		if n == nil {
			n = &count{}
			counts[s.File] = n
		}
		text, got, err := translated(t.Context(), p, s.SQL)
		var missing *analyze.Error
		switch {
		case errors.As(err, &missing):
			continue // a table
		case translate.IsUnsupported(err):
			n.refused++
			reasons[err.Error()[strings.Index(err.Error(), ": ")+1:]]++
			if file != "" {
				t.Logf("%s\n\trefused: %v", s.SQL, err)
			}
			continue
		}
		if why := unlike(a, got, err); why != "" {
			n.differ++
			if file != "" || testing.Verbose() {
				t.Logf("%s\n\t%s\n\t%s", s.SQL, text, why)
			}
			continue
		}
		n.equal++
	}
	for f, n := range counts {
		t.Logf("%s: %d equal, %d refused, %d differ", f, n.equal, n.refused, n.differ)
	}
	if file == "" {
		for r, n := range reasons {
			if n > 5 {
				t.Logf("%5d %s", n, r)
			}
		}
	}
}

// unlike says what an answer has otherwise than the one of Trino.
func unlike(a *witness.Answer, got *answered, err error) string {
	if a.Failure != nil {
		if err == nil {
			return "fails in Trino: " + a.Failure[2]
		}
		var e *engine.Error
		if errors.As(err, &e) && trinoWords(e.Message) != a.Failure[2] || !errors.As(err, &e) {
			return "Trino says " + a.Failure[2] + "\n\twe say     " + err.Error()
		}
		return ""
	}
	if err != nil {
		return "error: " + err.Error()
	}
	if len(got.rows) != len(a.Rows) {
		return fmt.Sprintf("%d rows, not %d", len(got.rows), len(a.Rows))
	}
	if !strings.Contains(a.SQL, "ORDER BY") {
		return anyOrder(a, got)
	}
	for i, want := range a.Rows {
		if why := rowDiffers(got.columns, want, got.rows[i]); why != "" {
			return fmt.Sprintf("row %d, %s", i+1, why)
		}
	}
	return ""
}

// anyOrder compares rows whose order nothing asks for.
func anyOrder(a *witness.Answer, got *answered) string {
	used := make([]bool, len(got.rows))
next:
	for i, want := range a.Rows {
		why := ""
		for k, row := range got.rows {
			if used[k] {
				continue
			}
			differs := rowDiffers(got.columns, want, row)
			if differs == "" {
				used[k] = true
				continue next
			}
			if why == "" {
				why = differs
			}
		}
		return fmt.Sprintf("row %d is missing: %s", i+1, why)
	}
	return ""
}

func rowDiffers(columns []analyze.Column, want, got []any) string {
	for j, w := range want {
		if why := differs(columns[j].Type, w, got[j]); why != "" {
			return columns[j].Name + ": " + why
		}
	}
	return ""
}

// differs compares a value of Trino's protocol with one of ours, which is a *string or, inside of others, what JSON has.
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
		w, g := want.([]any), []any(nil)
		switch v := got.(type) {
		case []any:
			g = v
		case map[string]any:
			for i := range w {
				g = append(g, v["f"+strconv.Itoa(i+1)])
			}
		}
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

type answered struct {
	columns []analyze.Column
	rows    [][]any
}

// translated runs a statement by its translation.
func translated(ctx context.Context, p *project, sql string) (text string, out *answered, err error) {
	parsed, err := trinosql.Parse(sql)
	if err != nil {
		return "", nil, err
	}
	q, ok := parsed.(*trinosql.Query)
	if !ok {
		return "", nil, &translate.Unsupported{Msg: ": no query"}
	}
	a, err := analyze.Analyze(parsed, analyze.Options{Catalog: noTables{}, DefaultCatalog: "tpch", DefaultSchema: "tiny"})
	if err != nil {
		return "", nil, err
	}
	st, err := translate.Query(q, a, translate.Options{Catalog: "tpch", Schema: "tiny", User: "dig"})
	if err != nil {
		return "", nil, err
	}
	s, err := p.statement(ctx, engine.Query{SQL: st.SQL, Dialect: dialectDuck})
	if err != nil {
		return st.SQL, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &result{s: s, ctx: ctx, cancel: cancel, stop: func() {}}
	defer r.Close()
	s.t = &translation{original: st.SQL, text: st.SQL, tree: &tree{root: map[string]any{}}}
	if err := r.begin(false); err != nil {
		return st.SQL, nil, s.explain(err)
	}
	out = &answered{columns: st.Columns}
	_, err = r.Rows(ctx, func(row [][]byte) error {
		values := make([]any, len(row))
		for i, v := range row {
			var text *string
			if v != nil {
				s := string(v)
				text = &s
			}
			values[i] = text
		}
		out.rows = append(out.rows, values)
		return nil
	})
	return st.SQL, out, err
}
