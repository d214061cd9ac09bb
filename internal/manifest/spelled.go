package manifest

import (
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

// Spelled returns the files with the names of tables and columns as the project spells them: the service ignores their
// case, so a table T is the table t, and not another one.
func Spelled(want, have *Project) *Project {
	out := New()
	for ref, o := range want.all {
		out.all[ref] = o
	}
	tables := map[Ref]*Table{} // of the project, by the names in lower case
	for _, k := range []Kind{KindTable, KindBITable} {
		for _, h := range Of[*Table](have, k) {
			tables[Ref{k, strings.ToLower(h.Name)}] = h
		}
	}
	for ref, o := range want.all {
		switch o := o.(type) {
		case *Table:
			h, exact := have.all[ref].(*Table)
			if !exact {
				h = tables[Ref{ref.Kind, strings.ToLower(ref.Name)}]
			}
			if h != nil {
				respell(out, o, h)
			}
		case *Metadata:
			out.respellMetadata(o, tables)
		}
	}
	return out
}

// respell replaces a table by one that is spelled as h.
func respell(p *Project, w, h *Table) {
	now := *w
	now.Name, now.Columns = h.Name, nil
	for _, c := range w.Columns {
		n := *c
		n.Column, n.RenamedFrom = spelling(c.Column, h), spelling(c.RenamedFrom, h)
		if c.DisplayName == c.Column {
			n.DisplayName = n.Column
		}
		p.Drop(c.Ref)
		now.Columns = append(now.Columns, &n)
	}
	p.Drop(w.Ref)
	p.Add(&now)
}

// spelling returns the name that a column has in a table of the project.
func spelling(name string, h *Table) string {
	for _, c := range h.Columns {
		if c.Column == name {
			return name
		}
	}
	for _, c := range h.Columns {
		if strings.EqualFold(c.Column, name) {
			return c.Column
		}
	}
	return name
}

func (p *Project) respellMetadata(w *Metadata, tables map[Ref]*Table) {
	if !strings.EqualFold(w.Catalog, api.InternalCatalogName) {
		return
	}
	k := map[string]Kind{api.SchemaTable: KindTable, api.SchemaBI: KindBITable}[w.Schema]
	h := tables[Ref{k, strings.ToLower(w.Table)}]
	if h == nil {
		return
	}
	now := *w
	now.Table, now.Columns = h.Name, map[string]ColumnMetadata{}
	for name, c := range w.Columns {
		now.Columns[spelling(name, h)] = c
	}
	if now.Name = JoinName(w.Catalog, w.Schema, h.Name); now.Name != w.Name && p.all[now.Ref] != nil {
		return
	}
	p.Drop(w.Ref)
	p.Put(&now)
}

// checkSpelling finds tables whose names differ in case only.
func (r *reader) checkSpelling() {
	for _, k := range []Kind{KindTable, KindBITable} {
		seen := map[string]*Table{}
		for _, t := range Of[*Table](r.p, k) {
			if other := seen[strings.ToLower(t.Name)]; other != nil {
				r.problem(t.At, "%s and %s, in %s, are one table: the case of names does not count", t.Name,
					other.Name, other.At.File)
			}
			seen[strings.ToLower(t.Name)] = t
		}
	}
}
