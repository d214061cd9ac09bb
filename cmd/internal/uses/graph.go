// Package uses finds what uses what in a project: connections, catalogs, tables, saved queries and everything that
// reads them.
package uses

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
)

// Kind is the kind of an object.
type Kind string

// The kinds, in the order in which users are listed.
const (
	Connection Kind = "connection"
	Catalog    Kind = "catalog"
	Table      Kind = "table" // of a source, internal, or BI
	Query      Kind = "query"
	Semantic   Kind = "semantic table"
	Parametric Kind = "parametric table"
	Cache      Kind = "cache"
	Relation   Kind = "relation"
	Golden     Kind = "golden query"
)

// Object is an object of a project. Tables have their full name, such as peaka.table.people.
type Object struct {
	Kind         Kind   `json:"kind"`
	Name         string `json:"name"`
	ID           string `json:"id,omitempty"`
	Materialized bool   `json:"materialized"`

	sql     string // of a query
	display string // another name
}

// String names the object with its kind.
func (o Object) String() string {
	text := string(o.Kind) + " " + o.Name
	if o.Materialized {
		text += " (materialized)"
	}
	return text
}

// Link is an object that uses another one, or is used by it.
type Link struct {
	Object
	Through string `json:"through,omitempty"` // the object in between, "" if the use is direct
}

// Graph has the objects of a project and what each uses.
type Graph struct {
	Unlisted []string // kinds of objects that the gateway could not list

	err      error // of the kinds without which nothing can be said
	catalogs []api.Catalog
	objects  []Object
	uses     [][]int // by object
	users    [][]int
	named    map[key]int
}

// Err is the error of listing the saved queries or the catalogs.
func (g *Graph) Err() error { return g.err }

// Mentions reports whether an object that uses a table may use one of its columns.
func (o Object) Mentions(column string) bool {
	return o.Kind != Query && o.Kind != Golden || sqlstmt.Mentions(o.sql, column)
}

// ReadsStored reports whether the statement of an object reads the stored result of a saved query.
func (o Object) ReadsStored(query string) bool {
	return sqlstmt.NamingOf(o.sql).Of(api.InternalCatalogName, query, api.SchemaMtQuery)
}

// key is the kind of an object and the parts of its name in lower case; of a connection, its id, since several may have
// one name.
type key struct {
	kind Kind
	name [3]string
}

func keyOf(kind Kind, name ...string) (k key) {
	k.kind = kind
	for i, part := range name {
		k.name[i] = strings.ToLower(part)
	}
	return k
}

// add returns the number of an object, which is new if none has its key. The name of an object that has none is that of
// the key.
func (g *Graph) add(o Object, name ...string) int {
	k := keyOf(o.Kind, name...)
	at, ok := g.named[k]
	if !ok {
		if o.Name == "" {
			o.Name = strings.Join(name, ".")
		}
		at = len(g.objects)
		g.objects, g.uses, g.users = append(g.objects, o), append(g.uses, nil), append(g.users, nil)
		g.named[k] = at
	}
	return at
}

func (g *Graph) link(user, used int) {
	if !slices.Contains(g.uses[user], used) {
		g.uses[user], g.users[used] = append(g.uses[user], used), append(g.users[used], user)
	}
}

// read links an object with what its statement reads or describes. A name of two parts is in the catalog peaka. One
// of one part is an internal table on zone local; as no document says so of the hosted zones, a saved query of this
// name counts too.
func (g *Graph) read(user int, sql string) {
	for _, n := range sqlstmt.NamingOf(sql) {
		catalog, schema, table := api.InternalCatalogName, api.SchemaTable, n[len(n)-1]
		switch len(n) {
		case 1:
			if at, ok := g.named[keyOf(Query, table)]; ok {
				g.link(user, at)
			}
		case 2:
			schema = n[0]
		case 3:
			catalog, schema = n[0], n[1]
		default:
			continue
		}
		g.link(user, g.Table(catalog, schema, table))
	}
}

// Found are objects that use some others or are used by them, the nearest first.
type Found struct {
	Links []Link

	g       *Graph
	reached map[int]bool // the objects, those between, and those that the links are of
}

// Users are the objects that use one of some others, directly or through others, each once. Tables between a catalog
// and what reads them are not listed. direct, if not nil, decides which direct users count.
func (g *Graph) Users(direct func(Object) bool, of ...int) *Found {
	return g.walk(g.users, direct, func(o Object) bool { return o.Kind == Table }, of)
}

// Used are the objects that an object uses, directly or through others.
func (g *Graph) Used(of int) *Found {
	return g.walk(g.uses, nil, func(Object) bool { return false }, []int{of})
}

func (g *Graph) walk(edges [][]int, direct, hidden func(Object) bool, of []int) *Found {
	f := &Found{Links: []Link{}, g: g, reached: map[int]bool{}}
	for _, at := range of {
		f.reached[at] = true
	}
	through, next := map[int]string{}, slices.Clone(of)
	for n := 0; n < len(next); n++ {
		found := slices.Clone(edges[next[n]])
		slices.SortStableFunc(found, func(a, b int) int { return g.order(a) - g.order(b) })
		for _, at := range found {
			o := g.objects[at]
			if f.reached[at] || n < len(of) && direct != nil && !direct(o) {
				continue
			}
			f.reached[at] = true
			next = append(next, at)
			if hidden(o) {
				through[at] = through[next[n]]
				continue
			}
			f.Links = append(f.Links, Link{o, through[next[n]]})
			through[at] = o.Name
		}
	}
	return f
}

func (g *Graph) order(at int) int {
	return slices.Index([]Kind{Connection, Catalog, Table, Query, Semantic, Parametric, Cache, Relation, Golden},
		g.objects[at].Kind)
}

// Breaks is the end of a sentence about a change that breaks the objects: ", which breaks query a, query b through a";
// "" if there are none. Kinds that could not be listed are named as such. Relations and golden queries only describe
// tables and go with them: they are left out.
func (f *Found) Breaks() string {
	var parts []string
	broken := slices.DeleteFunc(slices.Clone(f.Links), func(l Link) bool {
		return l.Kind == Relation || l.Kind == Golden
	})
	for _, u := range broken[:min(len(broken), phrase.MostNamed)] {
		text := u.String()
		if u.Through != "" {
			text += " through " + u.Through
		}
		parts = append(parts, text)
	}
	if more := len(broken) - phrase.MostNamed; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	for _, kind := range f.g.Unlisted {
		if kind != relations && kind != goldenQueries {
			parts = append(parts, kind+" that could not be listed")
		}
	}
	if parts == nil {
		return ""
	}
	return ", which breaks " + strings.Join(parts, ", ")
}

// Mermaid writes the objects and what they use of each other as a flowchart of Mermaid; an arrow points to what is
// used.
func (f *Found) Mermaid() string {
	var nodes, arrows strings.Builder
	shown := slices.Sorted(maps.Keys(f.reached))
	escape := strings.NewReplacer(`"`, "#quot;", "#", "#35;")
	for n, at := range shown {
		fmt.Fprintf(&nodes, "  n%d[\"%s\"]\n", n+1, escape.Replace(f.g.objects[at].String()))
		for _, used := range f.g.uses[at] {
			if to, ok := slices.BinarySearch(shown, used); ok {
				fmt.Fprintf(&arrows, "  n%d --> n%d\n", n+1, to+1)
			}
		}
	}
	return "flowchart LR\n" + nodes.String() + arrows.String()
}
