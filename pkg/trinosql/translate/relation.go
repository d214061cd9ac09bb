package translate

import (
	"fmt"
	"math/big"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// relation writes an item of FROM and records the references of its columns.
func (p *printer) relation(r trinosql.Relation) {
	fields := p.a.Relations[r].Fields
	switch r := r.(type) {
	case *trinosql.TableRef:
		p.tableUse(p.a.Tables[r], fields)
	case *trinosql.SubqueryRel:
		p.subquery(r.Query, fields)
	case *trinosql.ParenRel:
		p.relation(r.Relation)
		p.copyRefs(fields, p.a.Relations[r.Relation].Fields)
	case *trinosql.Aliased:
		p.relation(r.Relation)
		p.copyRefs(fields, p.a.Relations[r.Relation].Fields)
	case *trinosql.Join:
		p.join(r)
	case *trinosql.Lateral:
		p.lateral(r.Query, fields)
	case *trinosql.Unnest:
		p.unnest(r, fields)
	case *trinosql.Sampled:
		p.sampled(r)
	case *trinosql.TableFunc:
		p.tableFunc(r, fields)
	case *trinosql.MatchRecognize:
		p.refuse(keyword{r}, "MATCH_RECOGNIZE is not supported on zone local: "+noPatterns)
	case *trinosql.JSONTable:
		p.refuse(r, "JSON_TABLE is not supported on zone local: DuckDB has no table functions of SQL/JSON")
	default:
		panic(fmt.Sprintf("no translation of %T", r))
	}
}

// copyRefs copies the references of the fields that fields are derived from.
func (p *printer) copyRefs(fields, of []*analyze.Field) {
	for i, f := range fields {
		p.fields[f] = p.fields[of[i]]
	}
}

func (p *printer) tableUse(use *analyze.TableUse, fields []*analyze.Field) {
	name := p.name("r")
	if use.Named != nil {
		q := p.named[use.Named]
		p.put(q.name, " AS ", name)
		if use.Recursive && q.depth != "" {
			q.ref = name + "." + q.depth
		}
		for i, f := range fields {
			p.fields[f] = name + "." + q.columns[i]
		}
		return
	}
	text, err := p.o.Table(use.Table)
	if err != nil {
		trinosql.Fail(err)
	}
	p.put(text, " AS ", name, "(")
	columns := make([]string, len(fields))
	p.tables[use.Table] = append(p.tables[use.Table], columns)
	p.list(len(fields), func(i int) {
		column := p.name("c")
		p.put(column)
		columns[i] = column
		p.fields[fields[i]] = name + "." + column
	})
	p.put(")")
}

func (p *printer) subquery(q *trinosql.Query, fields []*analyze.Field) {
	name := p.name("r")
	p.put("(")
	columns := p.query(q)
	p.put(") AS ", name)
	for i, f := range fields {
		p.fields[f] = name + "." + columns[i]
	}
}

// tableFunc writes a table function.
func (p *printer) tableFunc(f *trinosql.TableFunc, fields []*analyze.Field) {
	info := p.a.Relations[f]
	if f.Builtin() == "exclude_columns" {
		p.relation(info.Args[0].Table)
		for _, field := range fields {
			p.fields[field] = p.fields[field.From[0]]
		}
		return
	}
	n := []*big.Int{new(big.Int), nil, big.NewInt(1)}
	for i, a := range info.Args {
		if a != nil {
			v, ok := p.constant(a.Expr)
			if !ok {
				p.refuse(a, "sequence with an argument that is not a number is not supported on zone local")
			}
			n[i] = v
		}
	}
	start, stop, step := n[0], n[1], n[2]
	name, column := p.name("r"), p.name("c")
	p.fields[fields[0]] = name + "." + column
	way := stop.Cmp(start)
	switch {
	case way == 0:
		step = big.NewInt(1)
	case way != step.Sign():
		p.put(`(SELECT "~error"('Step must be `, map[int]string{1: "positive", -1: "negative"}[way], " for sequence [",
			start.String(), ", ", stop.String(), "]') AS ", column, ") AS ", name)
		return
	}
	p.put("generate_series(", start.String(), ", ", stop.String(), ", ", step.String(), ") AS ", name, "(", column, ")")
}
