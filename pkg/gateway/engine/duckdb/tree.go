//go:build cgo

package duckdb

import (
	"encoding/json"
	"errors"
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

func class(n node) string { return str(n, "class") }

// literalText is the text of a text literal.
func literalText(n node) (string, bool) {
	v := sub(n, "value")
	s, ok := v["value"].(string)
	return s, ok && class(n) == "CONSTANT" && str(sub(v, "type"), "id") == "VARCHAR"
}
