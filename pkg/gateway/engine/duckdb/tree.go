//go:build cgo

package duckdb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// node is a node of DuckDB's parse tree as json_serialize_sql writes it.
type node = map[string]any

// decodeTree keeps numbers as they are written: the tree may be passed back to DuckDB.
func decodeTree(text string, out any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	err := d.Decode(out)
	if se := (*json.SyntaxError)(nil); errors.As(err, &se) { // the engine writes Infinity for what it cannot hold
		return syntaxAt(-1, "a number in the statement is too large")
	}
	return err
}

// location is the byte offset of a node, or -1.
func location(n node) int {
	if f, ok := n["query_location"].(json.Number); ok {
		if i, err := strconv.Atoi(f.String()); err == nil {
			return i
		}
	}
	return -1
}

func str(n node, key string) string {
	s, _ := n[key].(string)
	return s
}

func sub(n node, key string) node {
	m, _ := n[key].(node)
	return m
}

func list(n node, key string) []any {
	l, _ := n[key].([]any)
	return l
}

func class(n node) string { return str(n, "class") }

// args are the children of a call.
func args(n node) []node {
	var out []node
	for _, c := range list(n, "children") {
		if m, ok := c.(node); ok {
			out = append(out, m)
		}
	}
	return out
}

func anys(ns []node) []any {
	out := make([]any, len(ns))
	for i, n := range ns {
		out[i] = n
	}
	return out
}

// clone copies a tree.
func clone[T any](v T) T {
	var c func(v any) any
	c = func(v any) any {
		switch v := v.(type) {
		case node:
			m := make(node, len(v))
			for k, x := range v {
				m[k] = c(x)
			}
			return m
		case []any:
			l := make([]any, len(v))
			for i, x := range v {
				l[i] = c(x)
			}
			return l
		}
		return v
	}
	return c(v).(T)
}

// signature is the same for expressions with the same text at any position.
func signature(n node) string {
	bare := clone(n)
	strip(bare)
	b, _ := json.Marshal(bare)
	return string(b)
}

func strip(v any) {
	switch v := v.(type) {
	case node:
		delete(v, "query_location")
		delete(v, wantKey)
		delete(v, checkKey)
		delete(v, idKey)
		for _, x := range v {
			strip(x)
		}
	case []any:
		for _, x := range v {
			strip(x)
		}
	}
}

// at gives a new node the position of an old one.
func placed(n, old node) node {
	if l, ok := old["query_location"]; ok {
		n["query_location"] = l
	}
	return n
}

func call(name string, a ...node) node {
	return node{"class": "FUNCTION", "type": "FUNCTION", "function_name": name, "children": anys(a), "order_bys": node{"type": "ORDER_MODIFIER"}}
}

func operator(name string, a ...node) node {
	n := call(name, a...)
	n["is_operator"] = true
	return n
}

func textConst(s string) node {
	return node{"class": "CONSTANT", "type": "VALUE_CONSTANT", "value": node{"type": node{"id": "VARCHAR"}, "is_null": false, "value": s}}
}

func intConst(i int64) node {
	return node{"class": "CONSTANT", "type": "VALUE_CONSTANT",
		"value": node{"type": node{"id": "BIGINT"}, "is_null": false, "value": json.Number(strconv.FormatInt(i, 10))}}
}

func nullConst() node {
	return node{"class": "CONSTANT", "type": "VALUE_CONSTANT", "value": node{"type": node{"id": "NULL"}, "is_null": true}}
}

func columnNode(name string) node {
	return node{"class": "COLUMN_REF", "type": "COLUMN_REF", "column_names": []any{name}}
}

func castTo(n node, typ string) node {
	return node{"class": "CAST", "type": "OPERATOR_CAST", "child": n, "cast_type": typeNode(typ)}
}

// typeNode is a type of DuckDB without nesting: its name, or DECIMAL(p,s).
func typeNode(typ string) node {
	if p, ok := strings.CutPrefix(typ, "DECIMAL("); ok {
		w, s, _ := strings.Cut(strings.TrimSuffix(p, ")"), ",")
		return node{"id": "DECIMAL", "type_info": node{"type": "DECIMAL_TYPE_INFO", "width": json.Number(w), "scale": json.Number(s)}}
	}
	if typ == "JSON" {
		return node{"id": "UNBOUND", "type_info": node{"type": "UNBOUND_TYPE_INFO", "name": "JSON"}}
	}
	if typ == "TIMESTAMPTZ" {
		typ = "TIMESTAMP WITH TIME ZONE"
	}
	return node{"id": typ}
}

// literalText is the text of a text literal.
func literalText(n node) (string, bool) {
	v := sub(n, "value")
	s, ok := v["value"].(string)
	return s, ok && class(n) == "CONSTANT" && str(sub(v, "type"), "id") == "VARCHAR"
}

// literalInt is the value of an integer literal.
func literalInt(n node) (int64, bool) {
	num, ok := sub(n, "value")["value"].(json.Number)
	if !ok || class(n) != "CONSTANT" {
		return 0, false
	}
	i, err := strconv.ParseInt(num.String(), 10, 64)
	return i, err == nil
}

func isNull(n node) bool {
	b, _ := sub(n, "value")["is_null"].(bool)
	return class(n) == "CONSTANT" && b
}

// template is a piece of SQL as a tree, with the columns $a, $b, ... as placeholders for arguments. Templates are parsed once.
func (s *statement) template(ctx context.Context, sql string, a ...node) (node, error) {
	sql = strings.ReplaceAll(sql, "FAIL(", `"`+errorFunction+`"(`)
	for i := len(a); i > 0; i-- {
		sql = strings.ReplaceAll(sql, "$"+string(rune('a'+i-1)), `"$`+string(rune('a'+i-1))+`"`)
	}
	var tmpl node
	if v, ok := s.p.templates.Load(sql); ok {
		tmpl = v.(node)
	} else {
		root, err := s.serialize(ctx, "SELECT "+sql)
		if err != nil {
			return nil, err
		}
		tmpl = list(root, "select_list")[0].(node)
		strip(tmpl)
		s.p.templates.Store(sql, tmpl)
	}
	return fill(clone(tmpl), func(name string) node {
		if len(name) == 2 && name[0] == '$' && int(name[1]-'a') < len(a) {
			c := clone(a[name[1]-'a'])
			delete(c, "alias")
			return c
		}
		return nil
	}), nil
}

// fill replaces the references to single names for which with returns a node.
func fill(n node, with func(name string) node) node {
	if class(n) == "COLUMN_REF" {
		if names := list(n, "column_names"); len(names) > 0 {
			name, _ := names[0].(string)
			if r := with(name); r != nil {
				// A name after a parameter of a lambda, as in e.key, is a field of it.
				for _, f := range names[1:] {
					field, _ := f.(string)
					r = call("struct_extract", r, textConst(field))
				}
				return r
			}
		}
		return n
	}
	for k, v := range n {
		n[k] = fillAny(v, with)
	}
	return n
}

func fillAny(v any, with func(string) node) any {
	switch v := v.(type) {
	case node:
		return fill(v, with)
	case []any:
		for i, x := range v {
			v[i] = fillAny(x, with)
		}
	}
	return v
}

// serialize parses one statement to a tree without checking it.
func (s *statement) serialize(ctx context.Context, sql string) (node, error) {
	var out struct {
		Statements []struct {
			Node node `json:"node"`
		} `json:"statements"`
		Message string `json:"error_message"`
	}
	err := s.c.query(ctx, `SELECT json_serialize_sql(?::VARCHAR, skip_default := true)::VARCHAR`, []any{sql},
		func(v []*string) error { return decodeTree(*v[0], &out) })
	if err != nil {
		return nil, err
	}
	if len(out.Statements) != 1 {
		return nil, internalError("the engine cannot parse its own text: " + out.Message + ": " + sql)
	}
	return out.Statements[0].Node, nil
}

// deserialize writes a tree as SQL.
func (s *statement) deserialize(ctx context.Context, root node) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(node{"error": false, "statements": []any{node{"node": root}}}); err != nil {
		return "", err
	}
	var text string
	err := s.c.query(ctx, `SELECT json_deserialize_sql(?::JSON)`, []any{b.String()}, func(v []*string) error {
		text = *v[0]
		return nil
	})
	return text, err
}

// contains reports whether v or any node below it satisfies the condition.
func containsNode(v any, pass func(node) bool) bool {
	switch v := v.(type) {
	case node:
		if pass(v) {
			return true
		}
		for _, x := range v {
			if containsNode(x, pass) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(x any) bool { return containsNode(x, pass) })
	}
	return false
}
