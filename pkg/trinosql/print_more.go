package trinosql

// each calls write n times, with commas between.
func (p *printer) each(n int, write func(i int)) {
	for i := range n {
		if i > 0 {
			p.put(", ")
		}
		write(i)
	}
}

func (p *printer) matchRecognize(m *MatchRecognize) {
	p.relation(m.Relation)
	p.put(" MATCH_RECOGNIZE (")
	if m.PartitionBy != nil {
		p.put("PARTITION BY ", m.PartitionBy, " ")
	}
	if m.OrderBy != nil {
		p.orderBy(m.OrderBy, "")
		p.put(" ")
	}
	if m.Patterns.Measures != nil {
		p.measures(m.Patterns.Measures)
		p.put(" ")
	}
	p.put(map[string]string{"": "", "ONE": "ONE ROW PER MATCH", "ALL": "ALL ROWS PER MATCH",
		"ALL SHOW": "ALL ROWS PER MATCH SHOW EMPTY MATCHES", "ALL OMIT": "ALL ROWS PER MATCH OMIT EMPTY MATCHES",
		"ALL UNMATCHED": "ALL ROWS PER MATCH WITH UNMATCHED ROWS"}[m.Rows])
	p.patternClauses(m.Patterns)
	p.put(")")
}

func (p *printer) measures(list []*NamedExpr) {
	p.put("MEASURES ")
	p.each(len(list), func(i int) {
		p.expr(list[i].Expr, 0)
		p.as(list[i].Name)
	})
}

func (p *printer) patternClauses(r *RowPatterns) {
	if r.Skip != "" {
		p.put(" AFTER MATCH SKIP ", r.Skip)
		if r.SkipTo != nil {
			p.put(" ")
			p.name(r.SkipTo)
		}
	}
	if r.Search != "" {
		p.put(" ", r.Search)
	}
	if r.Pattern != nil {
		p.put(" PATTERN (")
		p.pattern(r.Pattern)
		p.put(")")
	}
	if r.Subsets != nil {
		p.put(" SUBSET ")
		p.each(len(r.Subsets), func(i int) {
			p.name(r.Subsets[i].Name)
			p.put(" =")
			p.nameList(r.Subsets[i].Of)
		})
	}
	if r.Define != nil {
		p.put(" DEFINE ")
		p.each(len(r.Define), func(i int) {
			p.name(r.Define[i].Name)
			p.put(" AS ", r.Define[i].Expr)
		})
	}
}

func (p *printer) pattern(n *Pattern) {
	between, before, after := " ", "", ""
	switch n.Kind {
	case "NAME":
		p.name(n.Name)
	case "|":
		between = " | "
	case "(":
		before, after = "(", ")"
	case "{-":
		before, after = "{- ", " -}"
	case "PERMUTE":
		between, before, after = ", ", "PERMUTE(", ")"
	default:
		before = n.Kind
	}
	p.put(before)
	for i, item := range n.Items {
		if i > 0 {
			p.put(between)
		}
		p.pattern(item)
	}
	p.put(after, n.Quantifier)
}

func (p *printer) jsonTable(t *JSONTable) {
	p.put("JSON_TABLE(")
	p.jsonInvocation(t.Root, t.PathName)
	p.jsonColumns(t.Columns)
	if t.Plan != nil && t.Plan.Default != "" {
		p.put(" PLAN DEFAULT (", t.Plan.Default, ")")
	} else if t.Plan != nil {
		p.put(" PLAN (")
		p.jsonPlan(t.Plan)
		p.put(")")
	}
	if t.OnError != "" {
		p.put(" ", t.OnError, " ON ERROR")
	}
	p.put(")")
}

func (p *printer) jsonColumns(list []*JSONColumn) {
	p.put(" COLUMNS (")
	p.each(len(list), func(i int) {
		c := list[i]
		if c.Columns != nil {
			p.put("NESTED PATH ", QuoteText(c.Path.Value))
			p.as(c.PathName)
			p.jsonColumns(c.Columns)
			return
		}
		p.name(c.Name)
		if c.Ordinality {
			p.put(" FOR ORDINALITY")
			return
		}
		p.put(" ", c.Value.Returning)
		p.jsonFormat(c.Value.Format)
		if c.Value.Path != nil {
			p.put(" PATH ", QuoteText(c.Value.Path.Value))
		}
		p.jsonEnd(c.Value)
	})
	p.put(")")
}

func (p *printer) jsonPlan(n *JSONPlan) {
	if n.Name != nil {
		p.name(n.Name)
		return
	}
	for i, item := range n.Items {
		if i > 0 {
			p.put(" ", n.Op, " ")
		}
		if item.Name == nil {
			p.put("(")
		}
		p.jsonPlan(item)
		if item.Name == nil {
			p.put(")")
		}
	}
}

func (p *printer) tableFunc(f *TableFunc) {
	p.put("TABLE(")
	p.names(f.Name, ".")
	p.put("(")
	p.each(len(f.Args), func(i int) { p.tableArg(f.Args[i]) })
	for i, c := range f.Copartition {
		p.put([]string{" COPARTITION (", ", ("}[min(i, 1)], c.Tables, ")")
	}
	p.put("))")
}

func (p *printer) tableArg(a *TableArg) {
	if a.Name != nil {
		p.name(a.Name)
		p.put(" => ")
	}
	switch {
	case a.Expr != nil:
		p.expr(a.Expr, 0)
		return
	case a.Descriptor != nil:
		p.put("DESCRIPTOR(")
		p.fields(a.Descriptor)
		p.put(")")
		return
	case a.NoFields:
		p.put("CAST(NULL AS DESCRIPTOR)")
		return
	}
	p.put("TABLE")
	r := a.Table
	if named, ok := r.(*Aliased); ok {
		r = named.Relation
	}
	if _, ok := r.(*TableRef); ok {
		p.put("(")
		p.relation(r)
		p.put(")")
	} else {
		p.relation(r)
	}
	if named, ok := a.Table.(*Aliased); ok {
		p.as(named.Alias)
		p.nameList(named.Columns)
	}
	if a.Partitioned {
		p.put(" PARTITION BY (", a.PartitionBy, ")")
	}
	if a.Empty != "" {
		p.put(" ", a.Empty, " WHEN EMPTY")
	}
	if a.OrderBy != nil {
		p.put(" ORDER BY (")
		p.each(len(a.OrderBy), func(i int) { p.sortItem(a.OrderBy[i]) })
		p.put(")")
	}
}

func (p *printer) routine(r *Routine) {
	p.put("FUNCTION ")
	p.names(r.Name, ".")
	p.put("(")
	p.fields(r.Params)
	p.put(") RETURNS ", r.Returns)
	for _, t := range r.Traits {
		p.put(" ", t.Kind)
		switch {
		case t.Language != nil:
			p.put(" ")
			p.name(t.Language)
		case t.Comment != nil:
			p.put(" ", QuoteText(t.Comment.Value))
		case t.Properties != nil:
			p.put(" (")
			p.each(len(t.Properties), func(i int) {
				p.name(t.Properties[i].Name)
				p.put(" = ")
				if t.Properties[i].Expr == nil {
					p.put("DEFAULT")
				} else {
					p.expr(t.Properties[i].Expr, 0)
				}
			})
			p.put(")")
		}
	}
	p.put(" ")
	if r.Definition != nil {
		p.put("AS $$", r.Definition.Value, "$$")
	} else {
		p.control(r.Body)
	}
}

func (p *printer) controls(list []*Control) {
	for _, c := range list {
		p.control(c)
		p.put("; ")
	}
}

func (p *printer) control(c *Control) {
	loop := c.Kind == "LOOP" || c.Kind == "WHILE" || c.Kind == "REPEAT"
	if c.Name != nil && loop {
		p.name(c.Name)
		p.put(" : ")
	}
	p.put(c.Kind, " ")
	if c.Name != nil && !loop {
		p.name(c.Name)
	}
	if c.Kind == "SET" {
		p.put(" = ")
	}
	if c.Expr != nil && c.Kind != "REPEAT" {
		p.expr(c.Expr, 0)
		p.put(map[string]string{"WHILE": " DO ", "CASE": " "}[c.Kind])
	}
	for _, d := range c.Declares {
		p.put("DECLARE ")
		p.names(d.Names, ", ")
		p.put(" ", d.Type)
		if d.Default != nil {
			p.put(" DEFAULT ", d.Default)
		}
		p.put("; ")
	}
	for i, b := range c.Branches {
		if c.Kind == "CASE" {
			p.put("WHEN ")
		} else if i > 0 {
			p.put("ELSEIF ")
		}
		p.put(b.Cond, " THEN ")
		p.controls(b.Body)
	}
	if c.Else != nil {
		p.put("ELSE ")
		p.controls(c.Else)
	}
	p.controls(c.Body)
	switch {
	case c.Kind == "BEGIN":
		p.put("END")
	case c.Kind == "REPEAT":
		p.put("UNTIL ", c.Expr, " END REPEAT")
	case c.Branches != nil || loop:
		p.put("END ", c.Kind)
	}
}
