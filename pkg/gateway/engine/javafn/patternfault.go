package javafn

import (
	"errors"
	resyntax "regexp/syntax"
	"strings"
)

// unfit says why a pattern that may be valid in Trino is not supported.
type unfit string

func (u unfit) Error() string { return string(u) }

// patternFault is the error for a pattern, with Trino's message if it is invalid there, too.
func patternFault(s string, err error) error {
	var known said
	var why unfit
	var syntax *resyntax.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &why):
		return refuses("the pattern '%s' is not supported on zone local: %s", s, string(why))
	case errors.As(err, &syntax):
		if text := invalidPattern(s, syntax); text != "" {
			return says("%s", text)
		}
		if name := unfitParts[syntax.Code]; name != "" {
			return refuses("the pattern '%s' is not supported on zone local: %s '%s'", s, name, syntax.Expr)
		}
	case strings.Contains(err.Error(), "reference to undefined group"): // of the backtracking library
		return says("invalid backref number/name")
	}
	return refuses("the pattern '%s' is not supported on zone local", s)
}

var unfitParts = map[resyntax.ErrorCode]string{
	resyntax.ErrInvalidCharRange: "the class", resyntax.ErrInvalidEscape: "the escape",
	resyntax.ErrInvalidPerlOp:       "the group",
	resyntax.ErrInvalidNamedCapture: "the group", resyntax.ErrInvalidRepeatOp: "the repetition",
	resyntax.ErrInvalidRepeatSize: "the repetition",
}

// invalidPattern is Trino's message for a pattern, or "" if it may be valid there.
func invalidPattern(s string, e *resyntax.Error) string {
	switch e.Code {
	case resyntax.ErrMissingParen:
		if strings.HasPrefix(e.Expr, "(?") {
			return ""
		}
		return "end pattern with unmatched parenthesis"
	case resyntax.ErrUnexpectedParen:
		return "unmatched close parenthesis"
	case resyntax.ErrMissingBracket:
		if empty := strings.TrimPrefix(strings.TrimPrefix(e.Expr, "["), "^"); strings.HasPrefix(empty, "]") {
			return "empty char-class"
		}
		return "premature end of char-class"
	case resyntax.ErrMissingRepeatArgument:
		return "target of repeat operator is not specified"
	case resyntax.ErrTrailingBackslash:
		return "end pattern at escape"
	case resyntax.ErrInvalidCharRange:
		if !strings.Contains(e.Expr, `\`) && !strings.Contains(e.Expr, "[") {
			return "empty range in char class"
		}
	case resyntax.ErrInvalidRepeatSize:
		least, most, ok := strings.Cut(strings.Trim(e.Expr, "{}"), ",")
		if ok && len(least) < 4 && len(most) < 4 && most != "" && (len(least) > len(most) || len(least) == len(most) &&
			least > most) {
			return "upper is smaller than lower in repeat range"
		}
	case resyntax.ErrInvalidNamedCapture:
		if name := strings.TrimPrefix(e.Expr, "(?<"); strings.HasSuffix(name, ">") && name[0] >= '0' && name[0] <= '9' {
			return "invalid group name <" + name
		}
	case resyntax.ErrInvalidPerlOp:
		if len(e.Expr) == 3 && strings.IndexByte("PUqz", e.Expr[2]) >= 0 {
			return "undefined group option"
		}
	}
	return ""
}
