package trinosql

func (p *printer) dataType(t Type) {
	if p.overridden(t) {
		return
	}
	switch t := t.(type) {
	case *NamedType:
		p.typeName(t.Name)
		if t.Params != nil {
			p.put("(")
			p.each(len(t.Params), func(i int) { p.typeParam(t.Params[i]) })
			p.put(")")
		}
	case *RowType:
		p.put("row(")
		p.fields(t.Fields)
		p.put(")")
	case *TimeType:
		if t.Name == "TIME" {
			p.put("time")
		} else {
			p.put("timestamp")
		}
		if t.Precision != nil {
			p.put("(")
			p.typeParam(*t.Precision)
			p.put(")")
		}
		if t.WithZone {
			p.put(" with time zone")
		}
	case *IntervalType:
		p.put("INTERVAL ", t.From)
		if t.To != "" {
			p.put(" TO ", t.To)
		}
	}
}

func (p *printer) fields(list []*RowField) {
	p.each(len(list), func(i int) {
		if f := list[i]; f.Type == nil {
			p.name(f.Name)
		} else {
			if f.Name != nil {
				p.name(f.Name)
				p.put(" ")
			}
			p.dataType(f.Type)
		}
	})
}

// typeName prints array, map and similar without quotes, which they need nowhere else.
func (p *printer) typeName(id *Ident) {
	if !id.Quoted && plainName(id.Name) && !Reserved(id.Name) {
		p.put(id.Name)
		return
	}
	p.name(id)
}

func (p *printer) typeParam(a TypeParam) {
	if a.Type != nil {
		p.dataType(a.Type)
	} else {
		p.put(a.Number)
	}
}

func (p *printer) json(x Expr) {
	switch x := x.(type) {
	case *JSONFunc:
		p.put(x.Name, "(")
		p.jsonInvocation(x, nil)
		p.returning(x.Returning, x.Format)
		p.jsonEnd(x)
		p.put(")")
	case *JSONObject:
		p.put("JSON_OBJECT(")
		p.each(len(x.Members), func(i int) {
			m := x.Members[i]
			if !m.Colon {
				p.put("KEY ")
			}
			p.expr(m.Key, 0)
			if m.Colon {
				p.put(" : ")
			} else {
				p.put(" VALUE ")
			}
			p.jsonInput(m.Value)
		})
		p.onNull(x.Nulls)
		if x.Unique != "" {
			p.put(" ", x.Unique, " UNIQUE KEYS")
		}
		p.returning(x.Returning, x.Format)
		p.put(")")
	case *JSONArray:
		p.put("JSON_ARRAY(")
		p.each(len(x.Values), func(i int) { p.jsonInput(x.Values[i]) })
		p.onNull(x.Nulls)
		p.returning(x.Returning, x.Format)
		p.put(")")
	}
}

// jsonInvocation prints the input, the path and the parameters of a JSON function.
func (p *printer) jsonInvocation(x *JSONFunc, pathName *Ident) {
	p.jsonInput(x.Input)
	p.put(", ", QuoteText(x.Path.Value))
	p.as(pathName)
	for i, a := range x.Passing {
		if i == 0 {
			p.put(" PASSING ")
		} else {
			p.put(", ")
		}
		p.jsonInput(a.Input)
		p.as(a.Name)
	}
}

// jsonEnd prints the last clauses of JSON_QUERY and similar.
func (p *printer) jsonEnd(x *JSONFunc) {
	if x.Wrapper != "" {
		p.put(" ", x.Wrapper, " WRAPPER")
	}
	if x.Quotes != "" {
		p.put(" ", x.Quotes, " QUOTES")
		if x.OnString {
			p.put(" ON SCALAR STRING")
		}
	}
	p.behaviour(x.Empty, "EMPTY")
	p.behaviour(x.Error, "ERROR")
}

func (p *printer) as(name *Ident) {
	if name != nil {
		p.put(" AS ")
		p.name(name)
	}
}

func (p *printer) jsonInput(in *JSONInput) {
	p.expr(in.X, 0)
	p.jsonFormat(in.Format)
}

func (p *printer) jsonFormat(f string) {
	if len(f) > len("JSON") {
		p.put(" FORMAT JSON ENCODING ", f[len("JSON "):])
	} else if f != "" {
		p.put(" FORMAT JSON")
	}
}

func (p *printer) returning(t Type, format string) {
	if t != nil {
		p.put(" RETURNING ", t)
		p.jsonFormat(format)
	}
}

func (p *printer) behaviour(b *JSONBehaviour, on string) {
	if b == nil {
		return
	}
	p.put(" ", b.Kind)
	if b.Value != nil {
		p.put(" ", b.Value)
	}
	p.put(" ON ", on)
}

func (p *printer) onNull(kind string) {
	if kind != "" {
		p.put(" ", kind, " ON NULL")
	}
}
