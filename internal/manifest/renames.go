package manifest

// namesakes finds objects of a project by those of the files.
type namesakes struct {
	want, have *Project
	bySQL      map[string]*Query
	former     map[Ref]Object // the objects of the project that get other names, by those of the files
}

func namesOf(want, have *Project) namesakes {
	n := namesakes{want, have, map[string]*Query{}, map[Ref]Object{}}
	for _, o := range have.all {
		if q, ok := o.(*Query); ok {
			n.bySQL[q.SQLName] = q
		}
	}
	for _, w := range want.all {
		n.follow(w)
	}
	return n
}

// former returns what an object was called, and whether the files say so. That of a folder changes others too; see renamed.
func former(o Object) (Ref, bool) {
	b := o.base()
	if b.RenamedFrom == "" || b.Kind == KindFolder {
		return Ref{}, false
	}
	old := Ref{b.Kind, b.RenamedFrom}
	if c, ok := o.(*Column); ok {
		old.Name = JoinName(c.Table, b.RenamedFrom)
	}
	return old, true
}

// follow finds what is renamed to become an object that the project lacks. Its former name may be the new one of another
// object, and so on: then all of these are renamed, or, if the first of them is not there under its former name, none.
func (n namesakes) follow(w Object) {
	if n.have.all[w.base().Ref] != nil {
		return
	}
	found := map[Ref]Object{}
	for {
		ref := w.base().Ref
		old, ok := former(w)
		if ok = ok && n.have.all[old] != nil && found[ref] == nil; !ok {
			return
		}
		found[ref] = n.have.all[old]
		if w = n.want.all[old]; w == nil {
			break
		}
	}
	for ref, h := range found {
		n.former[ref] = h
	}
}

// counterpart finds the object of the project that an object of the files stands for; nil for none.
func (n namesakes) counterpart(w Object) Object {
	b := w.base()
	if h := n.former[b.Ref]; h != nil {
		return h
	}
	if h := n.have.all[b.Ref]; h != nil {
		return h
	}
	if q, ok := w.(*Query); ok { // another spelling of the same name in SQL
		if h := n.bySQL[q.SQLName]; h != nil && n.want.all[h.Ref] == nil {
			return h
		}
	}
	return nil
}

// vacated returns, for each object that is to get a name which another one has, that other one, which has to be renamed first.
func vacated(changes []Change) map[Ref]Ref {
	now := map[Ref]Ref{} // new names by former ones
	for _, ch := range changes {
		if ch.Have != nil && ch.Have.base().Ref != ch.Ref {
			now[ch.Have.base().Ref] = ch.Ref
		}
	}
	first := map[Ref]Ref{}
	for _, ch := range changes {
		if by, ok := now[ch.Ref]; ok && by != ch.Ref {
			first[ch.Ref] = by
		}
	}
	return first
}

// checkRenames finds former names that two objects claim, and exchanges of names: after one, nothing shows that it was made.
func (r *reader) checkRenames() {
	by, names := map[Ref]Object{}, map[Ref]Ref{}
	for _, k := range Kinds() {
		for _, o := range Of[Object](r.p, k) {
			b := o.base()
			old, ok := former(o)
			if b.RenamedFrom != "" && k == KindFolder {
				old, ok = Ref{k, b.RenamedFrom}, true
			}
			switch {
			case !ok:
			case old == b.Ref:
				r.problem(b.At, "renamed-from is its own name")
			case by[old] != nil:
				r.problem(b.At, "%s and %s cannot both be renamed from %s", by[old].base().Name, b.Name, old.Name)
			default:
				by[old], names[b.Ref] = o, old
			}
		}
	}
	for ref := range names {
		at, steps := ref, 0
		for ; names[at] != (Ref{}) && steps <= len(names); steps++ {
			if at = names[at]; at == ref {
				r.problem(r.p.all[ref].base().At, "objects cannot exchange their names by renamed-from, because nothing would show afterwards that it was done: give one of them another name in between")
				break
			}
		}
	}
}
