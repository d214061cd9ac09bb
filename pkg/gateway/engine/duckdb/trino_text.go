//go:build cgo

package duckdb

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// rewrite gives a checked statement the meaning that Trino gives it. The tree that comes back belongs to the text that will run.
func (s *statement) rewrite(ctx context.Context, t *translation, checked *tree, named bool) (*tree, error) {
	root := clone(checked.root)
	changed, err := s.trino(ctx, t, root, named)
	t.types = outputTypes(root)
	var p *planFault
	if errors.As(err, &p) {
		pairs, err2 := s.follow(ctx, p.text, p.root)
		if err2 != nil {
			return nil, err2
		}
		t.layers = append(t.layers, edited{text: p.text, pairs: pairs})
		t.text = p.text
		return nil, t.explain(p.err)
	}
	if err != nil || !changed {
		return checked, err
	}
	text, err := s.deserialize(ctx, bare(clone(root)).(node))
	if err != nil {
		return nil, err
	}
	final, err := s.parse(ctx, text, ownText)
	if end := s.c.ended(ctx); err != nil && end != nil {
		return nil, end
	}
	if err != nil {
		return nil, internalError("the engine cannot parse its own text: " + err.Error() + ": " + text)
	}
	pairs := []origin{}
	if where := compare(bare(root), final.root, &pairs); where != "" {
		return nil, internalError("the engine cannot write the statement down faithfully: " + where + ": " + text)
	}
	slices.SortStableFunc(pairs, func(a, b origin) int { return a.now - b.now })
	t.layers = append(t.layers, edited{text: text, pairs: pairs})
	t.text = text
	return final, nil
}

// follow tells where the nodes of a text stood in the tree that it was written from.
func (s *statement) follow(ctx context.Context, text string, root node) ([]origin, error) {
	written, err := s.serialize(ctx, text)
	if err != nil {
		return nil, err
	}
	pairs := []origin{}
	compare(bare(clone(root)), written, &pairs)
	slices.SortStableFunc(pairs, func(a, b origin) int { return a.now - b.now })
	return pairs, nil
}

// compare walks two trees that should be one and the same, and tells where they differ; it gathers the places of nodes.
func compare(want, got any, pairs *[]origin) string {
	if empty(want) && empty(got) {
		return ""
	}
	switch w := want.(type) {
	case node:
		g, ok := got.(node)
		if !ok {
			return brief(want) + " became " + brief(got)
		}
		if inner := sub(sub(sub(g, "subquery"), "node"), "from_table"); str(w, "type") == "EXPRESSION_LIST" && str(inner, "type") == "EXPRESSION_LIST" {
			g = inner // VALUES in FROM is written, and so read again, as a subquery
		}
		if now, was := location(g), location(w); now >= 0 && was >= 0 {
			*pairs = append(*pairs, origin{now, was})
		}
		if class(w) == "CONSTANT" && class(g) == "CONSTANT" && sameConstant(sub(w, "value"), sub(g, "value")) && str(w, "alias") == str(g, "alias") {
			return ""
		}
		for _, k := range sortedKeys(w) {
			if ignoredKeys[k] {
				continue
			}
			if d := compare(w[k], g[k], pairs); d != "" {
				return k + ": " + d
			}
		}
		for _, k := range sortedKeys(g) {
			if _, ok := w[k]; !ok && !ignoredKeys[k] && !empty(g[k]) {
				return k + " appeared: " + brief(g[k])
			}
		}
		return ""
	case []any:
		g, _ := got.([]any)
		if len(w) != len(g) {
			return brief(want) + " became " + brief(got)
		}
		for i := range w {
			if d := compare(w[i], g[i], pairs); d != "" {
				return d
			}
		}
		return ""
	case string:
		if g, ok := got.(string); ok && w == g {
			return ""
		}
	}
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	if string(a) == string(b) {
		return ""
	}
	return brief(want) + " became " + brief(got)
}

// ignoredKeys differ without meaning anything: places, and how a call was written.
var ignoredKeys = map[string]bool{"query_location": true, "is_operator": true, "schema": true, "lambda_syntax": true, "syntax_type": true}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case node:
		for k, x := range v {
			if k != "type" && k[0] != 0 && !empty(x) {
				return false
			}
		}
		return class(v) == "" && (str(v, "type") == "ORDER_MODIFIER" || len(v) == 0)
	}
	return false
}

// sameConstant takes integers of one value for the same whatever their size: they are written alike.
func sameConstant(a, b node) bool {
	if sub(a, "type") == nil || sub(b, "type") == nil {
		return false
	}
	if x, ok := a["is_null"].(bool); ok && x {
		y, _ := b["is_null"].(bool)
		return y
	}
	ints := "TINYINT SMALLINT INTEGER BIGINT INTEGER_LITERAL"
	ta, tb := str(sub(a, "type"), "id"), str(sub(b, "type"), "id")
	return ta != "" && strings.Contains(ints, ta) && tb != "" && strings.Contains(ints, tb) && numText(a["value"]) == numText(b["value"])
}

func numText(v any) string {
	if n, ok := v.(json.Number); ok {
		return n.String()
	}
	return ""
}

func brief(v any) string {
	b, _ := json.Marshal(v)
	if len(b) > 200 {
		b = append(b[:200], "..."...)
	}
	return string(b)
}
