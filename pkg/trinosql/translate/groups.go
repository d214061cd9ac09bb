package translate

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// groupBy writes GROUP BY with sets of the keys.
func (p *printer) groupBy(s *trinosql.Select, info *analyze.Select) {
	if len(info.Keys) == 0 {
		return
	}
	if len(info.Sets) != 1 {
		p.refuse(s.GroupBy, "GROUPING SETS are not supported on zone local")
	}
	p.put(" GROUP BY ")
	p.list(len(info.Keys), func(i int) {
		k := info.Keys[i]
		if k.Expr == nil {
			p.refuse(s.GroupBy, "grouping by the place of a star is not supported on zone local")
		}
		p.notOrdinal(k.Expr)
	})
}
