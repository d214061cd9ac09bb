package sqltext

// Enclosed reports whether a text stays within the parentheses that are written around it: it has tokens, its own
// parentheses are closed, and no semicolon ends the statement.
func Enclosed(text string, nested bool) bool {
	tokens, depth, ok := 0, 0, true
	Scan(text, nested, func(from, to int) {
		tokens++
		switch text[from:to] {
		case "(":
			depth++
		case ")":
			depth--
		case ";":
			ok = false
		}
		ok = ok && depth >= 0
	})
	return ok && depth == 0 && tokens > 0
}
