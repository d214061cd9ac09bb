package translate

import (
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// column is the zone of a column.
func (z *zones) column(f *analyze.Field) string {
	if !zoned(f.Type) {
		return "UTC"
	}
	if zone, ok := z.columns[f]; ok {
		z.circle = z.circle || zone == looking
		return strings.TrimPrefix(zone, looking)
	}
	z.columns[f] = looking // for a query that refers to itself, the anchor determines it
	outer := z.circle
	z.circle = false
	zone := anyZone
	switch made := z.defined(f); {
	case len(made) > 0:
		for _, x := range made {
			if zoned(z.p.typeOf(x)) {
				zone = sameZone(zone, z.p.zoneOf(x))
			} else if z.p.typeOf(x).Kind != types.Unknown {
				zone = sameZone(zone, "UTC")
			}
		}
	case len(f.From) > 0:
		for _, of := range f.From {
			if zoned(of.Type) {
				zone = sameZone(zone, z.column(of))
			} else if of.Type.Kind != types.Unknown {
				zone = sameZone(zone, "UTC")
			}
		}
	case f.Column != nil && f.Column.Zone != "":
		zone = f.Column.Zone
	default:
		zone = "UTC"
	}
	if delete(z.columns, f); !z.circle || !slices.Contains(slices.Collect(maps.Values(z.columns)), looking) {
		z.columns[f], z.circle = zone, false
	}
	z.circle = z.circle || outer
	return zone
}

// defined are the expressions that define a column.
func (z *zones) defined(f *analyze.Field) []trinosql.Expr {
	if z.made == nil {
		z.made = map[*analyze.Field][]trinosql.Expr{}
		a := z.p.a
		items := func(body trinosql.QueryBody, fields []*analyze.Field) {
			s, ok := body.(*trinosql.Select)
			if !ok {
				return
			}
			for i, it := range a.Selects[s].Items {
				switch {
				case it.Expr != nil:
					z.made[fields[i]] = []trinosql.Expr{it.Expr}
				case it.Row != nil:
					z.made[fields[i]] = []trinosql.Expr{it.Row}
				}
			}
		}
		for q, info := range a.Queries {
			items(q.Body, info.Fields)
		}
		for body, b := range a.Bodies {
			items(body, b.Fields)
			v, ok := body.(*trinosql.Values)
			if !ok {
				continue
			}
			for _, r := range v.Rows {
				row, ok := r.(*trinosql.Row)
				for i, f := range b.Fields {
					if ok && len(row.Items) == len(b.Fields) {
						z.made[f] = append(z.made[f], row.Items[i])
					} else {
						z.made[f] = append(z.made[f], r)
					}
				}
			}
		}
		for r, info := range a.Relations {
			u, ok := r.(*trinosql.Unnest)
			if !ok {
				continue
			}
			for _, f := range info.Fields { // the element may be of any of the arrays
				z.made[f] = u.Exprs
			}
		}
	}
	if len(f.From) > 0 {
		return nil
	}
	return z.made[f]
}

// query is the zone of the values of a query with one column.
func (z *zones) query(q *trinosql.Query) string {
	zone := anyZone
	for _, f := range z.p.a.Queries[q].Fields {
		if zoned(f.Type) {
			zone = sameZone(zone, z.column(f))
		}
	}
	return zone
}

// outputZones are the zones of the columns of the result, nil if all are displayed in UTC.
func (p *printer) outputZones(q *trinosql.Query) []string {
	var zones []string
	i := 0
	for _, f := range p.a.Queries[q].Fields {
		if f.Hidden {
			continue
		}
		if i < len(p.a.Output) && zoned(p.a.Output[i].Type) {
			zone := "UTC"
			if zoned(f.Type) {
				if p.zones == nil {
					p.zones = newZones(p)
				}
				zone = p.zones.column(f)
			}
			switch zone {
			case manyZone:
				p.refuse(q, "a result with times of several zones in one column is not supported on zone local")
			case anyZone, "UTC":
			default:
				if zones == nil {
					zones = make([]string, len(p.a.Output))
				}
				zones[i] = zone
			}
		}
		i++
	}
	return zones
}

func newZones(p *printer) *zones {
	return &zones{p: p, columns: map[*analyze.Field]string{}, exprs: map[trinosql.Expr]string{}}
}
