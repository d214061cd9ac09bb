package plan

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

// Names resolves the names in a plan of DuckDB.
type Names struct {
	// Column is the user's name of a column that the translation has renamed (~c7), or "".
	Column func(made string) string
	// Plain replaces other names, unless it is nil. Literals are unchanged.
	Plain func(name string) string
	// Stored is the table of a name in DuckDB's spelling without quotes (~data.table.t1).
	Stored func(name string) Table
	// Scan is the table that the function of external rows reads, and its columns, by their names in the plan. Other
	// functions read no table.
	Scan func(function string, columns []string, rows int64) (Table, []string)
}

// Table is a table with the names known to the user.
type Table struct {
	Name    string
	Details []string // the source of its rows, the conditions pushed down to it
	Types   map[string]string
}

// operator is one step in DuckDB's format.
type operator struct {
	Name     string         `json:"name"`
	Children []*operator    `json:"children"`
	Info     map[string]any `json:"extra_info"`
}

// FromDuckDB parses the result of EXPLAIN (FORMAT json). The steps have Trino's names where it has such a step.
// Projections are omitted: they describe computed values, not what is read and joined.
func FromDuckDB(text string, names Names) (*Node, error) {
	var list []*operator
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list) != 1 {
		return nil, fmt.Errorf("the plan has an unknown form: %w", err)
	}
	r := reader{names}
	return r.node(list[0]), nil
}

type reader struct{ names Names }

// list is an entry of extra_info: a string or a list of strings.
func (o *operator) list(key string) []string {
	switch v := o.Info[key].(type) {
	case string:
		if v == "" {
			return nil
		}
		return []string{v}
	case []any:
		var out []string
		for _, x := range v {
			if s, ok := x.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

var (
	plainName  = late.Regexp(`'(?:[^']|'')*'|"(?:[^"]|"")*"|[A-Za-z_]\w*`)
	madeName   = late.Regexp(`"?~r\d+"?\.|"?(~[a-z]+\d+)"?`)
	childField = late.Regexp(`#(\d+)\b`)
	starCount  = late.Regexp(`\bcount_star\(\)`)
	ownCall    = late.Regexp(`"?(?:system\.main\.)?"?~([a-z_0-9]+)"?\(`)
)

var duckNames = strings.NewReplacer(`"~~"(`, "like(", `"~data".`, "", `~data.`, "")

// plain replaces generated names in an expression of a plan with users' names.
func (r reader) plain(s string) string {
	s = duckNames.Replace(s)
	s = ownCall().ReplaceAllString(s, "$1(")
	s = madeName().ReplaceAllStringFunc(s, func(m string) string {
		if strings.HasSuffix(m, ".") {
			return ""
		}
		if n := r.names.Column(strings.Trim(m, `"`)); n != "" {
			return n
		}
		return "expr"
	})
	if r.names.Plain != nil {
		s = plainName().ReplaceAllStringFunc(s, r.names.Plain)
	}
	return starCount().ReplaceAllString(s, "count(*)")
}

// exprs are the expressions of an entry, with users' names. #0 refers to the first expression of the projection below.
func (r reader) exprs(o *operator, key string) []string {
	var out []string
	for _, s := range o.list(key) {
		below := o
		for range 8 { // projections over projections
			if len(below.Children) != 1 || !strings.Contains(s, "#") {
				break
			}
			if below = below.Children[0]; below.Name != "PROJECTION" {
				break
			}
			fields := below.list("Projections")
			s = replaceFields(s, func(m string) string {
				if i, err := strconv.Atoi(m[1:]); err == nil && i < len(fields) {
					return fields[i]
				}
				return m
			})
		}
		out = append(out, replaceFields(r.plain(stripCompression(s)), func(string) string { return "expr" }))
	}
	return out
}

// replaceFields replaces each #0 of an expression, except in literals.
func replaceFields(s string, f func(string) string) string {
	parts := strings.Split(s, "'")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = childField().ReplaceAllStringFunc(parts[i], f)
	}
	return strings.Join(parts, "'")
}

const packing = "__internal_" // ..compress_string_ubigint(value, least) and its inverse

// stripCompression removes the functions by which DuckDB compresses values between its steps.
func stripCompression(s string) string {
	for {
		at := strings.Index(s, packing)
		if at < 0 {
			return s
		}
		open := strings.IndexByte(s[at:], '(')
		if open < 0 {
			return s
		}
		open += at
		depth, value, end := 0, -1, len(s)
		for i := open; i < len(s) && end == len(s); i++ {
			switch s[i] {
			case '(':
				depth++
			case ')':
				if depth--; depth == 0 {
					end = i
				}
			case ',':
				if depth == 1 && value < 0 {
					value = i
				}
			}
		}
		if value < 0 {
			value = end
		}
		s = s[:at] + s[open+1:value] + s[min(end+1, len(s)):]
	}
}

var simple = map[string]string{
	"FILTER": "Filter", "TOP_N": "TopN", "ORDER_BY": "Sort", "LIMIT": "Limit", "STREAMING_LIMIT": "Limit",
	"LIMIT_PERCENT": "Limit",
	"HASH_GROUP_BY": "Aggregate", "PERFECT_HASH_GROUP_BY": "Aggregate", "UNGROUPED_AGGREGATE": "Aggregate",
	"SIMPLE_AGGREGATE":      "Aggregate",
	"PARTITIONED_AGGREGATE": "Aggregate", "STREAMING_AGGREGATE": "Aggregate",
	"WINDOW": "Window", "STREAMING_WINDOW": "Window", "UNION": "Union", "EXCEPT": "Except", "INTERSECT": "Intersect",
	"UNNEST": "Unnest", "INOUT_FUNCTION": "Unnest",
	"DUMMY_SCAN": "Values", "COLUMN_DATA_SCAN": "Values", "EMPTY_RESULT": "Values", "EXPRESSION_SCAN": "Values",
	"CHUNK_SCAN": "Values",
	"CTE":        "Materialize", "CTE_SCAN": "CteScan", "RECURSIVE_CTE": "Recursion", "REC_CTE": "Recursion",
	"RECURSIVE_CTE_SCAN": "CteScan", "REC_CTE_SCAN": "CteScan",
	"CROSS_PRODUCT": "CrossJoin", "POSITIONAL_JOIN": "Join", "DELIM_SCAN": "OuterValues", "STREAMING_SAMPLE": "Sample",
	"RESERVOIR_SAMPLE": "Sample",
}

// node parses one step.
func (r reader) node(o *operator) *Node {
	name := strings.TrimSpace(o.Name)
	if name == "PROJECTION" && len(o.Children) == 1 {
		return r.node(o.Children[0])
	}
	n := &Node{Name: simple[name], Descriptor: map[string]string{}}
	n.estimate(o)
	put := func(key string, values []string) {
		if len(values) > 0 {
			n.Descriptor[key] = "[" + strings.Join(values, ", ") + "]"
		}
	}
	switch {
	case strings.HasSuffix(name, "_SCAN") && o.Info["Table"] != nil:
		r.stored(n, o)
		return n
	case o.Info["Function"] != nil || strings.HasPrefix(name, "~"):
		t, cols := r.names.Scan(strings.ToLower(name), o.list("Projections"), n.rows())
		if t.Name == "" {
			n.Name, n.Descriptor["name"] = "TableFunction", strings.ToLower(name)
			return n
		}
		n.table(t, cols)
		return n
	case strings.HasSuffix(name, "_JOIN") && n.Name == "":
		n.Name = joinName(o)
		put("criteria", r.exprs(o, "Conditions"))
	case n.Name == "Filter":
		if e := o.list("Expression"); len(e) > 0 {
			n.Descriptor["filterPredicate"] = strings.Join(r.exprs(o, "Expression"), " AND ")
		}
	case n.Name == "Aggregate":
		put("keys", r.exprs(o, "Groups"))
		n.Details = append(n.Details, r.exprs(o, "Aggregates")...)
	case n.Name == "Window":
		n.Details = append(n.Details, r.exprs(o, "Projections")...)
	case n.Name == "TopN":
		n.Descriptor["count"] = strings.Join(o.list("Top"), "")
		put("orderBy", r.exprs(o, "Order By"))
	case n.Name == "Sort":
		put("orderBy", r.exprs(o, "Order By"))
	case n.Name == "Limit":
		// DuckDB reports no estimate for a limit without ORDER BY
		if count := strings.Join(o.list("Limit"), ""); count != "" {
			n.Descriptor["count"] = count
		}
	case n.Name == "":
		n.Name = camel(name)
	}
	for _, c := range o.Children {
		n.Children = append(n.Children, r.node(c))
	}
	// of a correlated subquery: the third child repeats the keys of the first
	if strings.HasSuffix(name, "DELIM_JOIN") {
		n.Children = n.Children[:min(2, len(n.Children))]
	}
	return n
}

func joinName(o *operator) string {
	kind := strings.ToUpper(strings.Join(o.list("Join Type"), ""))
	if kind == "" {
		return "Join"
	}
	return camel(kind) + "Join"
}

// stored parses a scan of a table of the project's own file.
func (r reader) stored(n *Node, o *operator) {
	t := r.names.Stored(strings.ReplaceAll(strings.Join(o.list("Table"), ""), `"`, ""))
	n.table(t, o.list("Projections"))
	if f := o.list("Filters"); len(f) > 0 {
		n.Details = append(n.Details, "filter while reading: "+r.plain(strings.Join(f, " AND ")))
	}
}

func (n *Node) table(t Table, columns []string) {
	n.Name = "TableScan"
	n.Descriptor["table"] = t.Name
	for _, c := range columns {
		n.Outputs = append(n.Outputs, Column{c, t.Types[strings.ToLower(c)]})
	}
	n.Details = append(n.Details, t.Details...)
}

func (n *Node) estimate(o *operator) {
	s := strings.TrimPrefix(strings.Join(o.list("Estimated Cardinality"), ""), "~")
	if rows, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64); err == nil {
		n.Estimates = []Estimate{{rows}}
	}
}

// rows is the estimated number of rows, -1 if unknown.
func (n *Node) rows() int64 {
	if len(n.Estimates) == 0 {
		return -1
	}
	return int64(n.Estimates[0].Rows)
}

// camel converts HASH_JOIN to HashJoin.
func camel(s string) string {
	var b strings.Builder
	for _, w := range strings.FieldsFunc(s, func(c rune) bool { return c == '_' || c == ' ' }) {
		b.WriteString(strings.ToUpper(w[:1]) + strings.ToLower(w[1:]))
	}
	return b.String()
}
