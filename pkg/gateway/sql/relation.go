package sql

import (
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// relation is a table of a statement while its texts are read.
type relation struct {
	*engine.Relation
	// a table of information_schema or of the catalog system, whose rows are collected when a text that refers to it is
	// complete
	listed   bool
	narrowed bool // Scan holds only some of the rows
	referred bool // Filters, Limit and Count hold what a reference needs
	weight   int  // the number of saved queries that it expands to
}

// shownName is the name of a table for users.
func shownName(n engine.TableName) engine.TableName {
	if n.Catalog == allCatalogs {
		n.Catalog = engine.InternalCatalog
	}
	return n
}

// need adds what one more reference needs of the rows of a source.
func (r *relation) need(want narrow.Narrowing) {
	filters, limit := narrow.Columns{Infos: r.Infos, Types: typesOf(r.Table)}.Fit(want)
	if !r.referred {
		r.Filters, r.Limit, r.Count, r.referred = filters, limit, want.Count, true
		return
	}
	r.Filters, r.Limit, r.Count = narrow.Either(r.Filters, filters), -1, r.Count && want.Count
}

func typesOf(t *analyze.Table) []*types.Type {
	out := make([]*types.Type, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = c.Type
	}
	return out
}

// tableOf is a table with column types given by name.
func tableOf(cols []engine.ColumnInfo) *analyze.Table {
	t := &analyze.Table{}
	for _, c := range cols {
		t.Columns = append(t.Columns, analyze.TableColumn{Name: c.Name, Type: infoType(c.Type), Zone: c.Zone})
	}
	return t
}

// scannable are the kinds of types whose values a Scanner provides; it provides values of others as texts.
var scannable = map[types.Kind]bool{types.Boolean: true, types.Tinyint: true, types.Smallint: true, types.Integer: true,
	types.Bigint: true,
	types.Real:   true, types.Double: true, types.Decimal: true, types.Varbinary: true, types.UUID: true,
	types.JSON: true, types.Date: true,
	types.Time: true, types.Timestamp: true, types.TimestampTZ: true, types.Varchar: true, types.Char: true}

// infoType is the type of a source's column by its name. A type that sources provide as text is varchar; times have
// microseconds unless their name includes a precision, and are text where it exceeds that of the values of a source.
func infoType(name string) *types.Type {
	name = strings.ToLower(strings.TrimSpace(name))
	if base, zone, _ := strings.Cut(name, " "); (base == "time" || base == "timestamp") &&
		(zone == "" || zone == "with time zone" && base == "timestamp") {
		name = strings.TrimSpace(base + "(6) " + zone) // Trino's default is milliseconds
	}
	t, err := types.Parse(name)
	if err != nil || !scannable[t.Kind] || t.Kind == types.Time && t.N > 6 || t.Kind == types.TimestampTZ && t.N > 6 ||
		t.Kind == types.Timestamp && t.N > 9 {
		return types.Of(types.Varchar)
	}
	return t
}

// columnInfos describes the columns of an analysed table.
func columnInfos(t *analyze.Table) (out []engine.ColumnInfo) {
	for _, c := range t.Columns {
		out = append(out, engine.ColumnInfo{Name: c.Name, Type: c.Type.String(), Nullable: true, Zone: c.Zone})
	}
	return out
}
