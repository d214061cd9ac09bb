// Package uses finds what uses what in a project: connections, catalogs, tables, saved queries and everything that
// reads them.
package uses

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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

	sql string // of a query
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

	err     error // of the kinds without which nothing can be said
	objects []Object
	uses    [][]int // by object
	users   [][]int
	named   map[string]int
}

// Err is the error of listing the saved queries or the catalogs.
func (g *Graph) Err() error { return g.err }

// Mentions reports whether an object that uses a table may use one of its columns.
func (o Object) Mentions(column string) bool {
	return o.Kind != Query && o.Kind != Golden || sqlstmt.Mentions(o.sql, column)
}

func key(kind Kind, name string) string { return string(kind) + "\x00" + strings.ToLower(name) }

// add returns the number of an object, which is new if none has its kind and name, or id for a connection: several may
// have one name.
func (g *Graph) add(o Object) int {
	k := key(o.Kind, o.Name)
	if o.Kind == Connection {
		k = key(o.Kind, o.ID)
	}
	at, ok := g.named[k]
	if !ok {
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

// table returns the number of the object that a full name stands for in a statement.
func (g *Graph) table(catalog, schema, table string) int {
	name := catalog + "." + schema + "." + table
	if strings.EqualFold(catalog, api.InternalCatalogName) {
		if s := strings.ToLower(schema); s == api.SchemaQuery || s == api.SchemaMtQuery {
			if at, ok := g.named[key(Query, table)]; ok {
				return at
			}
		}
	}
	for _, kind := range []Kind{Semantic, Parametric} {
		if at, ok := g.named[key(kind, name)]; ok {
			return at
		}
	}
	at := g.add(Object{Kind: Table, Name: name})
	if k, ok := g.named[key(Catalog, catalog)]; ok {
		g.link(at, k)
	}
	return at
}

// read links an object with what its statement reads. A name of two parts is in the catalog peaka. One of one part is
// an internal table on zone local; as no document says so of the hosted zones, a saved query of this name counts too.
func (g *Graph) read(user int, sql string) {
	for _, n := range sqlstmt.ReadingOf(sql) {
		catalog, schema, table := api.InternalCatalogName, api.SchemaTable, n[len(n)-1]
		switch len(n) {
		case 1:
			if at, ok := g.named[key(Query, table)]; ok {
				g.link(user, at)
			}
		case 2:
			schema = n[0]
		case 3:
			catalog, schema = n[0], n[1]
		default:
			continue
		}
		g.link(user, g.table(catalog, schema, table))
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

// mostNamed is the number of objects that a sentence names; above it, the others are counted.
const mostNamed = 10

// Breaks is the end of a sentence about a change that breaks the objects: ", which breaks query a, query b through a";
// "" if there are none. Kinds that could not be listed are named as such. Relations and golden queries only describe
// tables and go with them: they are left out.
func (f *Found) Breaks() string {
	var parts []string
	broken := slices.DeleteFunc(slices.Clone(f.Links), func(l Link) bool {
		return l.Kind == Relation || l.Kind == Golden
	})
	for _, u := range broken[:min(len(broken), mostNamed)] {
		text := u.String()
		if u.Through != "" {
			text += " through " + u.Through
		}
		parts = append(parts, text)
	}
	if more := len(broken) - mostNamed; more > 0 {
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
	for n, at := range shown {
		fmt.Fprintf(&nodes, "  n%d[\"%s\"]\n", n+1, strings.ReplaceAll(f.g.objects[at].String(), `"`, "#quot;"))
		for _, used := range f.g.uses[at] {
			if to, ok := slices.BinarySearch(shown, used); ok {
				fmt.Fprintf(&arrows, "  n%d --> n%d\n", n+1, to+1)
			}
		}
	}
	return "flowchart LR\n" + nodes.String() + arrows.String()
}
