package sql

import (
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// divisions are the places of the divisions of a query whose divisor may be zero.
func divisions(query *trinosql.Query) (places []trinosql.Pos) {
	trinosql.Inspect(query, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.Binary:
			if (n.Op == "/" || n.Op == "%") && mayBeZero(n.R) {
				places = append(places, n.Pos())
			}
		case *trinosql.Func:
			if len(n.Name) == 1 && n.Name[0].Lower() == "mod" && len(n.Args) == 2 && mayBeZero(n.Args[1]) {
				places = append(places, n.Pos())
			}
		}
		return true
	})
	return places
}

func mayBeZero(x trinosql.Expr) bool {
	switch x := x.(type) {
	case *trinosql.IntLit:
		return strings.Trim(x.Text, "0_") == ""
	case *trinosql.DecimalLit:
		return strings.Trim(x.Text, "0_.") == ""
	case *trinosql.DoubleLit:
		return false
	}
	return true
}

// casts are the expressions of a query that may fail as a cast does.
func casts(query *trinosql.Query, a *analyze.Analysis) (places []engine.Cast) {
	trinosql.Inspect(query, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.Cast:
			if !n.Try {
				places = append(places, engine.Cast{At: n.Pos(), To: castTo(a.Types[n])})
			}
		case *trinosql.Func:
			if len(n.Name) == 1 && n.Name[0].Lower() == "date" {
				places = append(places, engine.Cast{At: n.Pos(), To: engine.CastTime})
			}
		case *trinosql.JSONFunc, *trinosql.JSONObject, *trinosql.JSONArray, *trinosql.JSONTable:
			places = append(places, engine.Cast{At: n.Pos()})
		}
		return true
	})
	return places
}

// castTo is the type that the error of a cast names.
func castTo(t *types.Type) string {
	if t == nil {
		return ""
	}
	switch t.Kind {
	case types.Array, types.Map, types.Row, types.JSON: // the error names that of an element
		return ""
	case types.Date, types.Time, types.TimeTZ, types.Timestamp, types.TimestampTZ:
		return engine.CastTime
	}
	return t.Base()
}
