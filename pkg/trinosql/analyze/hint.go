package analyze

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// hinted is failNamed with a hint: the probable correction.
func hinted(kind, name string, at trinosql.Node, hint, format string, args ...any) {
	panic(failure{&Error{Kind: kind, At: at.Pos(), Msg: fmt.Sprintf(format, args...), Name: name, Hint: hint}})
}

func didYouMean(text string) string { return "did you mean " + text + "?" }

// maxNear limits the names that are compared for a hint.
const maxNear = 5000

// missingColumn ends the analysis for a column that does not exist.
func (s *scope) missingColumn(x trinosql.Node, name []string) {
	full := strings.Join(name, ".")
	hinted("COLUMN_NOT_FOUND", full, x, s.columnHint(x, name), "Column '%s' cannot be resolved", full)
}

func (s *scope) columnHint(x trinosql.Node, name []string) string {
	last, prefix := name[len(name)-1], name[:len(name)-1]
	var columns, tables []string
	for ; s != nil && len(columns) < maxNear; s = s.parent {
		for _, f := range s.fields {
			if f.Name == "" {
				continue
			}
			if len(prefix) == 0 || qualifies(f.Alias, prefix) {
				columns = append(columns, f.Name)
			}
			if n := len(f.Alias); n > 0 && (len(tables) == 0 || tables[len(tables)-1] != f.Alias[n-1]) {
				tables = append(tables, f.Alias[n-1])
			}
		}
	}
	ident, _ := x.(*trinosql.Ident)
	if near := nearest.Of(last, columns); near != "" {
		text := trinosql.QuoteName(near)
		for i := len(prefix) - 1; i >= 0; i-- {
			text = trinosql.QuoteName(prefix[i]) + "." + text
		}
		return didYouMean(text)
	}
	if ident != nil && ident.Quoted {
		return "double quotes are for names; a text is written " + trinosql.QuoteText(ident.Name)
	}
	if len(prefix) > 0 && len(columns) == 0 {
		if near := nearest.Of(prefix[len(prefix)-1], tables); near != "" {
			return didYouMean(trinosql.QuoteName(near) + "." + trinosql.QuoteName(last))
		}
		if len(tables) > 0 {
			return fmt.Sprintf("no table of the statement is called %s", strings.Join(prefix, "."))
		}
	}
	if ident != nil && slices.Contains(units, strings.ToLower(last)) {
		return "a unit is written as a text: '" + strings.ToLower(last) + "'"
	}
	if ident != nil && otherColumns[strings.ToLower(last)] != "" {
		return "Trino has " + otherColumns[strings.ToLower(last)]
	}
	return ""
}

// units are the units of date_add and similar, which other engines write as keywords.
var units = []string{"millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"}

// otherColumns are functions of other engines that are called without parentheses, and their equivalents in Trino.
var otherColumns = map[string]string{"sysdate": "now()", "systimestamp": "now()", "curdate": "current_date",
	"getdate": "now()", "today": "current_date", "rownum": "row_number() OVER ()",
	"all": "no GROUP BY ALL: name the columns"}

// otherNames are functions of other engines and their equivalents in Trino.
var otherNames = map[string]string{
	"ifnull": "coalesce", "nvl": "coalesce", "isnull": "coalesce, and x IS NULL", "len": "length",
	"char_length": "length", "character_length": "length", "datalength": "length",
	"getdate": "now()", "sysdate": "now()", "curdate": "current_date", "today": "current_date", "datediff": "date_diff",
	"dateadd": "date_add", "date_sub": "date_add",
	"datepart": "extract(... FROM x)", "date_part": "extract(... FROM x)", "dayofweek": "day_of_week",
	"weekday": "day_of_week", "dayofyear": "day_of_year",
	"strftime":    "date_format",
	"str_to_date": "date_parse", "strptime": "date_parse",
	"unix_timestamp": "to_unixtime", "epoch": "to_unixtime",
	"group_concat": "listagg(x, ',') WITHIN GROUP (ORDER BY x)",
	"string_agg":   "listagg(x, ',') WITHIN GROUP (ORDER BY x)",
	"instr":        "strpos", "charindex": "strpos", "locate": "strpos", "left": "substr(x, 1, n)",
	"right": "substr(x, -n)",
	"mid":   "substr", "ucase": "upper", "lcase": "lower",
	"regexp_matches": "regexp_like", "regexp_instr": "regexp_position", "regexp_substr": "regexp_extract",
	"rlike": "regexp_like", "array_length": "cardinality", "array_size": "cardinality", "list_contains": "contains",
	"array_contains": "contains",
	"string_split":   "split", "string_to_array": "split", "array_to_string": "array_join", "list": "array_agg",
	"collect_list": "array_agg", "generate_series": "sequence", "range": "sequence", "explode": "UNNEST(x)",
	"iff": "if", "iif": "if", "decode": "CASE", "nvl2": "if", "bool_xor": "<>", "median": "approx_percentile(x, 0.5)",
	"percentile_cont": "approx_percentile", "any": "any_value", "first": "min_by or arbitrary", "last": "max_by",
	"json_value_text": "json_extract_scalar", "get_json_object": "json_extract_scalar",
	"json_extract_path_text": "json_extract_scalar", "gen_random_uuid": "uuid", "newid": "uuid", "random_uuid": "uuid",
	"try_divide": "try(x / y)", "safe_cast": "TRY_CAST", "convert": "CAST",
	"trunc": "truncate",
}

// joinHint is a cast of the first operand of || or concat that is of another type than text, if one is a text.
func joinHint(args []trinosql.Expr, given []*types.Type) string {
	other, texts := -1, false
	for i, t := range given {
		switch {
		case t == nil:
		case t.Text():
			texts = true
		case other < 0 && (t.Numeric() || t.DateTime() || t.Kind == types.Boolean || t.Kind == types.UUID ||
			t.Kind == types.JSON):
			other = i
		}
	}
	if !texts || other < 0 {
		return ""
	}
	return "texts are joined with texts: CAST(" + show(args[other]) + " AS varchar)"
}

// functionHint is the probable correction of a function name that does not exist.
func functionHint(name string) string {
	if other := otherNames[strings.ToLower(name)]; other != "" {
		return "Trino has " + other
	}
	var names []string
	for _, f := range functions.All() {
		if f.Kind == functions.Operator || f.Hidden {
			continue
		}
		names = append(append(names, f.Name), f.Aliases...)
	}
	slices.Sort(names)
	if near := nearest.Of(name, slices.Compact(names)); near != "" {
		return didYouMean(near)
	}
	return ""
}

// otherTypes are types of other engines and their equivalents in Trino.
var otherTypes = map[string]string{"text": "varchar", "string": "varchar", "nvarchar": "varchar", "clob": "varchar",
	"bool": "boolean", "datetime": "timestamp", "timestamptz": "timestamp with time zone",
	"float": "double or real", "float4": "real", "float8": "double", "float64": "double", "number": "decimal",
	"numeric": "decimal", "money": "decimal", "int2": "smallint", "int4": "integer", "int8": "bigint",
	"int64": "bigint", "long": "bigint", "signed": "bigint", "unsigned": "bigint", "blob": "varbinary",
	"bytea": "varbinary", "bytes": "varbinary", "binary": "varbinary", "jsonb": "json", "struct": "row",
	"list": "array"}

// typeHint is the probable correction of a type that does not exist.
func typeHint(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), "(")
	if name == "interval" {
		return "the unit of an interval follows the text: INTERVAL '3' DAY"
	}
	if other := otherTypes[name]; other != "" {
		return "Trino has " + other
	}
	if near := nearest.Of(name, typeNames); near != "" {
		return didYouMean(near)
	}
	return ""
}

var typeNames = []string{"boolean", "tinyint", "smallint", "integer", "bigint", "real", "double", "decimal", "varchar",
	"char", "varbinary", "json", "date", "time", "timestamp", "array", "map", "row", "uuid"}

var (
	dateText  = late.Regexp(`^\d{4}-\d{1,2}-\d{1,2}$`)
	stampText = late.Regexp(`^\d{4}-\d{1,2}-\d{1,2}[ T]\d{1,2}:\d{2}`)
	numText   = late.Regexp(`^[+-]?\d+(\.\d*)?$`)
)

// mixedHint suggests how values of different types, one of them a string, can be compared.
func mixedHint(list []trinosql.Expr, given []*types.Type) string {
	var other *types.Type
	var text trinosql.Expr
	for i, t := range given {
		switch {
		case t.Kind == types.Varchar || t.Kind == types.Char:
			text = list[i]
		case t.Kind != types.Unknown && other == nil:
			other = t
		}
	}
	if text == nil || other == nil {
		return ""
	}
	lit, _ := text.(*trinosql.StringLit)
	is := func(p func() *regexp.Regexp) bool { return lit != nil && p().MatchString(lit.Value) }
	written := func(prefix string) string { return "write " + prefix + trinosql.QuoteText(lit.Value) }
	switch {
	case is(dateText) && (other.Kind == types.Date || other.Kind == types.Timestamp || other.Kind == types.TimestampTZ):
		return written("DATE ")
	case is(stampText) && (other.Kind == types.Date || other.Kind == types.Timestamp ||
		other.Kind == types.TimestampTZ):
		return written("TIMESTAMP ")
	case lit != nil && other.Kind == types.Time:
		return written("TIME ")
	case lit != nil && other.Kind == types.UUID:
		return written("UUID ")
	case is(numText) && other.Kind >= types.Tinyint && other.Kind <= types.Double:
		return "write the number without quotes: " + lit.Value
	case lit != nil && other.Kind == types.Boolean && slices.Contains([]string{"true", "false"},
		strings.ToLower(lit.Value)):
		return "write " + strings.ToLower(lit.Value) + " without quotes"
	case lit == nil && other.Kind != types.Row && other.Kind != types.Array && other.Kind != types.Map:
		return fmt.Sprintf("CAST(%s AS %s) compares them as %s", show(text), other, other)
	}
	return ""
}
