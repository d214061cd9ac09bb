package web_test

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
)

// TestBodiesNestLittle: a filter of the query builder that nests deep takes memory that grows with the square of its
// depth.
func TestBodiesNestLittle(t *testing.T) {
	g := gatewaytest.Open(t)
	body := func(depth int) string {
		return `{"from":[{"catalogName":"sample","schemaName":"shop","tableName":"orders"}],"limit":1,"filters":` +
			strings.Repeat(`{"and":[`, depth) +
			`[{"column":{"catalogName":"sample","schemaName":"shop","tableName":"orders","columnName":"id"}},"=",[1]]` +
			strings.Repeat(`]}`, depth) + `}`
	}
	for _, c := range []struct {
		depth, status int
		part          string
	}{{10, 200, `"data"`}, {60, 400, "nests deeper than 100 levels"}, {4000, 400, "nests deeper than 100 levels"}} {
		status, text := gatewaytest.Exchange(g, "POST", "/data/projects/"+gatewaytest.Local+"/queries/execute",
			"application/json", body(c.depth))
		if status != c.status || !strings.Contains(text, c.part) {
			t.Errorf("%d levels: %d %.200s", c.depth, status, text)
		}
	}
	// Brackets within texts do not count.
	status, text := gatewaytest.Exchange(g, "POST", "/data/projects/"+gatewaytest.Local+"/queries/execute",
		"application/json", `{"statement":"SELECT '`+strings.Repeat(`[{\"`, 200)+`' AS s"}`)
	if status != 200 {
		t.Errorf("brackets in a text: %d %.200s", status, text)
	}
}
