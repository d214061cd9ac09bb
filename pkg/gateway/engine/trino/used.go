package trino

import (
	"maps"
	"slices"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// usedColumns are the columns of each table that a statement and the saved queries in it name. A column that is not
// among them is not a part of what is sent, so that the cluster would refuse a name that was overlooked.
func usedColumns(x *engine.Statement) map[*engine.Relation][]int {
	found := map[*engine.Relation]map[int]bool{}
	usedIn(x, found)
	for _, r := range x.Reads() {
		if r.View != nil {
			usedIn(r.View, found)
		}
	}
	out := map[*engine.Relation][]int{}
	for r, columns := range found {
		out[r] = slices.Sorted(maps.Keys(columns))
	}
	return out
}

func usedIn(x *engine.Statement, found map[*engine.Relation]map[int]bool) {
	a := x.Analysis
	named := map[*analyze.Field]bool{}
	var name func(f *analyze.Field)
	name = func(f *analyze.Field) {
		if f == nil || named[f] {
			return
		}
		named[f] = true
		for _, from := range f.From {
			name(from)
		}
	}
	for _, ref := range a.Columns {
		name(ref.Field)
	}
	for _, s := range a.Selects {
		for _, item := range s.Items {
			name(item.Source)
		}
	}
	for _, r := range a.Relations {
		for _, u := range r.Using {
			name(u.Left)
			name(u.Right)
		}
	}
	whole := false // there are parts that pass on columns without a name
	var refs []trinosql.Node
	trinosql.Inspect(x.Query, func(n trinosql.Node) bool {
		switch n.(type) {
		case *trinosql.TableBody, *trinosql.MatchRecognize, *trinosql.TableFunc:
			whole = true
		}
		if use := a.Tables[n]; use != nil && use.Table != nil {
			refs = append(refs, n)
		}
		return true
	})
	for _, n := range refs {
		use := a.Tables[n]
		r := x.Relations[use.Table]
		if found[r] == nil {
			found[r] = map[int]bool{}
		}
		for i, f := range use.Fields {
			if whole || named[f] {
				found[r][i] = true
			}
		}
	}
}
