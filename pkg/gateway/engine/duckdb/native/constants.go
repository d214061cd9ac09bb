package native

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/wiretext"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
)

func (w *narrower) constant(n map[string]any) (narrow.Constant, bool) {
	if str(n, "class") == "PARAMETER" {
		i, err := strconv.Atoi(str(n, "identifier"))
		if err != nil || i < 1 || i > len(w.bindings) {
			return narrow.Constant{}, false
		}
		return narrow.Constant{Kind: narrow.Param, Text: w.bindings[i-1]}, true
	}
	return literal(n)
}

// literal parses a constant, or a typed literal: DATE '2024-01-01'.
func literal(n map[string]any) (c narrow.Constant, ok bool) {
	if str(n, "class") == "CAST" {
		to, _ := n["cast_type"].(map[string]any)
		child, _ := n["child"].(map[string]any)
		if c, ok = literal(child); !ok || c.Kind != narrow.Text || str(child, "class") != "CONSTANT" {
			return c, false
		}
		switch str(to, "id") {
		case "DATE":
			c.Kind = narrow.Date
		case "TIMESTAMP", "TIMESTAMP WITH TIME ZONE":
			c.Kind = narrow.Timestamp
		case "TIMESTAMP_S", "TIMESTAMP_MS": // as Trino's literals with few digits are parsed
			_, digits, _ := strings.Cut(c.Text, ".")
			c.Kind, ok = narrow.Timestamp, len(digits) <= map[string]int{"TIMESTAMP_S": 0, "TIMESTAMP_MS": 3}[str(to, "id")]
		case "DECIMAL": // with exactly the digits of the text
			_, places, _ := strings.Cut(c.Text, ".")
			scale, known := scaleOf(to)
			c.Kind, ok = narrow.Decimal, known && len(places) <= scale && narrow.DecimalText().MatchString(c.Text)
		case "UUID":
			c.Kind = narrow.UUID
		case "BOOLEAN": // the parser's form of true and false
			c.Kind, ok = narrow.Bool, c.Text == "t" || c.Text == "f"
			c.Text = map[string]string{"t": "true", "f": "false"}[c.Text]
		default:
			return c, false
		}
		return c, ok
	}
	v, _ := n["value"].(map[string]any)
	if str(n, "class") != "CONSTANT" || v["is_null"] == true {
		return c, false
	}
	typ, _ := v["type"].(map[string]any)
	id := str(typ, "id")
	var digits string
	switch x := v["value"].(type) {
	case string:
		return narrow.Constant{Kind: narrow.Text, Text: x}, id == "VARCHAR"
	case bool:
		return narrow.Constant{Kind: narrow.Bool, Text: strconv.FormatBool(x)}, id == "BOOLEAN"
	case json.Number:
		digits = x.String()
	case float64:
		if id == "DOUBLE" {
			return narrow.Constant{Kind: narrow.Double, Text: strconv.FormatFloat(x, 'g', -1, 64)}, true
		}
		if x <= -1<<53 || x >= 1<<53 {
			return c, false
		}
		digits = strconv.FormatFloat(x, 'f', -1, 64)
	default:
		return c, false
	}
	switch id {
	case "INTEGER", "BIGINT":
		return narrow.Constant{Kind: narrow.Int, Text: digits}, true
	case "DOUBLE":
		return narrow.Constant{Kind: narrow.Double, Text: digits}, true
	case "DECIMAL":
		unscaled, err := strconv.ParseInt(digits, 10, 64)
		scale, known := scaleOf(typ)
		h := wiretext.Huge{Lo: uint64(unscaled), Hi: unscaled >> 63}
		return narrow.Constant{Kind: narrow.Decimal, Text: string(wiretext.AppendHuge(nil, h, scale))}, known && err == nil
	}
	return c, false
}

// scaleOf is the scale of a decimal type in the tree; the parser omits a scale of 0.
func scaleOf(typ map[string]any) (int, bool) {
	info, _ := typ["type_info"].(map[string]any)
	switch s := info["scale"].(type) {
	case json.Number:
		n, err := strconv.Atoi(s.String())
		return n, err == nil
	case float64:
		return int(s), true
	}
	return 0, info != nil
}
