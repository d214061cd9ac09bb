package generate

import "strings"

var literals = map[string][]string{
	"boolean":  {"true", "false"},
	"tinyint":  {"TINYINT '0'", "TINYINT '1'", "TINYINT '-128'", "TINYINT '127'", "TINYINT '5'"},
	"smallint": {"SMALLINT '0'", "SMALLINT '1'", "SMALLINT '-32768'", "SMALLINT '32767'", "SMALLINT '12'"},
	"integer":  {"0", "1", "-1", "2", "7", "100", "2147483647", "-2147483648", "12345"},
	"bigint": {"BIGINT '0'", "BIGINT '1'", "BIGINT '-1'", "BIGINT '3'", "BIGINT '10'",
		"9223372036854775807", "BIGINT '-9223372036854775808'", "3000000000", "BIGINT '42'"},
	"real": {"REAL '0'", "REAL '1.5'", "REAL '-2.25'", "REAL '3.4e38'", "REAL '0.1'"},
	"double": {"0e0", "1e0", "-1.5e0", "2.5e0", "1e300", "1e-5", "0.1e0", "nan()", "infinity()",
		"123456.789e0", "-0e0"},
	"decimal": {"0.00", "1.50", "-2.25", "100.10", "DECIMAL '99999999.99'", "0.01", "12.345"},
	"varchar": {"''", "'a'", "'abc'", "'Hello World'", "'a,b,c'", "' pad '", "'ÄÖü'", "'2024-02-29'",
		"'12'", "'日本'", "'A'", "'x_y%z'"},
	"date": {"DATE '2024-02-29'", "DATE '1970-01-01'", "DATE '1999-12-31'", "DATE '0001-01-01'",
		"DATE '2023-03-26'"},
	"timestamp": {"TIMESTAMP '2024-02-29 12:34:56.789'", "TIMESTAMP '1970-01-01 00:00:00.000'",
		"TIMESTAMP '1969-12-31 23:59:59.999'", "TIMESTAMP '2023-03-26 02:30:00.000'"},
	"interval":  {"INTERVAL '1' DAY", "INTERVAL '-2' HOUR", "INTERVAL '90' MINUTE", "INTERVAL '0' SECOND"},
	"varbinary": {"X''", "X'00'", "X'616263'", "to_utf8('abc')"},
	"array(bigint)": {"ARRAY[BIGINT '1', 2, 3]", "CAST(ARRAY[] AS array(bigint))", "ARRAY[BIGINT '5', NULL, 5]",
		"ARRAY[BIGINT '-1']"},
	"array(varchar)": {"ARRAY['a', 'b']", "CAST(ARRAY[] AS array(varchar))", "ARRAY['x', NULL, 'X']"},
	"map(varchar,bigint)": {"MAP(ARRAY['a', 'b'], ARRAY[BIGINT '1', 2])", "CAST(MAP() AS map(varchar, bigint))",
		"MAP(ARRAY['k'], ARRAY[CAST(NULL AS bigint)])"},
}

func (g *generator) literal(t string) string { return g.one(literals[t]...) }

// expr returns an expression of a type.
func (g *generator) expr(t string, depth int) string {
	var same []string
	for _, c := range g.cols {
		if c.typ == t {
			same = append(same, c.name)
		}
	}
	if depth <= 0 {
		if len(same) > 0 && g.r.IntN(4) > 0 {
			return g.one(same...)
		}
		return g.literal(t)
	}
	switch n := g.r.IntN(20); {
	case n < 5 && len(same) > 0:
		return g.one(same...)
	case n < 7:
		return g.literal(t)
	case n < 13:
		if of := calls[t]; len(of) > 0 {
			return g.call(of[g.r.IntN(len(of))], depth-1)
		}
	case n < 15:
		return g.special(t, depth-1)
	}
	return g.operator(t, depth-1)
}

func (g *generator) call(c call, depth int) string {
	args := make([]string, len(c.args))
	for i, a := range c.args {
		args[i] = g.expr(a, depth)
	}
	return c.name + "(" + strings.Join(args, ", ") + ")"
}

func (g *generator) special(t string, depth int) string {
	switch g.r.IntN(7) {
	case 0:
		return "CASE WHEN " + g.expr("boolean", depth) + " THEN " + g.expr(t, depth) + " ELSE " + g.expr(t, depth) +
			" END"
	case 1:
		return "coalesce(" + g.expr(t, depth) + ", " + g.expr(t, depth) + ")"
	case 2:
		return "nullif(" + g.expr(t, depth) + ", " + g.expr(t, depth) + ")"
	case 3:
		return "if(" + g.expr("boolean", depth) + ", " + g.expr(t, depth) + ")"
	case 4:
		return "TRY(" + g.expr(t, depth) + ")"
	case 5:
		return "CASE " + g.expr("bigint", depth) + " WHEN " + g.expr("bigint", 0) + " THEN " + g.expr(t, depth) + " END"
	}
	return g.cast(t, depth)
}

// casts are the types that can be cast to a type.
var casts = map[string][]string{
	"bigint": {"integer", "double", "decimal", "varchar", "boolean"}, "integer": {"bigint", "smallint", "decimal",
		"boolean"}, "smallint": {"integer", "tinyint"}, "tinyint": {"smallint"},
	"double": {"bigint", "decimal", "varchar", "real"}, "real": {"integer", "double"}, "decimal": {"bigint", "double",
		"varchar", "integer"},
	"varchar": {"bigint", "double", "decimal", "date", "timestamp", "boolean", "real"},
	"date":    {"timestamp", "varchar"}, "timestamp": {"date"}, "boolean": {"bigint", "varchar"},
	"array(varchar)": {"array(bigint)"}, "array(bigint)": {"array(varchar)"},
}

func (g *generator) cast(t string, depth int) string {
	of := casts[t]
	if len(of) == 0 {
		return g.literal(t)
	}
	return g.one("CAST", "CAST", "TRY_CAST") + "(" + g.expr(g.one(of...), depth) + " AS " + written(t) + ")"
}

func (g *generator) operator(t string, depth int) string {
	sides := func(t, op string) string { return "(" + g.expr(t, depth) + " " + op + " " + g.expr(t, depth) + ")" }
	switch t {
	case "boolean":
		of := all[g.r.IntN(len(all))]
		switch g.r.IntN(8) {
		case 0:
			return sides("boolean", g.one("AND", "OR"))
		case 1:
			return "NOT " + g.expr("boolean", depth)
		case 2:
			return "(" + g.expr(of, depth) + g.one(" IS NULL", " IS NOT NULL") + ")"
		case 3:
			if orderable(of) {
				return "(" + g.expr(of, depth) + g.one("", " NOT") + " BETWEEN " + g.expr(of, depth) + " AND " +
					g.expr(of, depth) + ")"
			}
		case 4:
			return "(" + g.expr(of, depth) + g.one("", " NOT") + " IN (" + g.expr(of, depth) + ", " + g.expr(of, 0) +
				"))"
		case 5:
			return sides(of, g.one("IS DISTINCT FROM", "IS NOT DISTINCT FROM"))
		}
		if !orderable(of) {
			return sides(of, g.one("=", "<>"))
		}
		return sides(of, g.one("=", "<>", "<", "<=", ">", ">="))
	case "tinyint", "smallint", "integer", "bigint", "real", "double", "decimal":
		if g.r.IntN(6) == 0 {
			return "-(" + g.expr(t, depth) + ")"
		}
		return sides(t, g.one("+", "-", "*", "/", "%"))
	case "varchar", "array(bigint)", "array(varchar)", "varbinary":
		return sides(t, "||")
	case "date", "timestamp":
		return "(" + g.expr(t, depth) + g.one(" + ", " - ") + g.one("INTERVAL '1' DAY", "INTERVAL '1' MONTH",
			"INTERVAL '-3' YEAR") + ")"
	case "interval":
		return sides("timestamp", "-")
	}
	return g.literal(t)
}
