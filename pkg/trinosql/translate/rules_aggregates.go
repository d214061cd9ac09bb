package translate

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func aggregateRules(reg *registry) {
	reg.rules["approx_distinct"] = func(p *printer, c *call) { // an exact count is within its error
		if overWindow(c) {
			p.refuse(c.node, "approx_distinct(...) OVER is not supported on zone local")
		}
		with := *c
		with.args = c.args[:1]
		count := "count(DISTINCT $1)"
		if len(c.args) > 1 {
			e, ok := p.constantDouble(c.args[1].expr)
			if !ok {
				p.refuse(c.node, "approx_distinct with an error that is not a constant is not supported on zone local")
			}
			if kind := c.bound.Args[0].Kind; !(e >= 0.0040625 && e <= 0.26) && kind != types.Boolean &&
				kind != types.Unknown {
				count = fmt.Sprintf(`count(CAST("~error"('Max standard error must be in [0.0040625, 0.26]: %v') AS `+
					`INTEGER))`, e)
			}
		}
		p.aggregateCall(&with, mustParts(count))
	}
	reg.rules["avg decimal"] = func(p *printer, c *call) {
		t := c.bound.Result
		p.put(`CAST("~divide"(CAST(`)
		p.aggregateCall(c, mustParts("sum($1)"))
		p.put(" AS VARCHAR), CAST(")
		p.aggregateCall(c, mustParts("count($1)"))
		p.put(" AS VARCHAR), '", strconv.Itoa(t.Scale), "') AS ", p.duckType(c.node, t), ")")
	}
	reg.rules["sum decimal"] = func(p *printer, c *call) {
		if !p.sumSmall(c) {
			p.sumChecked(c)
		}
	}
	reg.rules["max"] = func(p *printer, c *call) {
		if !float(c.bound.Args[0]) || p.finite(c.args[0].expr) {
			p.aggregateCall(c, mustParts("max("+p.withoutNaN(c.bound.Args[0], "$1", "max")+")"))
			return
		}
		p.put("coalesce(") // NaN is greater than any number in DuckDB and less in Trino
		p.aggregateCall(c, mustParts("max(CASE WHEN NOT isnan($1) THEN $1 END)"))
		p.put(", ", func() { p.aggregateCall(c, mustParts("max($1)")) }, ")")
	}
	reg.rules["min"] = func(p *printer, c *call) {
		p.aggregateCall(c, mustParts("min("+p.withoutNaN(c.bound.Args[0], "$1", "min")+")"))
	}
	for _, which := range []string{"max", "min"} {
		reg.rules[which+" n"] = func(p *printer, c *call) {
			if which == "max" && float(c.bound.Args[0]) {
				p.most(c, "arg_max", "$1", nanFirst("$1"), 1, "second argument of "+which+"_n must be positive",
					"second argument of "+which+"_n")
				return
			}
			p.most(c, which, p.withoutNaN(c.bound.Args[0], "$1", which), "", 1, "second argument of "+which+
				"_n must be positive", "second argument of "+which+"_n")
		}
		reg.rules[which+"_by"] = func(p *printer, c *call) {
			key := p.withoutNaN(c.bound.Args[1], "$2", which+"_by")
			if which == "max" && float(c.bound.Args[1]) && !p.finite(c.args[1].expr) {
				key = nanFirst("$2")
			}
			p.aggregateCall(c, mustParts("arg_"+which+"_null($1, "+key+")"))
		}
		reg.rules[which+"_by n"] = func(p *printer, c *call) {
			key := p.withoutNaN(c.bound.Args[1], "$2", which+"_by")
			if which == "max" && float(c.bound.Args[1]) {
				key = nanFirst("$2")
			}
			p.put("list_transform(")
			p.most(c, "arg_"+which, "struct_pack(v := $1)", key, 2, "third argument of "+which+
				"_by must be a positive integer", "third argument of "+which+"_by")
			p.put(`, lambda "~e": struct_extract_at("~e", 1))`)
		}
	}
	for name, m := range map[string]struct {
		call   string
		least  int  // the minimum number of values
		absent bool // NULL instead of NaN or infinity
	}{
		"stddev_samp": {"stddev_samp($1)", 2, false}, "stddev_pop": {"stddev_pop($1)", 1, false},
		"var_samp": {"var_samp($1)", 2, false}, "var_pop": {"var_pop($1)", 1, false},
		"covar_samp": {"covar_samp($1, $2)", 2, false}, "covar_pop": {"covar_pop($1, $2)", 1, false},
		"corr": {"corr($1, $2)", 1, true}, "regr_slope": {"regr_slope($1, $2)", 1, true},
		"regr_intercept": {"regr_intercept($1, $2)", 1, true},
	} {
		reg.rules["moments "+name] = func(p *printer, c *call) { p.moments(c, m.call, m.least, m.absent) }
	}
	reg.rules["skewness"] = func(p *printer, c *call) {
		p.centered(c, 3, "sqrt(CAST(len($1) AS DOUBLE)) * $4 / ($3 * sqrt($3))")
	}
	reg.rules["kurtosis"] = func(p *printer, c *call) {
		const n = "CAST(len($1) AS DOUBLE)"
		p.centered(c, 4, strings.ReplaceAll("(N - 1) * N * (N + 1) / ((N - 2) * (N - 3)) * $5 / ($3 * $3) - 3 * (N - "+
			"1) * (N - 1) / ((N - 2) * (N - 3))", "N", n))
	}
	reg.rules["approx_percentile"] = (*printer).percentile
	entries := "list(struct_pack(f1 := $1, f2 := $2))"
	reg.rules["map_agg"] = func(p *printer, c *call) { p.aggregateMap(c, entries, (*printer).firstMap) }
	reg.rules["multimap_agg"] = func(p *printer, c *call) { p.aggregateMap(c, entries, (*printer).multimap) }
	reg.rules["map_union"] = func(p *printer, c *call) {
		p.bindWrapped(c, "list($1)", func(maps operand) {
			entries := operand{write: func() {
				p.fill(c.node, `flatten(list_transform(list_filter($1, lambda "~m": "~m" IS NOT NULL), lambda "~m": `+
					`map_entries("~m")))`, maps)
			}}
			p.put("CASE WHEN list_contains(")
			p.fill(c.node, `list_transform($1, lambda "~m": cardinality("~m") > 0)`, maps)
			p.put(", true) THEN ")
			p.firstMap(c.node, entries)
			p.put(" END")
		})
	}
	reg.rules["histogram"] = func(p *printer, c *call) {
		if float(c.bound.Args[0]) { // DuckDB loses numbers next to NaN
			p.bindWrapped(c, "list($1)", func(list operand) {
				p.put("CASE WHEN ")
				p.fill(c.node, `list_contains(list_transform($1, lambda "~e": "~e" IS NOT NULL), true)`, list)
				p.put(" THEN ")
				p.counts(c.node, list)
				p.put(" END")
			})
			return
		}
		with := *c
		if given := c.args[0]; hasMap(c.bound.Args[0]) {
			with.args = []operand{{write: func() { p.canonical(c.bound.Args[0], given) }}}
		}
		p.wrapped(&with, "histogram($1)", `list_filter([CAST($0 AS `+p.duckType(c.node, c.bound.Result)+
			`)], lambda "~m": cardinality("~m") > 0)[1]`)
	}
	reg.rules["reduce_agg"] = (*printer).reduceAgg
}

func overWindow(c *call) bool { return c.fn != nil && (c.fn.Over != nil || c.fn.OverName != nil) }

// nanFirst is a sort key in which NaN is less than any number.
func nanFirst(x string) string {
	return "CASE WHEN " + x + " IS NOT NULL THEN struct_pack(a := NOT isnan(" + x + "), b := " + x + ") END"
}

// withoutNaN writes a value for a comparison, which fails if an array or row contains NaN: in DuckDB that is the
// greatest number, and in Trino it is neither less nor greater than another.
func (p *printer) withoutNaN(t *types.Type, x, function string) string {
	if !nested(t) || !hasFloat(t) {
		return x
	}
	return "CASE WHEN " + p.hasNaN(t, x) + ` THEN "~error"('` + function +
		` of values with NaN inside is not supported on zone local') ELSE ` + x + " END"
}

// hasNaN is the condition that a value contains NaN; it is NULL or false otherwise.
func (p *printer) hasNaN(t *types.Type, x string) string {
	switch {
	case float(t):
		return "isnan(" + x + ")"
	case t.Kind == types.Array:
		e := p.name("x")
		return "len(list_filter(" + x + ", lambda " + e + ": " + p.hasNaN(t.Args[0], e) + ")) > 0"
	}
	var parts []string
	for i, f := range t.Args {
		if hasFloat(f) {
			parts = append(parts, "coalesce("+p.hasNaN(f, field(x, i))+", false)")
		}
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

// wrapped writes an aggregate within an expression, in which $0 is the call.
func (p *printer) wrapped(c *call, call, wrap string) {
	before, after, _ := strings.Cut(wrap, "$0")
	p.put(before, func() { p.aggregateCall(c, mustParts(call)) }, after)
}

// bindWrapped binds the result of an aggregate so that it is evaluated once.
func (p *printer) bindWrapped(c *call, call string, write func(a operand)) {
	p.bindOnce([]operand{{write: func() { p.aggregateCall(c, mustParts(call)) }}},
		func(args []operand) { write(args[0]) })
}

// aggregateMap aggregates the keys and values of a group to a map.
func (p *printer) aggregateMap(c *call, call string, write func(p *printer, at trinosql.Node, entries operand)) {
	p.bindWrapped(c, call, func(all operand) {
		entries := operand{write: func() {
			p.fill(c.node, `list_filter($1, lambda "~e": struct_extract_at("~e", 1) IS NOT NULL)`, all)
		}}
		p.bindOnce([]operand{entries}, func(args []operand) {
			p.put("CASE WHEN len(", args[0], ") > 0 THEN ")
			write(p, c.node, args[0])
			p.put(" END")
		})
	})
}

const mostKept = 10000

// most writes an aggregate of the n greatest or least values. Rows with NULL, also for n, are ignored.
func (p *printer) most(c *call, name, value, key string, n int, tooFew, tooMany string) {
	count := c.args[n]
	args := append([]operand{}, c.args...)
	if v, ok := p.constant(count.expr); !ok || v.Sign() <= 0 || v.Cmp(big.NewInt(mostKept)) > 0 {
		args[n] = operand{write: func() {
			p.put("CAST(")
			p.fill(c.node, `CASE WHEN $2 IS NULL THEN 1 WHEN $1 <= 0 THEN "~error"('`+tooFew+`') WHEN $1 > `+
				strconv.Itoa(mostKept)+` THEN "~error"('`+tooMany+` must be less than or equal to `+
				strconv.Itoa(mostKept)+`; found ' || CAST($1 AS VARCHAR)) ELSE coalesce($1, 1) END`, count, c.args[n-1])
			p.put(" AS BIGINT)")
		}}
		given := "$" + strconv.Itoa(n+2) + " IS NOT NULL"
		args = append(args, count)
		if key != "" {
			key = "CASE WHEN " + given + " THEN " + key + " END"
		} else {
			value = "CASE WHEN " + given + " THEN " + value + " END"
		}
	}
	if key != "" {
		value += ", " + key
	}
	with := *c
	with.args = args
	p.aggregateCall(&with, mustParts(name+"("+value+", $"+strconv.Itoa(n+1)+")"))
}

// moments writes an aggregate that DuckDB rejects for infinities and NaN.
func (p *printer) moments(c *call, call string, least int, absent bool) {
	var odd, given []string
	finite := call
	for i, a := range c.args {
		x := "$" + strconv.Itoa(i+1)
		given = append(given, x+" IS NOT NULL")
		if !p.finite(a.expr) {
			odd = append(odd, "NOT isfinite("+x+")")
			finite = strings.ReplaceAll(finite, x, "CASE WHEN isfinite("+x+") THEN "+x+" END")
		}
	}
	result := p.duckType(c.node, c.bound.Result)
	write := func() {
		if absent {
			p.wrapped(c, finite, `list_filter([$0], lambda "~x": isfinite("~x"))[1]`)
		} else {
			p.aggregateCall(c, mustParts(finite))
		}
	}
	p.put("CAST(")
	if len(odd) > 0 {
		p.put("CASE WHEN ")
		p.aggregateCall(c, mustParts("bool_or("+strings.Join(given, " AND ")+" AND ("+strings.Join(odd, " OR ")+"))"))
		p.put(" THEN ")
		if absent {
			p.put("NULL")
		} else {
			p.wrapped(c, "count(CASE WHEN "+strings.Join(given, " AND ")+" THEN 1 END)", "CASE WHEN $0 >= "+
				strconv.Itoa(least)+" THEN CAST('NaN' AS DOUBLE) END")
		}
		p.put(" ELSE ")
		write()
		p.put(" END")
	} else {
		write()
	}
	p.put(" AS ", result, ")")
}

// centered writes a formula over sums of powers of differences from the mean: $3 and following are those of the power 2
// and following, $1 is the list of values.
func (p *printer) centered(c *call, power int, formula string) {
	p.bindWrapped(c, "list(CAST($1 AS DOUBLE))", func(all operand) {
		list := operand{write: func() { p.fill(c.node, `list_filter($1, lambda "~e": "~e" IS NOT NULL)`, all) }}
		p.bindOnce([]operand{list}, func(args []operand) {
			list := args[0]
			mean := operand{write: func() { p.fill(c.node, "list_sum($1) / len($1)", list) }}
			p.bindOnce([]operand{mean}, func(args []operand) {
				sums := []operand{list, args[0]}
				for n := 2; n <= power; n++ {
					term := strings.Repeat(` * ("~e" - $2)`, n)[3:]
					sums = append(sums, operand{write: func() {
						p.fill(c.node,
							`list_sum(list_transform($1, lambda "~e": `+term+"))", list, args[0])
					}})
				}
				p.fill(c.node, "CASE WHEN len($1) >= "+strconv.Itoa(power)+
					" THEN CASE WHEN $3 = 0 THEN CAST('NaN' AS DOUBLE) ELSE "+formula+" END END", sums...)
			})
		})
	})
}

// percentile writes the exact value at a position of the sorted values. DuckDB counts the position from the other end.
func (p *printer) percentile(c *call) {
	percentiles := c.args[len(c.args)-1].expr
	list := []trinosql.Expr{percentiles}
	a, isList := percentiles.(*trinosql.Array)
	if isList {
		list = a.Items
	}
	places := make([]string, len(list))
	outside := false
	for i, x := range list {
		q, ok := p.constantDouble(x)
		if !ok {
			p.refuse(x, "a percentile that is not a constant is not supported on zone local")
		}
		outside = outside || !(q >= 0 && q <= 1)
		places[i] = "CAST('" + strconv.FormatFloat(min(q-1, -1e-300), 'g', -1, 64) + "' AS DOUBLE)"
	}
	value := "$1"
	if float(c.bound.Args[0]) && !p.finite(c.args[0].expr) {
		value = `CASE WHEN isnan($1) THEN CAST("~error"('value is NaN') AS DOUBLE) ELSE $1 END`
	}
	if outside {
		value = `CASE WHEN $1 IS NOT NULL THEN CAST("~error"('Percentile must be between 0 and 1') AS DOUBLE) END`
		places = []string{"0.5"}
	}
	where := strings.Join(places, ", ")
	if isList {
		where = "[" + where + "]"
	}
	with := *c
	with.args = c.args[:1]
	p.wrapped(&with, "quantile_disc("+value+", "+where+")", "CAST($0 AS "+p.duckType(c.node, c.bound.Result)+")")
}

// constantDouble is the value of a number literal.
func (p *printer) constantDouble(x trinosql.Expr) (float64, bool) {
	sign, lit := p.numeral(x)
	var text string
	switch lit := lit.(type) {
	case *trinosql.IntLit:
		text = integer(lit.Text).String()
	case *trinosql.DecimalLit:
		text = lit.Text
	case *trinosql.DoubleLit:
		text = lit.Text
	}
	v, err := strconv.ParseFloat(sign+text, 64)
	return v, err == nil
}

// reduceAgg folds the values of a group in input order.
func (p *printer) reduceAgg(c *call) {
	state := c.bound.Args[1]
	switch state.Kind {
	case types.Boolean, types.Tinyint, types.Smallint, types.Integer, types.Bigint, types.Real,
		types.Double, types.Date:
	default:
		p.refuse(c.node, "reduce_agg with a state of type %s is not supported on zone local", state)
	}
	p.bindWrapped(c, "list($1)", func(all operand) {
		list := operand{write: func() { p.fill(c.node, `list_filter($1, lambda "~e": "~e" IS NOT NULL)`, all) }}
		p.bindOnce([]operand{list}, func(args []operand) {
			p.put("CASE WHEN len(", args[0], ") > 0 THEN ")
			p.fold(c, args[0], c.args[1], func(s, element string) { p.bodyOf(p.lambdaOf(c.args[2]), s, element) },
				state, c.bound.Args[0])
			p.put(" END")
		})
	})
}

const mostListed = 1 << 20

// listagg writes LISTAGG. Trino limits the length of the result in bytes.
func (p *printer) listagg(x *trinosql.Listagg) {
	separator := ""
	if x.Separator != nil {
		separator = x.Separator.Value
	}
	fails := "Concatenated string has the length in bytes larger than the maximum output length " +
		strconv.Itoa(mostListed)
	if x.Overflow == "TRUNCATE" {
		fails = "listagg: a text of more than " + strconv.Itoa(mostListed) + " bytes is not truncated on zone local"
	}
	p.put("list_transform([string_agg(")
	if x.Distinct {
		p.put("DISTINCT ")
	}
	p.put(x.X, ", ", quoteText(separator), " ORDER BY ")
	p.sortItems(x.Within)
	p.put(")")
	p.filter(x, x.Filter)
	p.put(`], lambda "~t": CASE WHEN strlen("~t") > `, strconv.Itoa(mostListed), ` THEN "~error"(`, quoteText(fails),
		`) ELSE "~t" END)[1]`)
}
