package manifest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
)

// Action is what is done to an object.
type Action string

// The actions.
const (
	Create  Action = "create"
	Update  Action = "update"
	Replace Action = "replace" // delete and create: the service cannot change it, and it holds no data
	Delete  Action = "delete"
	Blocked Action = "blocked" // the service cannot change it, and replacing it would lose data
)

// Difference is a property that differs. From is of the project, To of the files.
type Difference struct {
	Name string `json:"name"`
	From string `json:"from"`
	To   string `json:"to"`
}

// Change is a step that changes a project to match the files.
type Change struct {
	Action Action
	Ref
	Fields []Difference
	Want   Object // nil for a deletion
	Have   Object // nil for a creation
	Breaks []Ref  // what depends on an object, or a name or stored result of it, that goes, and remains
	Rows   *int64 // of a table that is deleted, or values of a column; nil if unknown
	Mark   string // of those rows, see cli.Contents
	Sends  *Sent  // nil if no reference is looked up
}

// Sent lists the references that a change looks up on this machine, and the addresses that the gateway sends their
// values to.
type Sent struct {
	Reads []Sending `json:"reads"`
	To    []string  `json:"to"`
}

// Sending is a reference in a field of a connection, or in a parameter of a catalog.
type Sending struct {
	Field     string `json:"field"`
	Reference string `json:"reference"`
}

// Title is the displayed name of the object; that of a golden statement is its question, on one line.
func (c Change) Title() string {
	prompt, _, golden := strings.Cut(c.Name, "\x00")
	if !golden {
		return c.Name
	}
	return strings.Join(strings.Fields(prompt), " ")
}

// Compare returns the steps that change a project to match the files, in an order in which they succeed, and the
// objects that only the project has, in the order in which they can be deleted.
func Compare(want, have *Project) (changes, extra []Change) {
	have = renamed(want, have)
	names, used := namesOf(want, have), map[Object]bool{}
	for ref, w := range want.all {
		h := names.counterpart(w)
		used[h] = true
		if c, ok := w.(*Column); ok && h == nil && have.Get(c.table(), c.Table) == nil {
			continue // it is created with its table
		}
		if ch, left := change(w, h); ch.Action != "" || len(left) > 0 {
			ch.Ref = ref
			if ch.Action != "" {
				changes = append(changes, ch)
			}
			if len(left) > 0 {
				extra = append(extra, Change{Action: Update, Ref: ref, Fields: left, Want: w, Have: h})
			}
		}
	}
	for ref, h := range have.all {
		if used[h] {
			continue
		}
		if c, ok := h.(*Column); ok && want.Get(c.table(), c.Table) == nil {
			continue // it is deleted with its table
		}
		extra = append(extra, Change{Action: Delete, Ref: ref, Have: h})
	}
	changes, extra = golden(changes, extra)
	first := vacated(changes)
	order(changes, first, depth(want, first), false)
	order(extra, nil, depth(have, nil), true)
	return changes, extra
}

// change compares two objects. left are the values that only pruning would remove.
func change(w, h Object) (c Change, left []Difference) {
	c.Want, c.Have = w, h
	if h == nil {
		c.Action = Create
		for _, f := range w.fields() {
			if f.Value != "" {
				c.Fields = append(c.Fields, Difference{Name: f.Name, To: f.Value})
			}
		}
		return c, nil
	}
	if from, to := plainName(h), plainName(w); from != to {
		c.Fields = append(c.Fields, Difference{"name", from, to})
	}
	wf, hf := w.fields(), h.fields()
	if wc, ok := w.(*Connection); ok {
		wf, hf = wc.against(h.(*Connection))
	}
	find := func(in []Field, name string) Field {
		i := slices.IndexFunc(in, func(f Field) bool { return f.Name == name })
		if i < 0 {
			return Field{Name: name}
		}
		return in[i]
	}
	for _, f := range wf {
		if o := find(hf, f.Name); o.Value != f.Value && !o.Unknown && !f.Unknown {
			c.Fields = append(c.Fields, Difference{f.Name, o.Value, f.Value})
		}
	}
	for _, o := range hf {
		if slices.ContainsFunc(wf, func(f Field) bool { return f.Name == o.Name }) || o.Value == "" {
			continue
		}
		if d := (Difference{o.Name, o.Value, ""}); o.Loose {
			left = append(left, d)
		} else {
			c.Fields = append(c.Fields, d)
		}
	}
	if len(c.Fields) > 0 {
		c.Action = how(w, c.Fields)
	}
	return c, left
}

// Cleared returns the changes that remove everything from the metadata of a table.
func Cleared(o Object) []Difference {
	var out []Difference
	for _, f := range o.fields() {
		d := Difference{Name: f.Name, From: f.Value}
		if !f.Loose {
			d.To = "true"
		}
		out = append(out, d)
	}
	return out
}

// plainName is the name of an object without those of its parents.
func plainName(o Object) string {
	switch o := o.(type) {
	case *Column:
		return o.Column
	case *Query, *Connection, *Folder:
		return o.base().Name
	}
	return ""
}

// how returns how the service can change the fields of an object.
func how(w Object, fields []Difference) Action {
	switch w.(type) {
	case *ParametricTable, *SemanticTable:
		return Replace
	case *Catalog, *SemanticCatalog:
		return Blocked
	case *Connection:
		if slices.ContainsFunc(fields, func(f Difference) bool { return f.Name == "type" }) {
			return Blocked
		}
	}
	return Update
}

// against returns the fields of a connection that can be compared with those of a gateway: the type, and the members of
// the credential that are not secret.
func (c *Connection) against(h *Connection) (want, have []Field) {
	want, have = []Field{{Name: "type", Value: strings.ToLower(c.Type)}},
		[]Field{{Name: "type", Value: strings.ToLower(h.Type)}}
	for _, k := range slices.Sorted(maps.Keys(h.Credential)) {
		v, ok := c.Credential[k]
		if !ok && h.Credential[k].zero() {
			continue
		}
		have = append(have, Field{Name: "credential " + k, Value: h.Credential[k].String()})
		if ok {
			want = append(want, Field{Name: "credential " + k, Value: v.String()})
		}
	}
	// a member that the gateway does not return is unset or a secret
	for _, k := range slices.Sorted(maps.Keys(c.Credential)) {
		v := c.Credential[k]
		if _, told := h.Credential[k]; !told && !v.zero() && !v.refers() {
			want = append(want, Field{Name: "credential " + k, Value: v.String()})
		}
	}
	return want, have
}

func (c *Connection) fields() []Field { return []Field{{Name: "type", Value: c.Type}} }

// renamed returns a project in which renamed folders, connections and columns have their new names wherever others
// refer to them, as the gateway will do when the object itself is renamed.
func renamed(want, have *Project) *Project {
	out := New()
	maps.Copy(out.all, have.all)
	folders := Of[*Folder](want, KindFolder) // in the order of paths: outer ones first
	for n := 0; n < len(folders); n++ {
		f := folders[n]
		if f.RenamedFrom == "" || out.Get(KindFolder, f.Name) != nil || out.Get(KindFolder, f.RenamedFrom) == nil {
			continue
		}
		for ref, o := range maps.Clone(out.all) {
			rest, below := strings.CutPrefix(ref.Name, f.RenamedFrom)
			switch o := o.(type) {
			case *Folder:
				if below && (rest == "" || rest[0] == '/') {
					moved := *o
					moved.Name = f.Name + rest
					if delete(out.all, ref); rest != "" {
						out.all[moved.Ref] = &moved
					} else {
						// its own name is still to be changed
						out.all[Ref{KindFolder, f.Name}] = &Folder{Base{Ref: ref, ID: o.ID}}
					}
				}
			case *Query:
				if rest, ok := strings.CutPrefix(o.Folder, f.RenamedFrom); ok && (rest == "" || rest[0] == '/') {
					moved := *o
					moved.Folder = f.Name + rest
					out.all[ref] = &moved
				}
			}
		}
		n = -1 // its former name may be the new one of another
	}
	names, called := namesOf(want, out), map[Ref]string{}
	for _, k := range []Kind{KindConnection, KindQuery} {
		for _, w := range Of[Object](want, k) {
			if h := names.counterpart(w); h != nil {
				called[h.base().Ref] = w.base().Name
			}
		}
	}
	for ref, o := range out.all {
		switch o := o.(type) {
		case *Catalog:
			if now, ok := called[Ref{KindConnection, o.Connection}]; ok && now != o.Connection {
				moved := *o
				moved.Connection = now
				out.all[ref] = &moved
			}
		case *SemanticTable:
			if now, ok := called[Ref{KindQuery, o.Query}]; ok && now != o.Query {
				moved := *o
				moved.Query = now
				out.all[ref] = &moved
			}
		}
	}
	return out
}

// golden joins the deletion and the creation of a statement for the same question.
func golden(changes, extra []Change) (c, e []Change) {
	for i := range changes {
		ch := &changes[i]
		if ch.Kind != KindGoldenSQL {
			continue
		}
		at := slices.IndexFunc(extra, func(x Change) bool {
			return x.Kind == KindGoldenSQL && x.Have.(*GoldenSQL).Prompt == ch.Want.(*GoldenSQL).Prompt
		})
		if at >= 0 {
			ch.Action, ch.Have = Replace, extra[at].Have
			ch.Fields = []Difference{{"sql", extra[at].Have.(*GoldenSQL).SQL, ch.Want.(*GoldenSQL).SQL}}
			extra = slices.Delete(extra, at, at+1)
		}
	}
	return changes, extra
}

// order sorts changes. Objects that others refer to come first, or last if they are deleted. A rename comes after the
// one that frees its new name.
func order(changes []Change, first map[Ref]Ref, depth map[Ref]int, reverse bool) {
	var waits func(ref Ref, n int) int
	waits = func(ref Ref, n int) int {
		if before, ok := first[ref]; ok && n < len(first) {
			return waits(before, n+1)
		}
		return n
	}
	rank := func(c Change) (kind, level int) {
		kind = slices.Index(Kinds(), c.Kind)
		switch c.Kind {
		case KindFolder:
			return kind, strings.Count(c.Name, "/")
		case KindQuery, KindSemanticTable: // these read each other
			return slices.Index(Kinds(), KindQuery), depth[c.Ref]
		}
		return kind, 0
	}
	slices.SortFunc(changes, func(a, b Change) int {
		ak, ad := rank(a)
		bk, bd := rank(b)
		n := cmp.Or(cmp.Compare(ak, bk), cmp.Compare(ad, bd), cmp.Compare(waits(a.Ref, 0), waits(b.Ref, 0)))
		if reverse {
			n = -n
		}
		return cmp.Or(n, position(a, b), cmp.Compare(a.Name, b.Name))
	})
}

// position compares new columns of one table by position in its file: that is their order in the table.
func position(a, b Change) int {
	x, xok := a.Want.(*Column)
	y, yok := b.Want.(*Column)
	if !xok || !yok || x.Table != y.Table || a.Kind != b.Kind || a.Action != Create || b.Action != Create {
		return 0
	}
	return cmp.Compare(x.At.Line, y.At.Line)
}

// depth returns, for each saved query and semantic table, the length of the longest chain of them that it reads. A
// query that reads a stored result has a greater depth than the query that stores it. A renamed query has a greater
// depth than the one that frees its name.
func depth(p *Project, first map[Ref]Ref) map[Ref]int {
	reads, out := readers(p), map[Ref]int{}
	for _, q := range Of[*Query](p, KindQuery) {
		if before, ok := first[q.Ref]; ok {
			reads[q.Name] = append(reads[q.Name], p.Get(KindQuery, before.Name).(*Query))
		}
	}
	var of func(q *Query) int
	of = func(q *Query) int {
		if n, ok := out[q.Ref]; ok {
			return n
		}
		out[q.Ref] = 0 // ends a cycle
		n := 0
		for _, o := range reads[q.Name] {
			n = max(n, of(o)+2) // a semantic table may be between them
		}
		out[q.Ref] = n
		return n
	}
	for _, q := range Of[*Query](p, KindQuery) {
		of(q)
	}
	for _, t := range Of[*SemanticTable](p, KindSemanticTable) {
		out[t.Ref] = out[Ref{KindQuery, t.Query}] + 1
	}
	return out
}

// readers returns the queries that each saved query reads, also through semantic tables, keyed by its name.
func readers(p *Project) map[string][]*Query {
	all := Of[*Query](p, KindQuery)
	bySQL, reads := map[string]*Query{}, map[string][]*Query{}
	for _, q := range all {
		bySQL[q.SQLName] = q
	}
	inSQL := func(catalog, schema, table string) string {
		return strings.ToLower(catalog + "\x00" + schema + "\x00" + table)
	}
	semantic := map[string]*Query{}
	for _, t := range Of[*SemanticTable](p, KindSemanticTable) {
		semantic[inSQL(t.Catalog, t.Schema, t.Table)], _ = p.Get(KindQuery, t.Query).(*Query)
	}
	for _, q := range all {
		for _, t := range sqlstmt.Tables(q.SQL) {
			o := semantic[inSQL(t.Catalog, t.Schema, t.Table)]
			if strings.EqualFold(t.Catalog, api.InternalCatalogName) &&
				(t.Schema == api.SchemaQuery || t.Schema == api.SchemaMtQuery) {
				o = bySQL[t.Table]
			}
			if o != nil {
				reads[q.Name] = append(reads[q.Name], o)
			}
		}
	}
	return reads
}
