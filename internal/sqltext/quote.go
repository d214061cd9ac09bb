package sqltext

import "strings"

// Quote joins the parts of a name, each in double quotes.
func Quote(parts ...string) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteByte('"')
		b.WriteString(strings.ReplaceAll(p, `"`, `""`))
		b.WriteByte('"')
	}
	return b.String()
}

// Backtick puts a name in backticks, as MySQL and BigQuery quote names.
func Backtick(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// QuoteDotted quotes the parts of a dotted name, unless it is quoted already.
func QuoteDotted(name string) string {
	if strings.Contains(name, `"`) {
		return name
	}
	return Quote(strings.Split(name, ".")...)
}

// Unquote returns the name in double quotes.
func Unquote(quoted string) string {
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `""`, `"`)
}

// Literal writes a string as an SQL literal.
func Literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// DuckDBLiteral writes a string as a literal for DuckDB, whose parser stops at the first NUL of a statement.
func DuckDBLiteral(text string) string {
	if !strings.Contains(text, "\x00") {
		return Literal(text)
	}
	parts := strings.Split(text, "\x00")
	for i, part := range parts {
		parts[i] = Literal(part)
	}
	return "(" + strings.Join(parts, " || chr(0) || ") + ")"
}

// List writes names as a comma-separated list.
func List(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = Quote(name)
	}
	return strings.Join(quoted, ", ")
}
