package translate

import (
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
	default:
		p.refuse(r, "%T in FROM is not supported on zone local", r)
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
		panic(failure{err})
	}
	p.put(text, " AS ", name, "(")
	p.list(len(fields), func(i int) {
		column := p.name("c")
		p.put(column)
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
