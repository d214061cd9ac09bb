package trinosql

// jsonInvocation reads the input, the path and the parameters of a JSON function.
func (p *parser) jsonInvocation(f *JSONFunc, pathName **Ident) (err error) {
	if f.Input, err = p.jsonInput(); err != nil {
		return err
	}
	if err = p.wantSym(sComma); err != nil {
		return err
	}
	if f.Path, err = p.text(); err != nil {
		return err
	}
	if pathName != nil && p.take(wAs) {
		if *pathName, err = p.name(); err != nil {
			return err
		}
	}
	if !p.take(wPassing) {
		return nil
	}
	return p.listed(func() error {
		a := &JSONPassing{node: p.begin()}
		if a.Input, err = p.jsonInput(); err != nil {
			return err
		}
		if err = p.want(wAs); err != nil {
			return err
		}
		a.Name, err = p.name()
		p.done(&a.node)
		f.Passing = append(f.Passing, a)
		return err
	})
}

func (p *parser) jsonTable() (Relation, error) {
	t := &JSONTable{node: p.begin()}
	p.advance()
	err := p.enclosed(func() (err error) {
		t.Root = &JSONFunc{node: p.begin(), Name: "JSON_TABLE"}
		if err = p.jsonInvocation(t.Root, &t.PathName); err != nil {
			return err
		}
		p.done(&t.Root.node)
		if t.Columns, err = p.jsonColumns(); err != nil {
			return err
		}
		if p.takes("PLAN") {
			if t.Plan, err = p.jsonPlan(); err != nil {
				return err
			}
		}
		if p.says("ERROR") || p.says("EMPTY") {
			if t.OnError, err = p.anyOf("ERROR", "EMPTY"); err == nil {
				err = p.needs("ON", "ERROR")
			}
		}
		return err
	})
	p.done(&t.node)
	return t, err
}

func (p *parser) jsonColumns() (list []*JSONColumn, err error) {
	if err = p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	if err = p.needs("COLUMNS"); err != nil {
		return nil, err
	}
	err = p.enclosed(func() error {
		return p.listed(func() error {
			c := &JSONColumn{node: p.begin()}
			err := p.jsonColumn(c)
			p.done(&c.node)
			list = append(list, c)
			return err
		})
	})
	return list, err
}

func (p *parser) jsonColumn(c *JSONColumn) (err error) {
	if p.says("NESTED") && (p.peek(1).kind == kString || p.peek(1).kind == kUnicode || p.says("NESTED", "PATH")) {
		p.advance()
		p.takes("PATH")
		if c.Path, err = p.text(); err != nil {
			return err
		}
		if p.take(wAs) {
			if c.PathName, err = p.name(); err != nil {
				return err
			}
		}
		c.Columns, err = p.jsonColumns()
		return err
	}
	if c.Name, err = p.name(); err != nil {
		return err
	}
	if p.takes("FOR") {
		c.Ordinality = true
		return p.needs("ORDINALITY")
	}
	f := &JSONFunc{node: c.node, Name: "JSON_VALUE"}
	c.Value = f
	if f.Returning, err = p.dataType(); err != nil {
		return err
	}
	if p.isWord(wFormat) {
		f.Name = "JSON_QUERY"
		if f.Format, err = p.jsonFormat(); err != nil {
			return err
		}
	}
	if p.takes("PATH") {
		if f.Path, err = p.text(); err != nil {
			return err
		}
	}
	if f.Name == "JSON_QUERY" {
		if err = p.jsonWrapper(f); err != nil {
			return err
		}
	}
	err = p.jsonBehaviours(f)
	p.done(&f.node)
	return err
}

// jsonPlan reads what follows PLAN.
func (p *parser) jsonPlan() (plan *JSONPlan, err error) {
	if !p.takes("DEFAULT") {
		err = p.enclosed(func() error { plan, err = p.jsonPlanOf(); return err })
		return plan, err
	}
	plan = &JSONPlan{node: p.begin()}
	err = p.enclosed(func() error {
		rest := [][]string{{"OUTER", "INNER"}, {"UNION", "CROSS"}}
		if p.says("UNION") || p.says("CROSS") {
			rest[0], rest[1] = rest[1], rest[0]
		}
		if plan.Default, err = p.anyOf(rest[0]...); err == nil && p.takeSym(sComma) {
			var second string
			second, err = p.anyOf(rest[1]...)
			plan.Default += ", " + second
		}
		p.done(&plan.node)
		return err
	})
	return plan, err
}

// jsonPlanOf reads a path, or paths with OUTER, INNER, UNION or CROSS between them.
func (p *parser) jsonPlanOf() (*JSONPlan, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	first, err := p.jsonPlanPrimary()
	if err != nil {
		return nil, err
	}
	plan := &JSONPlan{node: since(first), Items: []*JSONPlan{first}}
	more := []string{"UNION", "CROSS"}
	if first.Name != nil {
		more = append(more, "OUTER", "INNER")
	}
	for _, op := range more {
		for p.takes(op) {
			next, err := p.jsonPlanPrimary()
			if err != nil {
				return nil, err
			}
			plan.Op, plan.Items = op, append(plan.Items, next)
			if op == "OUTER" || op == "INNER" {
				break
			}
		}
		if plan.Op != "" {
			p.done(&plan.node)
			return plan, nil
		}
	}
	return first, nil
}

func (p *parser) jsonPlanPrimary() (plan *JSONPlan, err error) {
	if p.isSym(sLParen) {
		err = p.enclosed(func() error { plan, err = p.jsonPlanOf(); return err })
		return plan, err
	}
	plan = &JSONPlan{node: p.begin()}
	plan.Name, err = p.name()
	p.done(&plan.node)
	return plan, err
}

// tableFunc reads TABLE(function(arguments)).
func (p *parser) tableFunc() (Relation, error) {
	f := &TableFunc{node: p.begin()}
	p.advance()
	err := p.enclosed(func() (err error) {
		f.at = p.tok.from // Trino names the place of the function
		if f.Name, err = p.qualified(); err != nil {
			return err
		}
		return p.enclosed(func() error {
			if !p.isSym(sRParen) && !(p.says("COPARTITION") && p.peekSym(1, sLParen)) {
				err := p.listed(func() error {
					a := &TableArg{node: p.begin()}
					err := p.tableArg(a)
					p.done(&a.node)
					f.Args = append(f.Args, a)
					return err
				})
				if err != nil {
					return err
				}
			}
			if !p.takes("COPARTITION") {
				return nil
			}
			return p.listed(func() error {
				c := &Copartition{node: p.begin()}
				f.Copartition = append(f.Copartition, c)
				return p.enclosed(func() error {
					return p.listed(func() error {
						x, err := p.dotted()
						c.Tables = append(c.Tables, x)
						return err
					})
				})
			})
		})
	})
	p.done(&f.node)
	return f, err
}

func (p *parser) tableArg(a *TableArg) (err error) {
	if isName(p.tok) && p.peekSym(1, sFatArrow) {
		if a.Name, err = p.name(); err != nil {
			return err
		}
		p.advance()
	}
	switch {
	case p.isWord(wTable) && p.peekSym(1, sLParen):
		p.advance()
		return p.tableOf(a)
	case p.says("DESCRIPTOR") && p.peekSym(1, sLParen):
		p.advance()
		a.NoFields = p.peekSym(1, sRParen)
		return p.enclosed(func() error {
			if a.NoFields {
				return nil
			}
			return p.listed(func() error {
				f := &RowField{node: p.begin()}
				if f.Name, err = p.name(); err == nil && !p.isSym(sComma) && !p.isSym(sRParen) {
					f.Type, err = p.dataType()
				}
				p.done(&f.node)
				a.Descriptor = append(a.Descriptor, f)
				return err
			})
		})
	case p.says("CAST") && p.peekSym(1, sLParen) && p.ahead(2, "NULL", "AS", "DESCRIPTOR") && p.peekSym(5, sRParen):
		for range 6 {
			p.advance()
		}
		a.NoFields = true
		return nil
	}
	a.Expr, err = p.expression()
	return err
}

// tableOf reads (table) or (query) with the clauses of a table argument.
func (p *parser) tableOf(a *TableArg) (err error) {
	n := p.begin()
	if p.queryAhead(p.i) {
		s := &SubqueryRel{node: n}
		s.Query, err = p.parenQuery(true)
		p.done(&s.node)
		a.Table = s
	} else {
		t := &TableRef{node: n}
		err = p.enclosed(func() error { t.Name, err = p.qualified(); return err })
		p.done(&t.node)
		a.Table = t
	}
	if err != nil {
		return err
	}
	clause := func() bool {
		return p.says("PARTITION", "BY") || p.says("PRUNE", "WHEN") || p.says("KEEP", "WHEN") || p.says("COPARTITION")
	}
	if !clause() {
		if a.Table, err = p.named(a.Table); err != nil {
			return err
		}
	}
	if p.takes("PARTITION", "BY") {
		a.Partitioned = true
		if p.isSym(sLParen) && p.peekSym(1, sRParen) {
			p.advance()
			p.advance()
		} else if p.isSym(sLParen) {
			err = p.enclosed(func() error { a.PartitionBy, err = p.expressions(); return err })
		} else {
			var x Expr
			x, err = p.expression()
			a.PartitionBy = []Expr{x}
		}
		if err != nil {
			return err
		}
	}
	if p.says("PRUNE") || p.says("KEEP") {
		if a.Empty, err = p.anyOf("PRUNE", "KEEP"); err == nil {
			err = p.needs("WHEN", "EMPTY")
		}
		if err != nil {
			return err
		}
	}
	if !p.isWord(wOrder) {
		return nil
	}
	if err = p.want(wOrder, wBy); err != nil {
		return err
	}
	item := func() error {
		s, err := p.sortItem()
		a.OrderBy = append(a.OrderBy, s)
		return err
	}
	if p.isSym(sLParen) {
		return p.enclosed(func() error { return p.listed(item) })
	}
	return item()
}
