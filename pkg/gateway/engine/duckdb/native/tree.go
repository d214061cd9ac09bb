package native

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
)

// node is a node of DuckDB's parse tree as json_serialize_sql writes it.
type node = map[string]any

// decodeTree keeps numbers as they are written: the tree may be passed back to DuckDB.
func decodeTree(text string, out any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	err := d.Decode(out)
	if se := (*json.SyntaxError)(nil); errors.As(err, &se) { // the engine writes Infinity for what it cannot hold
		return SyntaxAt(-1, "a number in the statement is too large")
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

// ReadTree reads the tree of one statement and checks it. own says that the text is the engine's.
func ReadTree(text string, f Functions, own bool) (*Tree, error) {
	var out struct {
		Error      bool   `json:"error"`
		Type       string `json:"error_type"`
		Message    string `json:"error_message"`
		Position   string `json:"position"`
		Statements []struct {
			Node map[string]any `json:"node"`
		} `json:"statements"`
	}
	if err := decodeTree(text, &out); err != nil {
		return nil, err
	}
	switch {
	case out.Error:
		d := faults.Parse(out.Message, false)
		pos := d.Pos
		if out.Position != "" {
			_, _ = fmt.Sscan(out.Position, &pos)
		}
		return nil, SyntaxAt(pos, "%s", d.Message)
	case len(out.Statements) != 1:
		return nil, SyntaxAt(-1, "expected one statement, found %d", len(out.Statements))
	}
	g := guard{allowed: f.Allowed, known: f.Refused, own: own, out: &Tree{root: out.Statements[0].Node}}
	if err := g.walk(g.out.root, nil); err != nil {
		return nil, err
	}
	if !own {
		if err := bounded(g.out.root); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(g.out.Tables, func(a, b tableRef) int { return a.Pos - b.Pos })
	return g.out, nil
}

// Origins returns for each of n result columns its table, where that is obvious: in a statement over one table
// whose select list holds column names and stars.
func (t *Tree) Origins(n int) []engine.TableName {
	out := make([]engine.TableName, n)
	root := t.root
	from, _ := root["from_table"].(map[string]any)
	list, _ := root["select_list"].([]any)
	if str(root, "type") != "SELECT_NODE" || str(from, "type") != "BASE_TABLE" || len(t.Tables) == 0 {
		return out
	}
	var ref *tableRef
	for i := range t.Tables {
		if t.Tables[i].Pos == location(from) {
			ref = &t.Tables[i]
		}
	}
	if ref == nil { // a CTE
		return out
	}
	name := engine.FullName(ref.Parts)
	at, stars := 0, 0
	for _, x := range list {
		if e, _ := x.(map[string]any); str(e, "class") == "STAR" {
			stars++
		}
	}
	for _, x := range list {
		e, _ := x.(map[string]any)
		width := 1
		if str(e, "class") == "STAR" {
			if width = n - len(list) + 1; stars > 1 || e["columns"] != nil || e["replace_list"] != nil {
				return make([]engine.TableName, n)
			}
		}
		for range width {
			if c := str(e, "class"); at < n && (c == "STAR" || c == "COLUMN_REF") {
				out[at] = name
			}
			at++
		}
	}
	return out
}
