package analyze

import (
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// relation is a list of columns that names are looked up in.
type relation struct {
	fields      []*Field
	left, right *relation        // the sides of a join, whose fields are those of both
	byName      map[string][]int // of the named fields; built when first needed
}

func newRelation(fields []*Field) *relation { return &relation{fields: fields} }

// joined is the relation with the columns of two others. Names are looked up in both: copying the lists at each of many
// joins would take long.
func joined(left, right *relation) *relation {
	switch {
	case len(left.fields) == 0:
		return right
	case len(right.fields) == 0:
		return left
	}
	return &relation{fields: append(left.fields[:len(left.fields):len(left.fields)], right.fields...),
		left: left, right: right}
}

// visible are the fields that a star selects.
func (r *relation) visible() []*Field {
	for i, f := range r.fields {
		if f.Hidden {
			list := append([]*Field{}, r.fields[:i]...)
			for _, f := range r.fields[i:] {
				if !f.Hidden {
					list = append(list, f)
				}
			}
			return list
		}
	}
	return r.fields
}

// find are the indices of the fields that a name in lower case may denote.
func (r *relation) find(name []string) []int {
	if len(r.fields) == 0 {
		return nil
	}
	if r.left != nil {
		found := r.left.find(name)
		for _, i := range r.right.find(name) {
			found = append(found[:len(found):len(found)], i+len(r.left.fields))
		}
		return found
	}
	if r.byName == nil {
		r.byName = make(map[string][]int, len(r.fields))
		for i, f := range r.fields {
			if f.Name != "" {
				key := strings.ToLower(f.Name)
				r.byName[key] = append(r.byName[key], i)
			}
		}
	}
	found := r.byName[name[len(name)-1]]
	if len(name) == 1 {
		return found
	}
	var list []int
	for _, i := range found {
		if qualifies(r.fields[i].Alias, name[:len(name)-1]) {
			list = append(list, i)
		}
	}
	return list
}

// qualifies reports whether a prefix in lower case names the table.
func qualifies(alias, prefix []string) bool {
	if len(prefix) > len(alias) {
		return false
	}
	for i, p := range prefix {
		if !strings.EqualFold(alias[len(alias)-len(prefix)+i], p) {
			return false
		}
	}
	return true
}

// scope is where names are looked up: in its columns, then in those of its parent.
type scope struct {
	parent   *scope
	boundary bool // the parent belongs to the outer query
	*relation
	named  map[string]*named // the queries of WITH
	lambda *trinosql.Lambda  // the columns are the parameters of this lambda
	output bool              // the columns are the output columns, for ORDER BY
}

// named is a query of WITH.
type named struct {
	tree   *trinosql.NamedQuery
	fields []*Field
}

var noFields = newRelation(nil)

// inner is a scope within the same query.
func (s *scope) inner(r *relation) *scope { return &scope{parent: s, relation: r} }

// below is the scope of a subquery.
func (s *scope) below() *scope { return &scope{parent: s, boundary: true, relation: noFields} }

// resolved is a column that was found.
type resolved struct {
	scope *scope
	field *Field
	index int
	outer int
}

// resolve looks up a name. It fails when the name is ambiguous.
func (s *scope) resolve(at trinosql.Node, name []string) (resolved, bool) {
	outer := 0
	for ; s != nil; s = s.parent {
		switch found := s.find(name); {
		case len(found) > 1:
			failNamed("AMBIGUOUS_NAME", strings.Join(name, "."), at, "Column '%s' is ambiguous",
				strings.Join(name, "."))
		case len(found) == 1:
			return resolved{s, s.fields[found[0]], found[0], outer}, true
		}
		if s.prefixIsColumn(name) {
			return resolved{}, false
		}
		if s.boundary {
			outer++
		}
	}
	return resolved{}, false
}

// prefixIsColumn reports whether a leading part of the name is that of a column here.
func (s *scope) prefixIsColumn(name []string) bool {
	for n := len(name) - 1; n > 0; n-- {
		if len(s.find(name[:n])) > 0 {
			return true
		}
	}
	return false
}

func (s *scope) isColumnReference(name []string) bool {
	for ; s != nil; s = s.parent {
		if s.prefixIsColumn(name) {
			return true
		}
	}
	return false
}

// query looks up a query of WITH.
func (s *scope) query(name string) *named {
	for ; s != nil; s = s.parent {
		if q := s.named[name]; q != nil {
			return q
		}
	}
	return nil
}

func join(names []string) string { return strings.Join(names, ".") }
