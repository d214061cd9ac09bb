package manifest

// namesakes finds the objects of a project that correspond to those of the files.
type namesakes struct {
	want, have *Project
	bySQL      map[string]*Query
	former     map[Ref]Object // the objects of the project that are renamed, by the objects of the files
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

// former returns the former name of an object; ok is false if the files do not set one. Folders are excluded, because
// renaming one also changes other objects; see renamed.
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

// follow finds the object that is renamed to w, which the project lacks. The former name of w may be the new name of
// another object, and so on. Then all of these are renamed, or none if the project lacks one of them under its former
// name.
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

// counterpart returns the object of the project that corresponds to an object of the files; nil if there is none.
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

// vacated returns, for each object whose new name another object has, that other object, which must be renamed first.
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

// checkRenames finds former names that two objects claim, and exchanges of names, because the result of an exchange
// looks like its beginning.
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
				r.problem(r.p.all[ref].base().At, "objects cannot exchange their names by renamed-from, because "+
					"nothing would show afterwards that it was done: give one of them another name in between")
				break
			}
		}
	}
}
