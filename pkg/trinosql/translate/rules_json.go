package translate

import (
	"encoding/json"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func jsonRules(reg *registry) {
	reg.specials["*trinosql.JSONFunc"] = func(p *printer, x trinosql.Expr) { p.jsonFunc(x.(*trinosql.JSONFunc)) }
}

var (
	laxPath = late.Regexp(`^\s*lax\s+\$((?:\.[A-Za-z_]\w*|\."[^"\\]*"|\[\d{1,9}\]|\[\*\])*)\s*$`)
	laxStep = late.Regexp(`\.[A-Za-z_]\w*|\."[^"\\]*"|\[\d+\]|\[\*\]`)
)

// jsonFunc writes JSON_EXISTS, JSON_VALUE and JSON_QUERY over paths of names, indices and [*], whose errors are NULL or false.
func (p *printer) jsonFunc(x *trinosql.JSONFunc) {
	refuse := func(what string) { p.refuse(x, "%s %s is not supported on zone local", x.Name, what) }
	normal := "NULL"
	if x.Name == "JSON_EXISTS" {
		normal = "FALSE"
	}
	switch t := p.typeOf(x.Input.X); {
	case t.Kind != types.Varchar || x.Input.Format != "" && x.Input.Format != "JSON":
		refuse("of a value of type " + t.String())
	case len(x.Passing) > 0:
		refuse("with PASSING")
	case x.Returning != nil:
		refuse("with RETURNING")
	case x.Wrapper != "" && x.Wrapper != "WITHOUT":
		refuse("with a wrapper")
	case x.Quotes != "":
		refuse("with QUOTES")
	case x.Empty != nil && x.Empty.Kind != normal:
		refuse("with " + x.Empty.Kind + " ON EMPTY")
	case x.Error != nil && x.Error.Kind != normal:
		refuse("with " + x.Error.Kind + " ON ERROR")
	}
	path := laxPath().FindStringSubmatch(x.Path.Value)
	if path == nil {
		refuse("with the path '" + x.Path.Value + "'")
	}
	steps := []string{}
	for _, s := range laxStep().FindAllString(path[1], -1) {
		if s[0] == '.' {
			steps = append(steps, "."+strings.Trim(s[1:], `"`))
		} else {
			steps = append(steps, s[1:len(s)-1])
		}
	}
	text, err := json.Marshal(steps)
	if err != nil {
		panic(err)
	}
	p.put(map[string]string{"JSON_EXISTS": `("~sqljson_exists"(`, "JSON_VALUE": `("~sqljson_value"(`, "JSON_QUERY": `("~sqljson_query"(`}[x.Name])
	p.expr(x.Input.X)
	p.put(", ", quoteText(string(text)), ")")
	if x.Name == "JSON_EXISTS" {
		p.put(" = 'true'")
	}
	p.put(")")
}
