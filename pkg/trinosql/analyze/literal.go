package analyze

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// literal is the type of a literal. It rejects one that is malformed.
func literal(x trinosql.Expr) *types.Type {
	switch x := x.(type) {
	case *trinosql.NullLit:
		return unknown
	case *trinosql.BoolLit:
		return boolean
	case *trinosql.StringLit:
		return types.NewVarchar(utf8.RuneCountInString(x.Value))
	case *trinosql.BinaryLit:
		return types.Of(types.Varbinary)
	case *trinosql.IntLit:
		return integerType(integer(x))
	case *trinosql.DoubleLit:
		return types.Of(types.Double)
	case *trinosql.DecimalLit:
		return decimalLiteral(x, x.Text)
	case *trinosql.TypedLit:
		return typedLiteral(x)
	case *trinosql.IntervalLit:
		return intervalLiteral(x)
	}
	fail("NOT_SUPPORTED", x, "not yet implemented: %T", x)
	return nil
}

func integerType(n int64) *types.Type {
	if n >= -1<<31 && n < 1<<31 {
		return types.Of(types.Integer)
	}
	return bigint
}

// integer is the value of an integer literal.
func integer(x *trinosql.IntLit) int64 {
	n, err := strconv.ParseInt(goInteger(x.Text), 0, 64)
	if err != nil {
		fail("SYNTAX_ERROR", x, "Invalid numeric literal: %s", x.Text)
	}
	return n
}

// goInteger is an integer without leading zeros, which would make it octal.
func goInteger(text string) string {
	if len(text) > 1 && text[0] == '0' && (text[1] >= '0' && text[1] <= '9') {
		if text = strings.TrimLeft(text, "0"); text == "" {
			return "0"
		}
	}
	return text
}

// negativeLiteral is the type of a number with a minus sign, which Trino parses as one literal; nil for other
// expressions.
func negativeLiteral(x *trinosql.Unary) *types.Type {
	if x.Op != "-" {
		return nil
	}
	if from, _ := x.X.Span(); from != x.X.Pos().Offset {
		return nil // in parentheses
	}
	switch lit := x.X.(type) {
	case *trinosql.IntLit:
		n, err := strconv.ParseInt("-"+goInteger(lit.Text), 0, 64)
		if err != nil {
			fail("SYNTAX_ERROR", x, "Invalid numeric literal: -%s", lit.Text)
		}
		return integerType(n)
	case *trinosql.DecimalLit, *trinosql.DoubleLit:
		return literal(lit)
	}
	return nil
}

// ordinal is the value of an integer literal in ORDER BY or GROUP BY.
func ordinal(x trinosql.Expr) (int64, bool) {
	switch x := x.(type) {
	case *trinosql.IntLit:
		return integer(x), true
	case *trinosql.Unary:
		if lit, ok := x.X.(*trinosql.IntLit); ok && negativeLiteral(x) != nil {
			n, _ := strconv.ParseInt("-"+goInteger(lit.Text), 0, 64)
			return n, true
		}
	}
	return 0, false
}

func decimalLiteral(at trinosql.Expr, text string) *types.Type {
	t, ok := decimalOf(text)
	if !ok {
		fail("INVALID_LITERAL", at, "'%s' is not a valid DECIMAL literal", text)
	}
	return t
}

// decimalOf is the decimal type of a number, which may have underscores between digits: leading zeros do not count.
func decimalOf(text string) (*types.Type, bool) {
	digits := strings.TrimLeft(text, "+-")
	if len(text)-len(digits) > 1 {
		return nil, false
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	for _, part := range []*string{&whole, &fraction} {
		if strings.Trim(*part, "0123456789_") != "" || strings.HasPrefix(*part, "_") || strings.HasSuffix(*part, "_") ||
			strings.Contains(*part, "__") {
			return nil, false
		}
		*part = strings.ReplaceAll(*part, "_", "")
	}
	if whole == "" && fraction == "" {
		return nil, false
	}
	n := len(strings.TrimLeft(whole, "0")) + len(fraction)
	if n > types.MaxPrecision {
		return nil, false
	}
	return types.NewDecimal(max(n, 1), len(fraction)), true
}

func typedLiteral(x *trinosql.TypedLit) *types.Type {
	switch x.Type {
	case "DECIMAL":
		return decimalLiteral(x, x.Value)
	case "CHAR":
		n := utf8.RuneCountInString(x.Value)
		if n > types.MaxCharLength {
			fail("INVALID_LITERAL", x, "'%s' is not a valid CHAR literal", x.Value)
		}
		return types.NewChar(n)
	case "TIME":
		t := timeLiteral(x)
		if t == nil {
			fail("INVALID_LITERAL", x, "'%s' is not a valid TIME literal", x.Value)
		}
		return t
	case "TIMESTAMP":
		t := timestampLiteral(x)
		if t == nil {
			fail("INVALID_LITERAL", x, "'%s' is not a valid TIMESTAMP literal", x.Value)
		}
		return t
	}
	t, err := types.Parse(x.Type)
	if err != nil {
		hinted("TYPE_NOT_FOUND", "", x, typeHint(x.Type), "Unknown type: %s", x.Type)
	}
	valid, known := validLiteral(t, x.Value)
	if !known {
		fail("INVALID_LITERAL", x, "No literal form for type %s", t)
	}
	if !valid {
		fail("INVALID_LITERAL", x, "'%s' is not a valid %s literal", x.Value, strings.ToUpper(t.String()))
	}
	return t
}

// validLiteral reports whether a text is a valid literal of a type, and whether the type has literals.
func validLiteral(t *types.Type, text string) (valid, known bool) {
	bits := map[types.Kind]int{types.Tinyint: 8, types.Smallint: 16, types.Integer: 32, types.Bigint: 64}[t.Kind]
	switch t.Kind {
	case types.Tinyint, types.Smallint, types.Integer, types.Bigint:
		_, err := strconv.ParseInt(text, 10, bits)
		return err == nil && !strings.Contains(text, "_"), true
	case types.Real, types.Double:
		return isDouble(text), true
	case types.Boolean:
		switch strings.ToLower(text) {
		case "t", "true", "1", "f", "false", "0":
			return true, true
		}
		return false, true
	case types.Date:
		return isDate(text), true
	case types.JSON:
		return isJSON(text), true
	case types.UUID:
		return isUUID(text), true
	case types.IPAddress:
		return isIPAddress(text), true
	case types.Varchar, types.Varbinary:
		return true, true
	case types.Opaque:
		switch t.Name {
		case "JoniRegExp", "JsonPath", "CodePoints", "Re2JRegExp", "color":
			return true, true
		}
	}
	return false, false
}

// isDouble reports whether Java parses the text as a double.
func isDouble(text string) bool {
	text = strings.Trim(text, " \t\n\r\f\v")
	switch strings.TrimLeft(text, "+-") {
	case "NaN", "Infinity":
		return true
	}
	if strings.ContainsAny(text, "_xXiInN") {
		return false
	}
	if n := len(text); n > 1 && strings.IndexByte("fFdD", text[n-1]) >= 0 {
		text = text[:n-1]
	}
	_, _, err := big.ParseFloat(text, 10, 53, big.ToNearestEven)
	return err == nil
}
