package trinosql

import "strings"

// routines reads WITH FUNCTION, which comes next.
func (p *parser) routines() (list []*Routine, err error) {
	p.advance()
	err = p.listed(func() error {
		r, err := p.routine()
		list = append(list, r)
		return err
	})
	return list, err
}

func (p *parser) routine() (*Routine, error) {
	r := &Routine{node: p.begin()}
	err := p.needs("FUNCTION")
	if err != nil {
		return nil, err
	}
	if r.Name, err = p.qualified(); err != nil {
		return nil, err
	}
	err = p.enclosed(func() error {
		if p.isSym(sRParen) {
			return nil
		}
		return p.listed(func() error {
			f, err := p.rowField()
			r.Params = append(r.Params, f)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	if err = p.needs("RETURNS"); err != nil {
		return nil, err
	}
	if r.Returns, err = p.dataType(); err != nil {
		return nil, err
	}
	for {
		t, err := p.routineTrait()
		if err != nil {
			return nil, err
		}
		if t == nil {
			break
		}
		r.Traits = append(r.Traits, t)
	}
	if p.take(wAs) {
		r.Definition, err = p.dollarText()
	} else {
		at := p.tok.from
		if r.Body, err = p.control(); err == nil && !r.inSQL() {
			err = p.fail(at, "Only functions using language 'SQL' may be defined using SQL")
		}
	}
	p.done(&r.node)
	return r, err
}

// inSQL reports whether the routine's language is SQL, which is the default.
func (r *Routine) inSQL() bool {
	for _, t := range r.Traits {
		if t.Language != nil && !strings.EqualFold(t.Language.Name, "SQL") {
			return false
		}
	}
	return true
}

// dollarText reads the text of a routine in another language.
func (p *parser) dollarText() (*StringLit, error) {
	lit := &StringLit{node: p.begin()}
	if p.tok.kind != kDollar {
		return nil, p.unexpected("DOLLAR_STRING")
	}
	raw := p.lex.text[p.tok.from.Offset:p.tok.end]
	lit.Value = raw[2 : len(raw)-2]
	if !strings.HasPrefix(strings.TrimPrefix(lit.Value, "\r"), "\n") {
		return nil, p.fail(p.tok.from, "Function definition must start with a newline after opening quotes")
	}
	p.advance()
	p.done(&lit.node)
	return lit, nil
}

// routineTrait reads a characteristic of a routine; nil if none comes next.
func (p *parser) routineTrait() (*RoutineTrait, error) {
	t := &RoutineTrait{node: p.begin()}
	var err error
	for _, kind := range []string{"NOT DETERMINISTIC", "DETERMINISTIC", "RETURNS NULL ON NULL INPUT",
		"CALLED ON NULL INPUT",
		"SECURITY DEFINER", "SECURITY INVOKER", "LANGUAGE", "COMMENT", "WITH"} {
		if !p.takes(strings.Fields(kind)...) {
			continue
		}
		switch t.Kind = kind; kind {
		case "LANGUAGE":
			t.Language, err = p.name()
		case "COMMENT":
			t.Comment, err = p.text()
		case "WITH":
			err = p.enclosed(func() error {
				return p.listed(func() error {
					n := &NamedExpr{node: p.begin()}
					if n.Name, err = p.name(); err != nil {
						return err
					}
					if err = p.wantSym(sEq); err != nil {
						return err
					}
					if !p.takes("DEFAULT") {
						n.Expr, err = p.expression()
					}
					p.done(&n.node)
					t.Properties = append(t.Properties, n)
					return err
				})
			})
		}
		p.done(&t.node)
		return t, err
	}
	return nil, nil
}

// controls reads statements of a routine, at least one, up to one of the words that end them.
func (p *parser) controls(ends ...string) (list []*Control, err error) {
	for {
		for _, end := range ends {
			if p.says(end) && len(list) > 0 {
				return list, nil
			}
		}
		c, err := p.control()
		if err == nil {
			err = p.wantSym(sSemicolon)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
}

func (p *parser) control() (*Control, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	c := &Control{node: p.begin()}
	var err error
	if isName(p.tok) && p.peekSym(1, sColon) {
		if c.Name, err = p.name(); err != nil {
			return nil, err
		}
		p.advance()
		c.Kind, err = p.anyOf("LOOP", "REPEAT", "WHILE")
	} else {
		c.Kind, err = p.anyOf("BEGIN", "CASE", "IF", "ITERATE", "LEAVE", "LOOP", "REPEAT", "RETURN", "SET", "WHILE")
	}
	if err != nil {
		return nil, err
	}
	switch c.Kind {
	case "RETURN":
		c.Expr, err = p.value(0)
	case "SET":
		if c.Name, err = p.name(); err == nil {
			if err = p.wantSym(sEq); err == nil {
				c.Expr, err = p.expression()
			}
		}
	case "ITERATE", "LEAVE":
		c.Name, err = p.name()
	case "BEGIN":
		err = p.compound(c)
	case "LOOP":
		if c.Body, err = p.controls("END"); err == nil {
			err = p.needs("END", "LOOP")
		}
	case "WHILE":
		if c.Expr, err = p.expression(); err != nil {
			return nil, err
		}
		if err = p.needs("DO"); err != nil {
			return nil, err
		}
		if c.Body, err = p.controls("END"); err == nil {
			err = p.needs("END", "WHILE")
		}
	case "REPEAT":
		if c.Body, err = p.controls("UNTIL"); err != nil {
			return nil, err
		}
		p.advance()
		if c.Expr, err = p.expression(); err == nil {
			err = p.needs("END", "REPEAT")
		}
	default:
		err = p.branches(c)
	}
	p.done(&c.node)
	return c, err
}

func (p *parser) compound(c *Control) (err error) {
	for p.takes("DECLARE") {
		d := &Declare{node: p.begin()}
		if d.Names, err = p.names(); err != nil {
			return err
		}
		if d.Type, err = p.dataType(); err != nil {
			return err
		}
		if p.takes("DEFAULT") {
			if d.Default, err = p.value(0); err != nil {
				return err
			}
		}
		p.done(&d.node)
		c.Declares = append(c.Declares, d)
		if err = p.wantSym(sSemicolon); err != nil {
			return err
		}
	}
	if p.takes("END") {
		return nil
	}
	if c.Body, err = p.controls("END"); err == nil {
		err = p.needs("END")
	}
	return err
}

// branches reads IF and CASE after their first word.
func (p *parser) branches(c *Control) (err error) {
	next := "ELSEIF"
	if c.Kind == "CASE" {
		next = "WHEN"
		if !p.says("WHEN") {
			if c.Expr, err = p.expression(); err != nil {
				return err
			}
		}
		if err = p.needs("WHEN"); err != nil {
			return err
		}
	}
	for {
		b := &Branch{node: p.begin()}
		if b.Cond, err = p.expression(); err != nil {
			return err
		}
		if err = p.needs("THEN"); err != nil {
			return err
		}
		if b.Body, err = p.controls(next, "ELSE", "END"); err != nil {
			return err
		}
		p.done(&b.node)
		c.Branches = append(c.Branches, b)
		if !p.takes(next) {
			break
		}
	}
	if p.takes("ELSE") {
		if c.Else, err = p.controls("END"); err != nil {
			return err
		}
	}
	return p.needs("END", c.Kind)
}
