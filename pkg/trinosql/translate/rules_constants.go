package translate

import (
	"math"
	"math/big"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// simpler writes a call whose constants need none of the checks in the template of its function, which take time for
// each row and hide conditions from DuckDB's statistics. false means that nothing was written.
func (p *printer) simpler(c *call, key string) bool {
	op := " + "
	switch key {
	case "substring(varchar(x), bigint, bigint)":
		for _, a := range c.args[1:] {
			if n, ok := p.constant(a.expr); !ok || n.Sign() <= 0 || n.Cmp(big.NewInt(math.MaxInt32)) > 0 {
				return false
			}
		}
		p.put("substr(", c.args, ")")
		return true
	case "SUBTRACT(date, interval day to second)":
		op = " - "
	case "ADD(date, interval day to second)":
	default:
		return false
	}
	i, ok := c.args[1].expr.(*trinosql.IntervalLit)
	if !ok {
		return false
	}
	if n, fault := intervalValue(i); fault != "" || n%86_400_000 != 0 {
		return false
	}
	p.put("CAST(", c.args[0], op, c.args[1], " AS DATE)")
	return true
}
