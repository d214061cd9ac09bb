package output

import (
	"fmt"
	"slices"
	"strings"
)

// UsageError is a combination of options that cannot be honoured. Hint says what to do instead; it may be empty.
type UsageError struct {
	Message string
	Hint    string
}

func (e *UsageError) Error() string { return e.Message }

func usage(hint, format string, args ...any) error {
	return &UsageError{Message: fmt.Sprintf(format, args...), Hint: hint}
}

// Canonical maps the spellings md, jsonl and yml to the names of Formats and leaves all else as it is.
func Canonical(format string) string {
	switch f := strings.ToLower(format); f {
	case "md":
		return Markdown
	case "jsonl":
		return NDJSON
	case "yml":
		return YAML
	default:
		if slices.Contains(Formats(), f) {
			return f
		}
	}
	return format
}

// Check validates the options as a set, before any request is made. Errors are *UsageError.
func Check(o Options) error {
	f := o.format()
	if !slices.Contains(Formats(), f) {
		hint := "use one of " + strings.Join(Formats(), ", ")
		if near := Nearest(f, Formats()); near != "" {
			hint = fmt.Sprintf("did you mean %s? All formats: %s", near, strings.Join(Formats(), ", "))
		}
		return usage(hint, "unknown output format %q", f)
	}
	if o.JQ != "" {
		if f != JSON && f != NDJSON {
			return usage("leave out -o, or use -o json or -o ndjson", "--jq needs json and cannot be used with -o %s", f)
		}
		if len(o.Columns) > 0 {
			return usage("choose the fields in the jq program", "--columns cannot be used with --jq")
		}
		if _, err := compileJQ(o.JQ); err != nil {
			return err
		}
	}
	if o.Raw && o.Typed {
		return usage("", "--raw and --typed exclude each other")
	}
	if o.NoHeader && !slices.Contains([]string{Table, CSV, TSV, HTML, XLSX}, f) {
		return usage("", "--no-header cannot be used with -o %s", f)
	}
	if o.Null != "" && !slices.Contains([]string{Table, CSV, TSV, Markdown, HTML}, f) {
		return usage("", "--null cannot be used with -o %s, which has a null of its own", f)
	}
	if f == TSV && strings.ContainsAny(o.Null, "\t\n\r") || strings.ContainsAny(o.Null, "\",\r\n") && f == CSV {
		return usage("", "--null must hold no separator, quote or line break")
	}
	if f != Table {
		if o.Vertical {
			return usage("", "--vertical is a form of the table and cannot be used with -o %s", f)
		}
		if o.MaxRows != 0 {
			return usage("limit the rows of the query itself", "a limit of rows to show cannot be used with -o %s", f)
		}
	}
	if o.Terminal && (f == XLSX || f == Parquet) {
		return usage("write it to a file with --out FILE, or pipe it", "-o %s is binary and not for a terminal", f)
	}
	if slices.Contains(o.Columns, "") {
		return usage("", "--columns holds an empty name")
	}
	return nil
}

// Nearest finds the candidate that a typing error away from s may have meant; "" when none is near.
func Nearest(s string, candidates []string) string {
	best, at := "", 3
	if len(s) < 4 {
		at = 2
	}
	for _, c := range candidates {
		if len(s) > 1 && strings.HasPrefix(c, strings.ToLower(s)) {
			return c
		}
		if d := distance(strings.ToLower(s), strings.ToLower(c)); d < at {
			best, at = c, d
		}
	}
	return best
}

// distance is the Levenshtein distance with transpositions of neighbours counted as one.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
