package native

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/jsontext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/limits"
)

// The guard reads the tree of DuckDB's own parser and accepts what is listed here. Whatever is not
// listed is rejected, including any new kind of node or function of a later DuckDB.

var allowedClasses = limits.Words(`BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION LAMBDA LAMBDA_REF
	OPERATOR PARAMETER POSITIONAL_REFERENCE STAR SUBQUERY WINDOW`)

// allowedTypes are the values of "type" of nodes that are not expressions: query nodes, items of FROM, modifiers,
// orderings and parameters of types.
var allowedTypes = limits.Words(`SELECT_NODE SET_OPERATION_NODE RECURSIVE_CTE_NODE
	BASE_TABLE SUBQUERY JOIN TABLE_FUNCTION EXPRESSION_LIST EMPTY PIVOT
	LIMIT_MODIFIER LIMIT_PERCENT_MODIFIER ORDER_MODIFIER DISTINCT_MODIFIER ORDER_DEFAULT ASCENDING DESCENDING
	DECIMAL_TYPE_INFO STRING_TYPE_INFO LIST_TYPE_INFO STRUCT_TYPE_INFO ARRAY_TYPE_INFO INTEGER_LITERAL_TYPE_INFO
	UNBOUND_TYPE_INFO GENERIC_TYPE_INFO`)

// allowedTableFunctions read no file, no setting and no other table.
var allowedTableFunctions = limits.Words(`range generate_series unnest json_each json_tree`)

// functions.txt lists every scalar, aggregate and window function of DuckDB that a statement may call, and after a line "!" those it may
// not; a test compares the file with the functions of the DuckDB in use.
//
//go:embed functions.txt
var functionsText string

// cappedFunctions create values of any size outside the memory limit, cannot be interrupted, or overflow the stack: macros of the same
// name limit them (capMacros), and a call of the original by its schema is rejected.
var cappedFunctions = limits.Words(`repeat lpad rpad range generate_series list_resize array_resize replace format printf
	bitstring_agg ~~ !~~ ~~* !~~* ~~~
	levenshtein editdist3 damerau_levenshtein json_structure json_group_structure json_contains json_merge_patch`)

// transformFunctions take the structure of their result as a text, which DuckDB reads while it plans.
var transformFunctions = limits.Words(`json_transform json_transform_strict from_json from_json_strict`)

// Functions are the names in functions.txt.
type Functions struct{ Allowed, Refused map[string]bool }

// ReadFunctions reads functions.txt.
func ReadFunctions() Functions {
	a, r, _ := strings.Cut(functionsText, "\n!\n")
	return Functions{limits.Words(a), limits.Words(r)}
}

// tableRef is a table named in FROM that is not a CTE.
type tableRef struct {
	Pos   int
	Parts []string // one to three names, as written
	node  map[string]any
}

// Tree is what the guard found in a statement.
type Tree struct {
	root   map[string]any
	Tables []tableRef
	// longColumns are references to columns by three or four names.
	LongColumns []tableRef
	Params      int
}

// scope is the name of a CTE and its enclosing scopes.
type scope struct {
	up    *scope
	name  string
	reads float64 // the number of tables that it expands to
}

func (s *scope) find(name string) *scope {
	for ; s != nil; s = s.up {
		if strings.EqualFold(s.name, name) {
			return s
		}
	}
	return nil
}

// guard walks a tree.
type guard struct {
	allowed map[string]bool
	known   map[string]bool // functions of the engine besides the allowed ones
	own     bool            // the text was written by the translation: it may call the engine's own functions
	lambdas int             // around the current node
	reads   float64         // tables so far, each as often as the planner expands it
	out     *Tree
}

func (g *guard) refuse(node map[string]any, format string, args ...any) error {
	return ErrorAt(location(node), engine.KindNotAllowed, format, args...)
}

func (g *guard) walk(v any, sc *scope) error {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if err := g.walk(x, sc); err != nil {
				return err
			}
		}
	case map[string]any:
		return g.node(v, sc)
	}
	return nil
}

func (g *guard) node(n map[string]any, sc *scope) error {
	typ, _ := n["type"].(string)
	if class(n) == "LAMBDA" {
		if g.lambdas++; g.lambdas > limits.MaxLambdas {
			return ErrorAt(location(n), engine.KindLimit, "lambdas nest deeper than %d levels", limits.MaxLambdas)
		}
		defer func() { g.lambdas-- }()
	}
	if class, ok := n["class"]; ok {
		if c, _ := class.(string); !allowedClasses[c] {
			return g.refuse(n, "expressions of class %v are not allowed", class)
		}
	} else if typ != "" && !allowedTypes[typ] {
		return g.refuseType(n, typ)
	}
	id, name := str(n, "id"), str(n, "name")
	if strings.EqualFold(id, "VARIANT") || typ == "UNBOUND_TYPE_INFO" && strings.EqualFold(name, "VARIANT") {
		// No result can contain one, and creating one from JSON overflows the stack.
		return &engine.Error{Kind: engine.KindUnsupported, Message: "type VARIANT is not supported on zone local"}
	}
	if class(n) == "CAST" && mentionsBignum(n["cast_type"]) {
		child, _ := n["child"].(map[string]any)
		if text, ok := literalText(child); str(child, "class") != "CONSTANT" || ok && len(text) > maxDigits {
			return g.refuse(n, "only constants of at most %d digits can be cast to BIGNUM", maxDigits)
		}
	}
	if typ == "SELECT_NODE" {
		before := g.reads
		defer func() {
			list, _ := n["select_list"].([]any)
			g.reads = before + (g.reads-before)*doubledStars(list)
		}()
	}
	skip := "cte_map"
	switch typ {
	case "BASE_TABLE":
		if err := g.table(n, sc); err != nil {
			return err
		}
	case "TABLE_FUNCTION":
		f, _ := n["function"].(map[string]any)
		if name := strings.ToLower(str(f, "function_name")); !allowedTableFunctions[name] || str(f, "schema")+str(f, "catalog") != "" {
			return g.refuse(n, "Table function '%s' is not allowed", name)
		}
		if err := g.walk(f["children"], sc); err != nil {
			return err
		}
		skip = "function"
	case "COLUMN_REF":
		if names, _ := n["column_names"].([]any); len(names) >= 3 {
			ref := tableRef{Pos: location(n), node: n}
			for _, x := range names {
				name, _ := x.(string)
				ref.Parts = append(ref.Parts, name)
			}
			g.out.LongColumns = append(g.out.LongColumns, ref)
		}
	case "VALUE_PARAMETER":
		g.out.Params++
	}
	if name, ok := n["function_name"].(string); ok {
		if err := g.call(n, strings.ToLower(name)); err != nil {
			return err
		}
	}
	sc, err := g.ctes(n, sc)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(n)) { // in a fixed order, so that of several errors always the same is reported
		if key == skip {
			continue
		}
		if err := g.walk(n[key], sc); err != nil {
			return err
		}
	}
	return nil
}

// maxDigits limits numbers of type BIGNUM: the time to create one is quadratic, and cannot be
// interrupted.
const maxDigits = 1000

// mentionsBignum reports whether a type is BIGNUM or contains it.
func mentionsBignum(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.EqualFold(v, "BIGNUM") || strings.EqualFold(v, "VARINT")
	case []any:
		return slices.ContainsFunc(v, mentionsBignum)
	case map[string]any:
		for _, x := range v {
			if mentionsBignum(x) {
				return true
			}
		}
	}
	return false
}

func (g *guard) refuseType(n map[string]any, typ string) error {
	if typ == "SHOW_REF" {
		return g.refuse(n, "DESCRIBE, SHOW and SUMMARIZE are not allowed inside a SELECT")
	}
	return g.refuse(n, "%s is not allowed", strings.ReplaceAll(strings.ToLower(typ), "_", " "))
}

// table records a table of FROM.
func (g *guard) table(n map[string]any, sc *scope) error {
	if n["at_clause"] != nil {
		return g.refuse(n, "time travel is not allowed")
	}
	var parts []string
	for _, key := range [...]string{"catalog_name", "schema_name", "table_name"} {
		if s := str(n, key); s != "" {
			parts = append(parts, s)
		}
	}
	reads, cte := 1.0, (*scope)(nil)
	if len(parts) == 1 {
		if cte = sc.find(parts[0]); cte != nil {
			reads = max(1, cte.reads)
		}
	}
	if g.reads += reads; g.reads > limits.MaxExpanded && !g.own {
		return ErrorAt(location(n), engine.KindLimit, "the statement reads more than %d tables when each name of a WITH list counts as what stands behind it", limits.MaxExpanded)
	}
	if cte != nil {
		return nil
	}
	g.out.Tables = append(g.out.Tables, tableRef{location(n), parts, n})
	return nil
}

// call checks the call of a scalar, aggregate or window function.
func (g *guard) call(n map[string]any, name string) error {
	schema := str(n, "schema")
	if str(n, "catalog") != "" || schema != "" && schema != "main" || schema == "main" && cappedFunctions[name] {
		return g.refuse(n, "function '%s' may not be qualified", name)
	}
	if !g.allowed[name] && !(g.own && strings.HasPrefix(name, "~")) {
		if g.known[name] {
			return g.refuse(n, "Function '%s' is not allowed", name)
		}
		return ErrorAt(location(n), engine.KindUnsupported, "Function '%s' not registered", name)
	}
	if g.own {
		return nil
	}
	if name == "format" || name == "printf" {
		if err := g.formatWidth(n); err != nil {
			return err
		}
	}
	if name == "reservoir_quantile" {
		if err := g.sampleSize(n); err != nil {
			return err
		}
	}
	if name == "regexp_replace" {
		if err := g.replacement(n); err != nil {
			return err
		}
	}
	if transformFunctions[name] {
		if err := g.structureDepth(n); err != nil {
			return err
		}
	}
	return nil
}

// formatWidth accepts only constant formats with widths of at most three digits: a larger width exhausts the memory.
func (g *guard) formatWidth(n map[string]any) error {
	args, _ := n["children"].([]any)
	if len(args) == 0 {
		return nil
	}
	first, _ := args[0].(map[string]any)
	value, _ := first["value"].(map[string]any)
	text, ok := value["value"].(string)
	if str(first, "class") != "CONSTANT" || !ok {
		return g.refuse(n, "the format of '%s' must be a constant text", str(n, "function_name"))
	}
	digits, inside := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if digits++; !IsDigit(c) {
			digits = 0
		}
		nested := false
		if str(n, "function_name") == "format" {
			switch {
			case c == '{' && !inside && i+1 < len(text) && text[i+1] == '{':
				i++ // an escaped percent sign
			case c == '{':
				nested, inside = inside, true
			case c == '}':
				inside = false
			}
		}
		if digits > 3 || nested || c == '*' {
			return g.refuse(n, "a width in the format of '%s' may not exceed 999", str(n, "function_name"))
		}
	}
	return nil
}

// sampleSize accepts only small constant sizes: the sample of each group is allocated at once, and a failed allocation breaks the
// engine.
func (g *guard) sampleSize(n map[string]any) error {
	const most = 10000
	args, _ := n["children"].([]any)
	if len(args) < 3 {
		return nil
	}
	third, _ := args[2].(map[string]any)
	value, _ := third["value"].(map[string]any)
	var size int64
	if str(third, "class") == "CONSTANT" {
		if _, err := fmt.Sscan(fmt.Sprint(value["value"]), &size); err == nil && size >= 0 && size <= most {
			return nil
		}
	}
	return g.refuse(n, "the sample size of 'reservoir_quantile' must be a constant of at most %d", most)
}

// replacement accepts only short constant texts where regexp_replace may insert them for every match: the result of long ones
// exhausts the memory.
func (g *guard) replacement(n map[string]any) error {
	const most = 100
	args, _ := n["children"].([]any)
	if len(args) < 4 {
		return nil
	}
	third, _ := args[2].(map[string]any)
	if text, ok := literalText(third); !ok || str(third, "class") != "CONSTANT" || len(text) > most {
		return g.refuse(n, "the replacement of 'regexp_replace' with options must be a constant text of at most %d bytes", most)
	}
	return nil
}

// structureDepth accepts only constant structures of little depth: DuckDB reads them recursively.
func (g *guard) structureDepth(n map[string]any) error {
	const most = 100
	args, _ := n["children"].([]any)
	if len(args) < 2 {
		return nil // for which the engine has a better message
	}
	second, _ := args[1].(map[string]any)
	text, ok := literalText(second)
	if !ok || str(second, "class") != "CONSTANT" {
		return g.refuse(n, "the structure of '%s' must be a constant text", str(n, "function_name"))
	}
	if jsontext.Deeper(text, most) >= 0 {
		return g.refuse(n, "the structure of '%s' may not nest deeper than %d levels", str(n, "function_name"), most)
	}
	return nil
}

// ctes walks the WITH list of a node and returns the scope of the rest of the node.
func (g *guard) ctes(n map[string]any, sc *scope) (*scope, error) {
	if str(n, "type") == "RECURSIVE_CTE_NODE" {
		return &scope{up: sc, name: str(n, "cte_name")}, nil
	}
	cm, ok := n["cte_map"].(map[string]any)
	if !ok {
		return sc, nil
	}
	list, _ := cm["map"].([]any)
	for _, x := range list {
		entry, _ := x.(map[string]any)
		before := g.reads
		if err := g.walk(entry["value"], sc); err != nil {
			return nil, err
		}
		sc = &scope{up: sc, name: str(entry, "key"), reads: g.reads - before}
		g.reads = before
	}
	return sc, nil
}
