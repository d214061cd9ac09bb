package translate

import "strconv"

func init() {
	rules["approx_distinct"] = func(p *printer, c *call) { // counted exactly, which is within its error
		if c.fn != nil && (c.fn.Over != nil || c.fn.OverName != nil) {
			p.refuse(c.node, "approx_distinct(...) OVER is not supported on zone local")
		}
		p.aggregateCall(c, mustParts("count(DISTINCT $1)"))
	}
	rules["avg decimal"] = func(p *printer, c *call) {
		t := c.bound.Result
		p.put(`CAST("~divide"(CAST(`)
		p.aggregateCall(c, mustParts("sum($1)"))
		p.put(" AS VARCHAR), CAST(")
		p.aggregateCall(c, mustParts("count($1)"))
		p.put(" AS VARCHAR), '", strconv.Itoa(t.Scale), "') AS ", p.duckType(c.node, t), ")")
	}
}
