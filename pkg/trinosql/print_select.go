package trinosql

func (p *printer) query(q *Query) {
	if p.overridden(q) {
		return
	}
	for i, r := range q.Routines {
		p.put([]string{"WITH ", ", "}[min(i, 1)])
		p.routine(r)
	}
	if q.Routines != nil {
		p.put(" ")
	}
	if q.With != nil {
		p.put("WITH ")
		if q.With.Recursive {
			p.put("RECURSIVE ")
		}
		p.each(len(q.With.Queries), func(i int) {
			n := q.With.Queries[i]
			p.name(n.Name)
			p.nameList(n.Columns)
			p.put(" AS (", n.Query, ")")
		})
		p.put(" ")
	}
	p.body(q.Body)
	p.orderBy(q.OrderBy, " ")
	if q.Offset != nil {
		p.put(" OFFSET ", q.Offset)
	}
	switch {
	case q.Fetch:
		p.put(" FETCH FIRST ")
		if q.Limit != nil {
			p.put(q.Limit, " ")
		}
		p.put("ROWS ")
		if q.WithTies {
			p.put("WITH TIES")
		} else {
			p.put("ONLY")
		}
	case q.LimitAll:
		p.put(" LIMIT ALL")
	case q.Limit != nil:
		p.put(" LIMIT ", q.Limit)
	}
}

func (p *printer) body(b QueryBody) {
	if p.overridden(b) {
		return
	}
	switch b := b.(type) {
	case *Select:
		p.selectBody(b)
	case *Values:
		p.put("VALUES ", b.Rows)
	case *TableBody:
		p.put("TABLE ")
		p.names(b.Name, ".")
	case *SubqueryBody:
		p.put("(", b.Query, ")")
	case *SetOp:
		p.body(b.Left)
		p.put(" ", b.Op, " ")
		if b.All {
			p.put("ALL ")
		}
		if b.Distinct {
			p.put("DISTINCT ")
		}
		if b.Corresponding {
			p.put("CORRESPONDING ")
			if b.By != nil {
				p.put("BY")
				p.nameList(b.By)
				p.put(" ")
			}
		}
		p.body(b.Right)
	}
}

func (p *printer) quantifier(distinct, all bool) {
	if distinct {
		p.put("DISTINCT ")
	}
	if all {
		p.put("ALL ")
	}
}

func (p *printer) selectBody(s *Select) {
	p.put("SELECT ")
	p.quantifier(s.Distinct, s.All)
	p.each(len(s.Items), func(i int) { p.selectItem(s.Items[i]) })
	for i, r := range s.From {
		if i == 0 {
			p.put(" FROM ")
		} else {
			p.put(", ")
		}
		p.relation(r)
	}
	if s.Where != nil {
		p.put(" WHERE ", s.Where)
	}
	if g := s.GroupBy; g != nil {
		p.put(" GROUP BY ")
		p.quantifier(g.Distinct, g.All)
		p.each(len(g.Elements), func(i int) { p.grouping(g.Elements[i]) })
	}
	if s.Having != nil {
		p.put(" HAVING ", s.Having)
	}
	for i, w := range s.Windows {
		if i == 0 {
			p.put(" WINDOW ")
		} else {
			p.put(", ")
		}
		p.name(w.Name)
		p.put(" AS ")
		p.window(w.Window)
	}
}

func (p *printer) selectItem(item SelectItem) {
	if p.overridden(item) {
		return
	}
	switch item := item.(type) {
	case *SelectStar:
		if item.Target != nil {
			p.target(item.Target)
			p.put(".")
		}
		p.put("*")
		if item.Columns != nil {
			p.put(" AS")
			p.nameList(item.Columns)
		}
	case *SelectExpr:
		p.expr(item.Expr, 0)
		p.as(item.Alias)
	}
}

func (p *printer) grouping(e *GroupingElement) {
	if e.Kind == "AUTO" {
		p.put(e.Kind)
		return
	}
	if e.Kind != "" {
		p.put(e.Kind, " (")
	}
	p.each(len(e.Sets), func(i int) {
		s := e.Sets[i]
		if !s.Bare {
			p.put("(")
		}
		p.exprs(s.Exprs)
		if !s.Bare {
			p.put(")")
		}
	})
	if e.Kind != "" {
		p.put(")")
	}
}

func (p *printer) orderBy(items []*SortItem, before string) {
	for i, s := range items {
		if i == 0 {
			p.put(before, "ORDER BY ")
		} else {
			p.put(", ")
		}
		p.sortItem(s)
	}
}

func (p *printer) sortItem(s *SortItem) {
	if p.overridden(s) {
		return
	}
	p.expr(s.Expr, 0)
	if s.Desc {
		p.put(" DESC")
	}
	if s.Asc {
		p.put(" ASC")
	}
	if s.Nulls != "" {
		p.put(" NULLS ", s.Nulls)
	}
}

func (p *printer) relation(r Relation) {
	if p.overridden(r) {
		return
	}
	switch r := r.(type) {
	case *TableRef:
		p.names(r.Name, ".")
		if r.PeriodKind != "" {
			p.put(" FOR ", r.PeriodKind, " AS OF ", tight{r.Period})
		}
	case *SubqueryRel:
		p.put("(", r.Query, ")")
	case *ParenRel:
		p.put("(")
		p.relation(r.Relation)
		p.put(")")
	case *Unnest:
		p.put("UNNEST (", r.Exprs, ")")
		if r.Ordinality {
			p.put(" WITH ORDINALITY")
		}
	case *MatchRecognize:
		p.matchRecognize(r)
	case *JSONTable:
		p.jsonTable(r)
	case *TableFunc:
		p.tableFunc(r)
	case *Lateral:
		p.put("LATERAL (", r.Query, ")")
	case *Aliased:
		p.relation(r.Relation)
		p.put(" AS ")
		p.name(r.Alias)
		p.nameList(r.Columns)
	case *Sampled:
		p.relation(r.Relation)
		p.put(" TABLESAMPLE ", r.Method, " (", r.Percentage, ")")
	case *Join:
		p.relation(r.Left)
		if r.Natural {
			p.put(" NATURAL")
		}
		p.put(" ", r.Kind, " JOIN ")
		p.relation(r.Right)
		if r.On != nil {
			p.put(" ON ", r.On)
		}
		if r.Using != nil {
			p.put(" USING")
			p.nameList(r.Using)
		}
	}
}
