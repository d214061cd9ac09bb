//go:build cgo

package values

import (
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql/translate"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Literal writes the value of a parameter.
func Literal(p engine.Param) string {
	switch p.Type.Kind {
	case types.Boolean:
		return p.Text
	case types.Varchar:
		return sqltext.Literal(p.Text)
	}
	name, _ := translate.DuckType(p.Type)
	return "CAST(" + sqltext.Literal(p.Text) + " AS " + name + ")"
}
