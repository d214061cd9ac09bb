package trinosql

func (p *printer) call(x *Func) {
	if x.Mode != "" {
		p.put(x.Mode, " ")
	}
	p.names(x.Name, ".")
	if x.Measure {
		p.over(x)
		return
	}
	p.put("(")
	p.quantifier(x.Distinct, x.All)
	if x.Label != nil {
		p.name(x.Label)
		p.put(".")
	}
	if x.Star {
		p.put("*")
	}
	p.exprs(x.Args)
	if len(x.Args) > 0 {
		p.orderBy(x.OrderBy, " ")
	} else {
		p.orderBy(x.OrderBy, "")
	}
	p.put(")")
	p.filter(x.Filter)
	if x.Nulls != "" {
		p.put(" ", x.Nulls, " NULLS")
	}
	p.over(x)
}

func (p *printer) over(x *Func) {
	if x.Over != nil {
		p.put(" OVER ")
		p.window(x.Over)
	}
	if x.OverName != nil {
		p.put(" OVER ")
		p.name(x.OverName)
	}
}

func (p *printer) filter(x Expr) {
	if x != nil {
		p.put(" FILTER (WHERE ", x, ")")
	}
}

func (p *printer) listagg(x *Listagg) {
	p.put("LISTAGG(")
	p.quantifier(x.Distinct, x.All)
	p.expr(x.X, 0)
	if x.Separator != nil {
		p.put(", ", QuoteText(x.Separator.Value))
	}
	if x.Overflow != "" {
		p.put(" ON OVERFLOW ", x.Overflow)
		if x.Filler != nil {
			p.put(" ", QuoteText(x.Filler.Value))
		}
		if x.Count != "" {
			p.put(" ", x.Count, " COUNT")
		}
	}
	p.put(") WITHIN GROUP (")
	p.orderBy(x.Within, "")
	p.put(")")
	p.filter(x.Filter)
}

func (p *printer) window(w *WindowSpec) {
	p.put("(")
	sep := ""
	if w.Base != nil {
		p.name(w.Base)
		sep = " "
	}
	if w.PartitionBy != nil {
		p.put(sep, "PARTITION BY ", w.PartitionBy)
		sep = " "
	}
	if w.OrderBy != nil {
		p.orderBy(w.OrderBy, sep)
		sep = " "
	}
	if f := w.Frame; f != nil {
		p.put(sep)
		if f.Patterns != nil && f.Patterns.Measures != nil {
			p.measures(f.Patterns.Measures)
			p.put(" ")
		}
		p.put(f.Kind, " ")
		if f.End != nil {
			p.put("BETWEEN ")
			p.bound(f.Start)
			p.put(" AND ")
			p.bound(f.End)
		} else {
			p.bound(f.Start)
		}
		if f.Patterns != nil {
			p.patternClauses(f.Patterns)
		}
	}
	p.put(")")
}

func (p *printer) bound(b *FrameBound) {
	if b.Value != nil {
		p.expr(b.Value, precNot) // AND separates the bounds
		p.put(" ")
	}
	p.put(b.Kind)
}

func (p *printer) trim(x *Trim) {
	p.put("TRIM(")
	switch {
	case x.Comma:
		p.put(tight{x.X}, ", ", tight{x.Chars})
	case x.Spec == "" && x.Chars == nil:
		p.expr(x.X, precConcat)
	default:
		if x.Spec != "" {
			p.put(x.Spec, " ")
		}
		if x.Chars != nil {
			p.put(tight{x.Chars}, " ")
		}
		p.put("FROM ", tight{x.X})
	}
	p.put(")")
}
