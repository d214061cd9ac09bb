//go:build cgo

package duckdb

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed trino_functions.txt
var trinoText string

//go:embed trino_arguments.txt
var argumentsText string

// arguments are the kinds that a function takes.
type arguments struct {
	kinds  string
	before bool // the types must be known before the call is written
}

// trinoFunction is a line of trino_functions.txt.
type trinoFunction struct {
	min, max int
	result   string
	kind     string // "name", "typed", "go" or "sql"
	to       string
}

// trinoTable is trino_functions.txt: the functions by name, and the names that are known but not bridged.
type trinoTable struct {
	functions map[string][]trinoFunction
	known     map[string]bool
	arguments map[string]arguments
}

// trinoNames reads trino_functions.txt, once.
var trinoNames = sync.OnceValue(func() trinoTable {
	t := trinoTable{functions: map[string][]trinoFunction{}, arguments: map[string]arguments{}}
	for line := range strings.Lines(argumentsText) {
		if name, kinds, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			t.arguments[name] = arguments{strings.TrimSuffix(kinds, "!"), strings.HasSuffix(kinds, "!")}
		}
	}
	text, rest, _ := strings.Cut(trinoText, "\n!\n")
	t.known = set(rest)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		part := strings.SplitN(line, " ", 4)
		f := trinoFunction{result: part[2], to: part[3], kind: "sql"}
		low, high, ranged := strings.Cut(strings.TrimSuffix(part[1], "+"), "-")
		f.min, _ = strconv.Atoi(low)
		f.max = f.min
		if ranged {
			f.max, _ = strconv.Atoi(high)
		} else if strings.HasSuffix(part[1], "+") {
			f.max = 1 << 20
		}
		if word, rest, ok := strings.Cut(f.to, " "); !ok && !strings.ContainsAny(f.to, "(") {
			f.kind = "name"
		} else if word == "typed" || word == "go" {
			f.kind, f.to = word, rest
		}
		t.functions[part[0]] = append(t.functions[part[0]], f)
	}
	return t
})

// resultType is the type in the third column of the table.
func (f trinoFunction) resultType(r *rewriter, a []node) *vtype {
	switch f.result {
	case "-":
		return nil
	case "twz":
		return typed("timestamp with time zone")
	case "interval_month":
		return typed("interval year to month")
	case "interval_day":
		return typed("interval day to second")
	case "array(varchar)":
		return typed("array", typed("varchar"))
	case "map(varchar,varchar)":
		return typed("map", typed("varchar"), typed("varchar"))
	}
	if f.result[0] == '=' {
		if i := int(f.result[1] - '1'); i < len(a) {
			return r.typeOf(a[i])
		}
		return nil
	}
	return typed(f.result)
}
